import { channelName } from '../../../core/shared/channel-name.ts';
import { inRealOrder } from '../../../core/shared/real-order.ts';
import {
  type Channel,
  channelAt,
  channelLayout,
  colorChannels,
  integerRanges,
  type VolumeInfo,
} from '../../../core/shared/volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { firstLevel } from './auto-view.ts';
import { firstLabelLook } from './label-look.ts';
import { baseId, type LayerLook, type LayerStack, mostLayers } from './layers.ts';
import type { ViewState } from './viewer-api.ts';

/** Colours of channels for which the file gives none. */
const firstColors = ['#00ffff', '#ff00ff', '#ffff00', '#00ff00', '#ff0000', '#0000ff'] as const;

/** The number of channels that are visible at first: the 3D view draws no more at once. */
const mostShown = 5;

/** Whether a volume's channels can be shown together, each as a layer. */
export function hasChannels(info: Pick<VolumeInfo, 'dims' | 'channels'>): boolean {
  const { channelCount } = channelLayout(info);
  return channelCount > 1 && channelCount <= mostLayers + 1;
}

/** The look of a channel when it is first shown among the others. */
export type ChannelLook = Pick<LayerLook, 'name' | 'colormap' | 'isVisible'> & {
  /** Undefined if it should be determined from the channel's values. */
  readonly window: LayerLook['window'] | undefined;
};

/** The looks of all channels, from the file where it gives them. @param statistics those of the whole volume */
export function channelLooks(info: VolumeInfo, statistics: VolumeStatistics): readonly ChannelLook[] {
  const channels = info.channels ?? [];
  const isColorPicture = isRgb(channels);
  return channels.map((channel, index) => ({
    name: channelName(channel, index),
    colormap: colorOf(channel, index, isColorPicture),
    isVisible: isColorPicture ? index < 3 : index < mostShown,
    window: (isColorPicture ? colorWindow(info, statistics) : undefined) ?? windowOf(channel, info, statistics),
  }));
}

/**
 * A view with all channels of the volume: the first is the volume itself, the others are layers that are blended additively.
 * @param windows the windows of the channels, in stored values
 */
export function withChannels(
  view: ViewState,
  info: VolumeInfo,
  looks: readonly ChannelLook[],
  windows: readonly LayerLook['window'][],
): ViewState {
  const [first, ...others] = looks;
  const window = windows[0] ?? view.window;
  const kept = view.layers.layers.filter(({ of }) => of !== baseId);
  const layers = others.map((look, at) =>
    channelLayer(`channel-${at + 2}`, baseId, at + 1, look, windows[at + 1] ?? view.window),
  );
  return {
    ...view,
    window,
    level: window[0] + firstLevel * (window[1] - window[0]),
    colormap: first?.colormap ?? view.colormap,
    inverted: false,
    timePoint: channelAt(info, view.timePoint).time,
    layers: {
      ...view.layers,
      base: { ...view.layers.base, isVisible: first?.isVisible ?? true, opacity: 1 },
      solo: undefined,
      layers: [...layers, ...kept],
    },
  };
}

/** A layer that shows a channel. @param of see `LayerLook.of` */
export function channelLayer(
  id: string,
  of: string | undefined,
  channel: number,
  { name, colormap, isVisible }: ChannelLook,
  window: LayerLook['window'],
): LayerLook {
  return {
    id,
    of,
    name,
    isVisible,
    opacity: 1,
    blending: 'add',
    colormap,
    inverted: false,
    window,
    hidesBelow: false,
    smooth: true,
    outline: false,
    labels: firstLabelLook,
    channel,
  };
}

/** A view with a single channel of the volume, in gray. */
export function withOneChannel(view: ViewState, info: VolumeInfo, channel: number, window: ViewState['window']): ViewState {
  const { time } = channelAt(info, view.timePoint);
  const { base, layers, meshes } = view.layers;
  return {
    ...view,
    window,
    level: window[0] + firstLevel * (window[1] - window[0]),
    colormap: 'gray',
    inverted: false,
    timePoint: channel * channelLayout(info).timePoints + time,
    layers: {
      base: { ...base, isVisible: true },
      solo: undefined,
      layers: layers.filter(({ of }) => of !== baseId),
      meshes,
    },
  };
}

/** The stack `own` with the channels of another viewer's stack, if both volumes have the same number of channels. */
export function sharedChannels(from: VolumeInfo, to: VolumeInfo, stack: LayerStack, own: LayerStack): LayerStack {
  const { channelCount } = channelLayout(from);
  if (channelCount < 2 || channelCount !== channelLayout(to).channelCount) return own;
  const channels = stack.layers.filter(({ of }) => of === baseId);
  const isShared = stack.solo === undefined || stack.solo === baseId || channels.some(({ id }) => id === stack.solo);
  return {
    base: { ...own.base, isVisible: stack.base.isVisible, opacity: stack.base.opacity },
    solo: isShared ? stack.solo : own.solo,
    layers: [...channels, ...own.layers.filter(({ of }) => of !== baseId)],
    meshes: own.meshes,
  };
}

function isRgb(channels: readonly Channel[]): boolean {
  return colorChannels.slice(0, 3).every(({ name, color }, at) => channels[at]?.name === name && channels[at]?.color === color);
}

function colorOf({ color }: Channel, index: number, isColorPicture: boolean): string {
  if (color !== undefined && /^#[0-9a-f]{6}$/i.test(color)) return color.toLowerCase();
  return isColorPicture ? '#ffffff' : (firstColors[index % firstColors.length] as string);
}

/** The window that shows a colour picture in its own colours: the full range of 8-bit and 16-bit values, else the range of the values. */
function colorWindow(info: VolumeInfo, { min, max }: VolumeStatistics): LayerLook['window'] {
  const { type } = info;
  const range = type === 'u8' || type === 'u16' ? integerRanges[type] : ([Math.min(0, min), Math.max(1, max)] as const);
  return inRealOrder(range, info);
}

/** The channel's own window in stored values, if any of the volume's values lie in it. */
function windowOf({ window }: Channel, info: VolumeInfo, { min, max }: VolumeStatistics): LayerLook['window'] | undefined {
  if (!window || !(window[0] < window[1])) return undefined;
  const [low, high] = window.map((value) => (value - info.intercept) / info.slope) as [number, number];
  if (!Number.isFinite(high - low) || Math.min(low, high) >= max || Math.max(low, high) <= min) return undefined;
  return [low, high];
}
