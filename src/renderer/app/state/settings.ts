import { type CodecOptions, type Preference, preferences } from '../../../core/codec/codec.ts';
import { chainNames } from '../../../core/codecs/registry.ts';
import { type ByteUnits, byteUnitNames } from '../../../core/shared/amounts.ts';
import { atEnds, type ClockSettings, clampRate, paces, rates } from '../../playback/frame-clock.ts';
import { type Ground, groundNames } from '../../viewer/colors/grounds.ts';
import type { Layout } from '../../viewer/model/viewer-api.ts';
import { type LengthUnits, lengthUnitNames } from '../words/units.ts';
import { type BrickMebibytes, checkedBrickMiB, defaultBrickMiB } from './brick-budgets.ts';
import { checkedTunings, type KeptTunings } from './gpu-tuning.ts';

export type Theme = 'system' | 'light' | 'dark';
/** Collapsible parts of the inspector: compression as a whole, and the details of its result. */
export const inspectorSections = ['compression', 'details'] as const;
export type InspectorSection = (typeof inspectorSections)[number];
export const inspectorTabs = ['display', 'layers', 'measure', 'volume', 'gpu'] as const;
export type InspectorTab = (typeof inspectorTabs)[number];

/** Settings that are kept between starts. */
export interface Settings {
  readonly theme: Theme;
  readonly layout: Layout;
  readonly inspectorOpen: boolean;
  /** The inspector's width in CSS pixels. */
  readonly inspectorWidth: number;
  readonly inspectorTab: InspectorTab;
  readonly foldedSections: readonly InspectorSection[];
  /** Whether the histogram's counts are logarithmic. */
  readonly logCounts: boolean;
  /** The name of a codec or chain, or 'auto'. */
  readonly codec: string;
  readonly axis: CodecOptions['axis'];
  /** What 'auto' prefers. */
  readonly prefer: Preference;
  readonly effort: Effort;
  readonly playback: ClockSettings;
  readonly lengthUnits: LengthUnits;
  readonly byteUnits: ByteUnits;
  /** Limit of GPU memory for volumes, in MiB; 'auto' depends on the device. */
  readonly gpuBudgetMiB: number | 'auto';
  /** Limits of memory for bricks of larger volumes. */
  readonly brickMiB: BrickMebibytes;
  /** What opening a file does while a volume is open: it asks, or replaces the volume. */
  readonly openingSecond: OpeningSecond;
  /** Background of the viewports. */
  readonly ground: Ground;
  /** Workgroup sizes of kernels, as tuned in the Lab. */
  readonly tunings: KeptTunings;
  /** The sample and the hints of the first start were shown. */
  readonly introduced: boolean;
}

export const openingsSecond = ['ask', 'replace'] as const;
export type OpeningSecond = (typeof openingsSecond)[number];
export type Effort = NonNullable<CodecOptions['effort']>;

/** In whole MiB. Less than the minimum is useless, and no GPU has more than the maximum. */
export const gpuBudgets = { min: 64, default: 2048, max: 262_144 } as const;

export const inspectorWidths = { min: 280, default: 320, max: 560 } as const;

export const defaultSettings: Settings = {
  theme: 'system',
  layout: 'quad',
  inspectorOpen: true,
  inspectorWidth: inspectorWidths.default,
  inspectorTab: 'display',
  foldedSections: ['details'],
  logCounts: true,
  codec: 'auto',
  axis: 'auto',
  prefer: 'balanced',
  effort: 'normal',
  playback: { rate: rates.default, pace: 'hold', atEnd: 'loop' },
  lengthUnits: 'file',
  byteUnits: 'binary',
  gpuBudgetMiB: 'auto',
  brickMiB: defaultBrickMiB,
  openingSecond: 'ask',
  ground: 'near-black',
  tunings: {},
  introduced: false,
};

const key = 'stria.settings';
const themes: readonly Theme[] = ['system', 'light', 'dark'];
const layouts: readonly Layout[] = ['3d', 'slice', 'slices', 'quad', 'oblique'];
const efforts: readonly Effort[] = ['normal', 'max'];
const axes: readonly CodecOptions['axis'][] = ['auto', 'x', 'y', 'z'];

export type SettingsStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** The stored settings. Missing or invalid ones get their defaults. */
export function readSettings(storage: SettingsStorage | undefined): Settings {
  let stored: Partial<Record<keyof Settings, unknown>> = {};
  /** Whether Stria was used before: older versions have stored settings without `introduced`. */
  let isKnown = false;
  try {
    const parsed: unknown = JSON.parse(storage?.getItem(key) ?? '{}');
    if (typeof parsed === 'object' && parsed !== null) stored = parsed;
    isKnown = Object.keys(stored).length > 0;
  } catch {
    // Damaged or forbidden storage: use the defaults.
  }
  const one = <T>(options: readonly T[], value: unknown, fallback: T): T =>
    options.includes(value as T) ? (value as T) : fallback;
  const playback = (stored.playback ?? {}) as Partial<Record<keyof ClockSettings, unknown>>;
  const folded = Array.isArray(stored.foldedSections) ? stored.foldedSections : defaultSettings.foldedSections;
  return {
    theme: one(themes, stored.theme, defaultSettings.theme),
    layout: one(layouts, stored.layout, defaultSettings.layout),
    inspectorOpen: one([true, false], stored.inspectorOpen, defaultSettings.inspectorOpen),
    inspectorWidth: clampInspectorWidth(
      typeof stored.inspectorWidth === 'number' ? stored.inspectorWidth : defaultSettings.inspectorWidth,
    ),
    openingSecond: one(openingsSecond, stored.openingSecond, defaultSettings.openingSecond),
    inspectorTab: one(inspectorTabs, stored.inspectorTab, defaultSettings.inspectorTab),
    foldedSections: inspectorSections.filter((section) => folded.includes(section)),
    logCounts: one([true, false], stored.logCounts, defaultSettings.logCounts),
    codec: one(['auto', ...chainNames()], stored.codec, defaultSettings.codec),
    axis: one(axes, stored.axis, defaultSettings.axis),
    prefer: one(preferences, stored.prefer, defaultSettings.prefer),
    effort: one(efforts, stored.effort, defaultSettings.effort),
    playback: {
      rate: typeof playback.rate === 'number' ? clampRate(playback.rate) : defaultSettings.playback.rate,
      pace: one(paces, playback.pace, defaultSettings.playback.pace),
      atEnd: one(atEnds, playback.atEnd, defaultSettings.playback.atEnd),
    },
    lengthUnits: one(lengthUnitNames, stored.lengthUnits, defaultSettings.lengthUnits),
    byteUnits: one(byteUnitNames, stored.byteUnits, defaultSettings.byteUnits),
    gpuBudgetMiB: typeof stored.gpuBudgetMiB === 'number' ? clampGpuBudget(stored.gpuBudgetMiB) : defaultSettings.gpuBudgetMiB,
    brickMiB: checkedBrickMiB(stored.brickMiB),
    ground: one(groundNames, stored.ground, defaultSettings.ground),
    tunings: checkedTunings(stored.tunings),
    introduced: one([true, false], stored.introduced, isKnown),
  };
}

export function writeSettings(storage: SettingsStorage | undefined, settings: Settings): void {
  try {
    storage?.setItem(key, JSON.stringify(settings));
  } catch {
    // If the storage is full or forbidden, settings are not kept.
  }
}

/** A budget within `gpuBudgets`, in whole MiB. */
export function clampGpuBudget(mebibytes: number): number {
  const whole = Number.isFinite(mebibytes) ? Math.round(mebibytes) : gpuBudgets.default;
  return Math.min(gpuBudgets.max, Math.max(gpuBudgets.min, whole));
}

export function clampInspectorWidth(width: number): number {
  const whole = Number.isFinite(width) ? Math.round(width) : inspectorWidths.default;
  return Math.min(inspectorWidths.max, Math.max(inspectorWidths.min, whole));
}
