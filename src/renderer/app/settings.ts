import type { CodecOptions } from '../../core/codecs/codec.ts';
import { atEnds, type ClockSettings, clampRate, paces, rates } from '../playback/frame-clock.ts';
import type { Layout } from '../viewer/viewer-api.ts';

export type Theme = 'system' | 'light' | 'dark';
export const inspectorSections = ['volume', 'display', 'measurements', 'compression', 'gpu'] as const;
export type InspectorSection = (typeof inspectorSections)[number];

/** What Stria remembers between starts. */
export interface Settings {
  readonly theme: Theme;
  readonly layout: Layout;
  readonly inspectorOpen: boolean;
  /** In CSS pixels. */
  readonly inspectorWidth: number;
  readonly foldedSections: readonly InspectorSection[];
  /** A codec's name, or 'auto'. */
  readonly codec: string;
  readonly axis: CodecOptions['axis'];
  readonly playback: ClockSettings;
}

export const inspectorWidths = { min: 280, default: 320, max: 560 } as const;

export const defaultSettings: Settings = {
  theme: 'system',
  layout: 'quad',
  inspectorOpen: true,
  inspectorWidth: inspectorWidths.default,
  foldedSections: ['gpu'],
  codec: 'auto',
  axis: 'auto',
  playback: { rate: rates.default, pace: 'hold', atEnd: 'loop' },
};

const key = 'stria.settings';
const themes: readonly Theme[] = ['system', 'light', 'dark'];
const layouts: readonly Layout[] = ['3d', 'slice', 'slices', 'quad'];
const axes: readonly CodecOptions['axis'][] = ['auto', 'x', 'y', 'z'];

export type SettingsStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** The stored settings; what is missing or makes no sense is the default. */
export function readSettings(storage: SettingsStorage | undefined): Settings {
  let stored: Partial<Record<keyof Settings, unknown>> = {};
  try {
    const parsed: unknown = JSON.parse(storage?.getItem(key) ?? '{}');
    if (typeof parsed === 'object' && parsed !== null) stored = parsed;
  } catch {
    // Damaged or forbidden storage: the defaults do.
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
    foldedSections: inspectorSections.filter((section) => folded.includes(section)),
    codec: typeof stored.codec === 'string' ? stored.codec : defaultSettings.codec,
    axis: one(axes, stored.axis, defaultSettings.axis),
    playback: {
      rate: typeof playback.rate === 'number' ? clampRate(playback.rate) : defaultSettings.playback.rate,
      pace: one(paces, playback.pace, defaultSettings.playback.pace),
      atEnd: one(atEnds, playback.atEnd, defaultSettings.playback.atEnd),
    },
  };
}

export function writeSettings(storage: SettingsStorage | undefined, settings: Settings): void {
  try {
    storage?.setItem(key, JSON.stringify(settings));
  } catch {
    // A full or forbidden storage costs the memory of a fold, nothing more.
  }
}

export function clampInspectorWidth(width: number): number {
  const whole = Number.isFinite(width) ? Math.round(width) : inspectorWidths.default;
  return Math.min(inspectorWidths.max, Math.max(inspectorWidths.min, whole));
}
