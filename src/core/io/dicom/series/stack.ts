import { cross, dot, unitVector, type Vector3 } from '../../../shared/vectors.ts';
import { phaseNames } from './frame-facts.ts';
import type { FrameGroup, SeriesFrame } from './groups.ts';

/** Frames in a grid of slices and time points. */
export interface SliceStack {
  /** Indexed by time point, then by slice. */
  readonly frames: readonly (readonly SeriesFrame[])[];
  /** What distinguishes the time points, for display. Undefined if there is only one. */
  readonly phase: string | undefined;
  /** Frames that do not fit in. */
  readonly rest: readonly SeriesFrame[];
}

/** Orders the frames of a group, which has at least one. */
export function stackOf({ owner, frames }: Pick<FrameGroup, 'owner' | 'frames'>): SliceStack {
  const places = placesOf(frames);
  if (places === undefined) return unplaced(frames, owner.isFilm && frames.length > 1);
  const count = pointsPerPlace(places.map(({ length }) => length));
  const whole = places.filter(({ length }) => length >= count);
  const rest = places.filter(({ length }) => length < count).flat();
  if (count === 1 && whole.every(({ length }) => length === 1)) {
    return { frames: [whole.map(([only]) => only as SeriesFrame)], phase: undefined, rest };
  }
  const { phase, compare } = orderOf(whole);
  const columns = whole.map((place) => [...place].sort(compare));
  const points = Array.from({ length: count }, (_, point) => columns.map((column) => column[point] as SeriesFrame));
  return {
    frames: points,
    phase: count > 1 ? phase : undefined,
    rest: [...rest, ...columns.flatMap((column) => column.slice(count))],
  };
}

/** Frames without positions, ordered by number: films along time, all others as slices. */
function unplaced(frames: readonly SeriesFrame[], isFilm: boolean): SliceStack {
  const sorted = [...frames].sort(byNumber);
  return { frames: isFilm ? sorted.map((frame) => [frame]) : [sorted], phase: isFilm ? 'time' : undefined, rest: [] };
}

function byNumber(a: SeriesFrame, b: SeriesFrame): number {
  const paths = a.owner.file.path < b.owner.file.path ? -1 : a.owner.file.path > b.owner.file.path ? 1 : 0;
  return a.order - b.order || paths || a.index - b.index;
}

/** The direction perpendicular to the slices. */
export function normalOf({ orientation }: SeriesFrame): Vector3 | undefined {
  return orientation && unitVector(cross(...orientation));
}

/** Frames grouped by position along the normal; undefined if some have no position. */
function placesOf(frames: readonly SeriesFrame[]): SeriesFrame[][] | undefined {
  const normal = frames[0] && normalOf(frames[0]);
  if (normal === undefined) return undefined;
  const placed: { frame: SeriesFrame; at: number }[] = [];
  for (const frame of frames) {
    if (frame.position === undefined) return undefined;
    placed.push({ frame, at: dot(frame.position, normal) });
  }
  placed.sort((a, b) => a.at - b.at || byNumber(a.frame, b.frame));
  const range = (placed.at(-1)?.at ?? 0) - (placed[0]?.at ?? 0);
  // Positions have few decimals, but slices from microscopes are closer together than that.
  const tolerance = Math.min(0.01, (0.05 * range) / Math.max(1, placed.length - 1));
  const places: SeriesFrame[][] = [];
  let begin = Number.NEGATIVE_INFINITY;
  for (const { frame, at } of placed) {
    if (at - begin > tolerance || places.length === 0) {
      places.push([]);
      begin = at;
    }
    places.at(-1)?.push(frame);
  }
  return places;
}

/** The number of time points that keeps the most frames if some positions have fewer than others. */
function pointsPerPlace(counts: readonly number[]): number {
  let best = 1;
  let kept = 0;
  for (const count of new Set(counts)) {
    const frames = count * counts.filter((other) => other >= count).length;
    if (frames > kept || (frames === kept && count < best)) [best, kept] = [count, frames];
  }
  return best;
}

/** What distinguishes frames at the same position, consistently at all positions; otherwise acquisition time or number. */
function orderOf(places: readonly (readonly SeriesFrame[])[]): {
  phase: string;
  compare(a: SeriesFrame, b: SeriesFrame): number;
} {
  const varying = phaseNames.flatMap((_, phase) => (variesAlike(places, phase) ? [phase] : []));
  const used: number[] = [];
  // Uses no more phases than needed, so that phases that only vary along with others are not named.
  for (const phase of varying) {
    if (isDistinct(places, used)) break;
    used.push(phase);
  }
  if (used.length > 0 && isDistinct(places, used)) {
    const name = used.map((phase) => phaseNames[phase]).join(' and ');
    return { phase: name, compare: (a, b) => comparePhases(a, b, used) || byNumber(a, b) };
  }
  const isTimed = places.every((place) => new Set(place.map(({ acquired }) => acquired)).size === place.length);
  return { phase: 'time', compare: (a, b) => (isTimed ? (a.acquired ?? 0) - (b.acquired ?? 0) : 0) || byNumber(a, b) };
}

/** Whether a phase has several values, the same ones at each position. */
function variesAlike(places: readonly (readonly SeriesFrame[])[], phase: number): boolean {
  const valuesOf = (place: readonly SeriesFrame[]) =>
    [...new Set(place.map(({ phases }) => String(phases[phase])))].sort().join('|');
  const first = valuesOf(places[0] ?? []);
  return first.includes('|') && places.every((place) => valuesOf(place) === first);
}

function isDistinct(places: readonly (readonly SeriesFrame[])[], used: readonly number[]): boolean {
  return places.every(
    (place) => new Set(place.map(({ phases }) => used.map((phase) => phases[phase]).join('|'))).size === place.length,
  );
}

function comparePhases(a: SeriesFrame, b: SeriesFrame, used: readonly number[]): number {
  for (const phase of used) {
    const [left, right] = [a.phases[phase], b.phases[phase]];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    // Frames without a value come first, such as a picture without diffusion weighting.
    return left === undefined ? -1 : right === undefined ? 1 : String(left) < String(right) ? -1 : 1;
  }
  return 0;
}
