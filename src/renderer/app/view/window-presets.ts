import { inRealOrder } from '../../../core/shared/real-order.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { FileWindow } from '../../../core/shared/volume-facts.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { autoView } from '../../viewer/model/auto-view.ts';
import { toPhysical, type Window, windowOf } from './window.ts';

export interface WindowPreset {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly group: 'values' | 'file' | 'ct';
}

/** The parts of a volume that its windows depend on. */
export interface Windowed {
  readonly info: VolumeInfo;
  readonly statistics: VolumeStatistics;
}

const ofValues: readonly WindowPreset[] = [
  { id: 'auto', label: 'Automatic', hint: 'Ignores background and outliers', group: 'values' },
  { id: 'range', label: 'Minimum to maximum', group: 'values' },
  { id: 'percentiles', label: '1 to 99 %', hint: 'Percentiles of all voxels', group: 'values' },
];

/** Width and level in HU, as radiology uses them (radiopaedia.org, 'Windowing (CT)'). */
const ofTissue = {
  brain: ['Brain', 80, 40],
  subdural: ['Subdural', 200, 75],
  'temporal-bone': ['Temporal bone', 2800, 600],
  bone: ['Bone', 1800, 400],
  lung: ['Lung', 1500, -600],
  mediastinum: ['Mediastinum', 350, 50],
  abdomen: ['Abdomen', 400, 50],
  liver: ['Liver', 150, 30],
  spine: ['Spine, soft tissue', 250, 50],
} as const;
type Tissue = keyof typeof ofTissue;

/** The maximum number of windows to offer from a file, which may name one for each slice. */
const mostFileWindows = 24;

const ctPresets = (Object.keys(ofTissue) as Tissue[]).map((id): WindowPreset => {
  const [label, width, level] = ofTissue[id];
  return { id, label, hint: `Width ${width}, level ${String(level).replace('-', '−')} HU`, group: 'ct' };
});

/** All presets, including those that do not suit a volume. */
export const windowPresets: readonly WindowPreset[] = [...ofValues, ...ctPresets];

/**
 * Whether values look like Hounsfield units: integers, signed or shifted by an intercept, that start near air (−1000;
 * scanners pad with values down to −4096) and reach beyond soft tissue.
 */
export function looksLikeCt({ info, statistics }: Windowed): boolean {
  const { type, intercept } = info;
  const ends = statistics.numbers.map((stored) => toPhysical(stored, info));
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const isSigned = type === 'i16' || type === 'i32';
  const isShifted = (type === 'u16' || type === 'u32') && intercept < 0;
  return (isSigned || isShifted) && low >= -4096 && low <= -700 && high >= 200;
}

const fileId = (index: number) => `file-${index}`;

/** The places of windows that a file may define, for commands, which must exist before a file is open. */
export const filePresets: readonly WindowPreset[] = Array.from({ length: mostFileWindows }, (_, index) => ({
  id: fileId(index),
  label: `Number ${index + 1} of the file`,
  group: 'file',
}));

/** The windows that the file and its channels define. */
function fileWindows({ channels = [], windows = [] }: VolumeInfo): readonly FileWindow[] {
  const ofChannels = channels.flatMap(({ name, window }) => (window ? [{ name, low: window[0], high: window[1] }] : []));
  const all = [...windows, ...ofChannels].filter(({ low, high }) => Number.isFinite(low) && Number.isFinite(high) && low < high);
  const text = ({ name, low, high }: FileWindow) => `${name} ${low} ${high}`;
  return all
    .filter((window, index) => all.findIndex((other) => text(other) === text(window)) === index)
    .slice(0, mostFileWindows);
}

/** The presets that make sense for a volume: the file's own windows first, then those of tissues. */
export function presetsOf(volume: Windowed): readonly WindowPreset[] {
  const unit = volume.info.valueUnit ? ` ${volume.info.valueUnit}` : '';
  const ofFile = fileWindows(volume.info).map(({ name, low, high }, index): WindowPreset => {
    const ends = [low, high].map((end) => String(Number(end.toPrecision(6))).replace('-', '−')).join(' to ');
    return { id: fileId(index), label: name || `Window ${index + 1}`, hint: `${ends}${unit}`, group: 'file' };
  });
  return [...ofValues, ...ofFile, ...(looksLikeCt(volume) ? ctPresets : [])];
}

/** The window of a preset, in stored values. */
export function presetWindow(id: string, { info, statistics }: Windowed): Window {
  if (id in ofTissue) {
    const [, width, level] = ofTissue[id as Tissue];
    return windowOf(width, level, info);
  }
  const own = fileWindows(info).find((_, index) => fileId(index) === id);
  if (own) return windowOf(own.high - own.low, (own.low + own.high) / 2, info);
  if (id === 'range') return inRealOrder(statistics.numbers, info);
  if (id === 'percentiles') return statistics.percentiles;
  return autoView(info, statistics).window;
}
