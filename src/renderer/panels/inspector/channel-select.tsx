import { channelName } from '../../../core/shared/channel-name.ts';
import { channelAt, type VolumeInfo } from '../../../core/shared/volume.ts';
import { hasChannels } from '../../viewer/model/channel-group.ts';
import { hasChannelGroup } from '../../viewer/model/layers.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { type Option, Select } from '../controls/select.tsx';
import { useApp, useViewerPart } from '../hooks/use-app.ts';
import styles from './display-section.module.css';

const all = 'all';

/** Chooses one channel, or all channels together. The time point stays the same. */
export function ChannelSelect({ info, viewer }: { readonly info: VolumeInfo; readonly viewer: Viewer }) {
  const app = useApp();
  const shown = useViewerPart(viewer, ({ state }) =>
    hasChannelGroup(state.layers) ? all : String(channelAt(info, state.timePoint).channel),
  );
  const { channels } = info;
  const [first] = channels ?? [];
  if (!channels || !first || channels.length < 2) return null;
  const together = { key: all, label: 'All together', hint: 'Each in its colour. Their settings are in the Layers tab' };
  return (
    <>
      <Select
        label="Channel"
        options={[...(hasChannels(info) ? [together] : []), ...channelOptions(channels)]}
        value={shown}
        onChange={(key) => void (key === all ? app.channels.showAll() : app.channels.showOne(Number(key)))}
        testId="channel-select"
      />
      {shown === all && (
        <p className={styles.hint} data-testid="channel-hint">
          Window and colormap below are those of {channelName(first, 0)}; those of the other channels are in the Layers tab.
        </p>
      )}
    </>
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
