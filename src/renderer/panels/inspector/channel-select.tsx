import { channelAt, channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import { windowOf } from '../../app/view/window.ts';
import { channelName } from '../../app/words/counting.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { type Option, Select } from '../controls/select.tsx';
import { useViewerPart } from '../hooks/use-app.ts';

/** Which channel is shown. The time point stays; a channel with a window of its own brings it along. */
export function ChannelSelect({ info, viewer }: { readonly info: VolumeInfo; readonly viewer: Viewer }) {
  const shown = useViewerPart(viewer, ({ state }) => channelAt(info, state.timePoint).channel);
  const { channels } = info;
  if (!channels || channels.length < 2) return null;
  const show = (index: number) => {
    const { time } = channelAt(info, viewer.snapshot().state.timePoint);
    const window = channels[index]?.window;
    const isUsable = window !== undefined && Number.isFinite(window[1] - window[0]) && window[0] < window[1];
    viewer.set({
      timePoint: index * channelLayout(info).timePoints + time,
      ...(isUsable && { window: windowOf(window[1] - window[0], (window[0] + window[1]) / 2, info) }),
    });
  };
  return (
    <Select
      label="Channel"
      options={channelOptions(channels)}
      value={String(shown)}
      onChange={(key) => show(Number(key))}
      testId="channel-select"
    />
  );
}

/** The channels by number, each with its colour. */
export function channelOptions(channels: NonNullable<VolumeInfo['channels']>): Option<string>[] {
  return channels.map((channel, index) => ({
    key: String(index),
    label: channelName(channel, index),
    swatch: channel.color,
  }));
}
