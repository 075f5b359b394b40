import type { FileWindow } from '../../../shared/volume-facts.ts';
import type { FrameGroup, SeriesFrame } from './groups.ts';
import { type SeriesVolume, suvFactorOfAll } from './series-volume.ts';

/** The second line about a series: `CT · 120 slices · 0.7 × 0.7 × 1.25 mm`, and anything unusual. */
export function detailsOf(volume: SeriesVolume, group: FrameGroup): string {
  const { info, stack, geometry } = volume;
  const slices = stack.frames[0]?.length ?? 0;
  const points = stack.frames.length;
  const { owner } = group;
  const spacing = info.spacing.slice(0, 3).map((distance) => Number(distance.toPrecision(3)));
  const parts = [
    owner.modality,
    slices === 1 ? '1 slice' : `${slices} slices`,
    points > 1 ? `${points} time points by ${stack.phase ?? 'number'}` : '',
    info.spatialUnit === 'mm' ? `${spacing.join(' × ')} mm` : '',
    owner.place.format.channels === 3 ? 'color' : '',
    owner.place.format.photometric === 'MONOCHROME1' ? 'low values are bright' : '',
    volume.isScaled ? 'each slice has its own scaling, so the voxels are physical values' : '',
    ...geometry.notes,
    stack.rest.length > 0
      ? `${stack.rest.length} ${stack.rest.length === 1 ? 'picture does' : 'pictures do'} not fit in and can be opened separately`
      : '',
    group.copies > 0 ? `${group.copies} duplicate ${group.copies === 1 ? 'file is' : 'files are'} ignored` : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

export function unitOfSeries(frames: readonly SeriesFrame[]): string | undefined {
  return suvFactorOfAll(frames) === undefined ? frames[0]?.owner.unit : 'SUVbw';
}

/** The display windows of the first file, in the volume's units. */
export function windowsOfSeries(frames: readonly SeriesFrame[]): readonly FileWindow[] {
  const factor = suvFactorOfAll(frames) ?? 1;
  return (frames[0]?.owner.windows ?? []).map(({ name, low, high }) => ({ name, low: low * factor, high: high * factor }));
}
