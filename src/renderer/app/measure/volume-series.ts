import { csvText } from '../../../core/shared/csv.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { shownLayers } from '../../viewer/model/layer-place.ts';
import type { LayerStack } from '../../viewer/model/layers.ts';
import type { ShownLayer } from '../../viewer/model/view-host.ts';
import type { ProfileSeries } from '../state/profile-state.ts';

/** The volumes whose values are shown: the open one, and layers by id. */
export interface MeasuredVolumes {
  readonly base: () => VolumeSource | undefined;
  readonly layer: (id: string) => VolumeSource | undefined;
}

/** The shown image layers, the lowest first. Labels have no values to plot. */
export function shownImages(base: VolumeInfo, stack: LayerStack, layer: MeasuredVolumes['layer']): readonly ShownLayer[] {
  return shownLayers(base, stack, layer).filter(({ look }) => look.colormap !== 'labels');
}

/** The real value of a stored value; null for a missing value. */
export function realValue(stored: number, { slope, intercept }: VolumeInfo): number | null {
  return Number.isFinite(stored) ? slope * stored + intercept : null;
}

/** One line for each place: the place itself, then the value of each volume; empty where there is none. */
export function seriesCsv(placeName: string, places: readonly number[], series: readonly ProfileSeries[]): string {
  const heads = series.map(({ name, unit }) => (unit ? `${name} (${unit})` : name));
  const rows = places.map((place, at) => [String(place), ...series.map(({ values }) => String(values[at] ?? ''))]);
  return csvText([[placeName, ...heads], ...rows]);
}
