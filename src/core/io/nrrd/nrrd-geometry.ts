import { StriaError } from '../../shared/errors.ts';
import { cross, unitVector, type Vector3, vectorLength } from '../../shared/vectors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { affineFromColumns, diagonalAffine, isUsableAffine } from '../common/affine.ts';
import { checkedSpacing } from '../common/streamed-volume.ts';
import type { NrrdText } from './nrrd-text.ts';

type Geometry = Pick<VolumeInfo, 'spacing' | 'spatialUnit' | 'timeUnit' | 'affine'>;

/** The signs that turn a space's axes into right, anterior, superior, and the number of its axes. Source: NRRD, 'space'. */
const spaces: ReadonlyMap<string, Space> = new Map([
  ...spellings(['right-anterior-superior', 'RAS', 'RAST'], [1, 1, 1]),
  ...spellings(['left-anterior-superior', 'LAS', 'LAST'], [-1, 1, 1]),
  ...spellings(['left-posterior-superior', 'LPS', 'LPST'], [-1, -1, 1]),
  // These do not relate to a patient, so their axes are taken as the world's axes.
  ...spellings(['scanner-xyz'], [1, 1, 1], false),
  ...spellings(['3D-right-handed'], [1, 1, 1], false),
  ...spellings(['3D-left-handed'], [1, 1, 1], false),
]);

interface Space {
  readonly toRas: Vector3;
  readonly axes: number;
  /** Whether the axes are those of a patient. */
  readonly isPatient: boolean;
}

/** A space's names in lower case, with and without time. */
function spellings(
  [name = '', short = name, shortWithTime = `${name}-time`]: readonly string[],
  toRas: Vector3,
  isPatient = true,
): [string, Space][] {
  const still: Space = { toRas, axes: 3, isPatient };
  const withTime: Space = { toRas, axes: 4, isPatient };
  return [
    [name.toLowerCase(), still],
    [short.toLowerCase(), still],
    [`${name}-time`.toLowerCase(), withTime],
    [shortWithTime.toLowerCase(), withTime],
  ];
}

/**
 * Spacing, units and affine of a header, in RAS+.
 * @param lengths the length of each axis
 * @param timeAxis the axis that is t, if any; the others are x, y and z
 * @throws StriaError `corrupt`, `unsupported`
 */
export function nrrdGeometry(text: NrrdText, lengths: readonly number[], timeAxis: number | undefined): Geometry {
  const dimension = lengths.length;
  const field = (name: string) => text.fields.get(name)?.value;
  const spaceName = field('space')?.toLowerCase();
  const space = spaceName === undefined ? undefined : spaces.get(spaceName);
  if (spaceName !== undefined && space === undefined) {
    throw new StriaError('unsupported', `NRRD does not define the space '${spaceName.slice(0, 60)}'`);
  }
  const toRas: Vector3 = space?.toRas ?? [1, 1, 1];
  const spaceAxes = space?.axes ?? spaceDimension(field('spacedimension'));

  const directions = perAxis(vectors(field('spacedirections'), spaceAxes), dimension, 'space directions');
  const ranges = axisRanges(text, lengths);
  const spacings = ranges.map(({ spacing }) => spacing);
  const spaceOrigin = vectors(field('spaceorigin'), spaceAxes)?.[0];
  const origin = spaceAxes === undefined ? startOf(ranges.slice(0, timeAxis)) : spaceOrigin;
  const spatialAxes = timeAxis ?? dimension;
  const columns = directions.slice(0, spatialAxes).map((direction) => direction && spatialPart(direction, toRas));
  const distances = [0, 1, 2].map((axis) => {
    if (axis >= spatialAxes) return 1;
    const column = columns[axis];
    return checkedSpacing(column === undefined ? spacings[axis] : vectorLength(column));
  });
  // As in ITK, a negative spacing reverses the axis.
  const steps = distances.map((distance, axis) => (axis < spatialAxes && (spacings[axis] ?? 1) < 0 ? -distance : distance));
  const timeStep = timeAxis === undefined ? undefined : (directions[timeAxis]?.[3] ?? spacings[timeAxis]);
  const [dx = 1, dy = 1, dz = 1] = distances;
  return {
    spacing: [dx, dy, dz, checkedSpacing(timeStep)],
    ...units(text, spatialAxes, timeAxis, space?.isPatient ?? false),
    affine: affineOf(columns, steps, origin === undefined ? [0, 0, 0] : spatialPart(origin, toRas), toRas),
  };
}

interface AxisRange {
  readonly spacing: number | undefined;
  /** The position of the first sample. */
  readonly start: number | undefined;
}

/**
 * What `spacings`, `axis mins` and `axis maxs` say of each axis. Minimum and maximum are the outer borders of the first and last
 * sample, or the samples themselves if the axis is centered on nodes. As in ITK, an axis without a centering has cells.
 */
function axisRanges(text: NrrdText, lengths: readonly number[]): readonly AxisRange[] {
  const numbers = (name: string, words: string) =>
    perAxis(text.fields.get(name)?.value.split(/\s+/).map(Number), lengths.length, words);
  const spacings = numbers('spacings', 'spacings');
  const [mins, maxs] = [numbers('axismins', 'axis mins'), numbers('axismaxs', 'axis maxs')];
  const centerings = (text.fields.get('centerings') ?? text.fields.get('centers'))?.value.toLowerCase().split(/\s+/) ?? [];
  return lengths.map((length, axis) => {
    const [given, min, max] = [spacings, mins, maxs].map((values) => (Number.isFinite(values[axis]) ? values[axis] : undefined));
    const isNode = centerings[axis] === 'node';
    const derived = min === undefined || max === undefined ? undefined : (max - min) / (isNode ? length - 1 : length);
    const spacing = given ?? derived;
    const start = min === undefined || isNode ? min : min + (spacing ?? 1) / 2;
    return { spacing, start };
  });
}

/** The position of the first voxel, if it is known along each axis. */
function startOf(ranges: readonly AxisRange[]): number[] | undefined {
  const starts = ranges.map(({ start }) => start).filter((start) => start !== undefined);
  return starts.length === ranges.length ? starts : undefined;
}

function spaceDimension(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-4]$/.test(value))
    throw new StriaError('unsupported', `a space of dimension '${value.slice(0, 60)}' is not supported; Stria reads 1 to 4`);
  return Number(value);
}

/** `(1,0,0) none (0,0,2.5)`. */
function vectors(value: string | undefined, length: number | undefined): (number[] | undefined)[] | undefined {
  if (value === undefined) return undefined;
  if (length === undefined)
    throw new StriaError('corrupt', "the NRRD header has vectors, but neither 'space' nor 'space dimension'");
  const vector = /none|\([^)]*\)/gi;
  if (value.replace(vector, '').trim() !== '') {
    throw new StriaError('corrupt', `the NRRD header has malformed vectors: ${value.slice(0, 60)}`);
  }
  const words = value.match(vector) ?? [];
  return words.map((word) => {
    if (word.toLowerCase() === 'none') return undefined;
    const numbers = word.slice(1, -1).split(',').map(Number);
    if (numbers.length !== length) {
      throw new StriaError(
        'corrupt',
        `the vector ${word.slice(0, 60)} in the NRRD header does not have the space's ${length} numbers`,
      );
    }
    return numbers.every(Number.isFinite) ? numbers : undefined;
  });
}

function perAxis<Value>(values: readonly Value[] | undefined, dimension: number, name: string): readonly Value[] {
  if (values === undefined) return [];
  if (values.length !== dimension) {
    throw new StriaError('corrupt', `the NRRD header has ${dimension} axes, but ${values.length} ${name}`);
  }
  return values;
}

function spatialPart(vector: readonly number[], toRas: Vector3): Vector3 {
  const [x = 0, y = 0, z = 0] = vector;
  return [x * toRas[0], y * toRas[1], z * toRas[2]];
}

/** Fills in axes without a direction: the third axis of a slice is perpendicular to it, all others follow the space's axes. */
function affineOf(
  columns: readonly (Vector3 | undefined)[],
  steps: readonly number[],
  origin: Vector3,
  toRas: Vector3,
): readonly number[] {
  const along = (axis: number): Vector3 => {
    const step = (steps[axis] ?? 1) * (toRas[axis] ?? 1);
    return [axis === 0 ? step : 0, axis === 1 ? step : 0, axis === 2 ? step : 0];
  };
  const x = columns[0] ?? along(0);
  const y = columns[1] ?? along(1);
  const upright = columns[0] !== undefined && columns[1] !== undefined ? unitVector(cross(x, y)) : along(2);
  const affine = affineFromColumns([x, y, columns[2] ?? upright], origin);
  return isUsableAffine(affine) ? affine : diagonalAffine(steps);
}

const spatialUnits: Record<VolumeInfo['spatialUnit'], readonly string[]> = {
  m: ['m', 'meter', 'meters', 'metre', 'metres'],
  mm: ['mm', 'millimeter', 'millimeters', 'millimetre', 'millimetres'],
  um: ['um', 'µm', 'μm', 'micron', 'microns', 'micrometer', 'micrometers', 'micrometre', 'micrometres'],
  unknown: [],
};
const timeUnits: Record<VolumeInfo['timeUnit'], readonly string[]> = {
  s: ['s', 'sec', 'second', 'seconds'],
  ms: ['ms', 'msec', 'millisecond', 'milliseconds'],
  us: ['us', 'µs', 'μs', 'usec', 'microsecond', 'microseconds'],
  unknown: [],
};

/**
 * `space units` refer to the space's axes, `units` to the volume's. Axes with different units have none. ITK and 3D Slicer write no
 * units, and mean millimetres in a patient's space.
 */
function units(
  text: NrrdText,
  spatialAxes: number,
  timeAxis: number | undefined,
  isPatient: boolean,
): Pick<Geometry, 'spatialUnit' | 'timeUnit'> {
  const ofSpace = quoted(text.fields.get('spaceunits')?.value);
  const ofAxes = quoted(text.fields.get('units')?.value);
  const spatial = (ofSpace.length > 0 ? ofSpace.slice(0, 3) : ofAxes.slice(0, spatialAxes)).map((name) =>
    unitNamed(spatialUnits, name),
  );
  const time = timeAxis === undefined ? undefined : ofAxes[timeAxis] || ofSpace[3];
  const unstated = isPatient && !text.fields.has('spaceunits') && !text.fields.has('units') ? 'mm' : 'unknown';
  return {
    spatialUnit: spatial.every((unit) => unit === spatial[0]) ? (spatial[0] ?? unstated) : 'unknown',
    timeUnit: time === undefined ? 'unknown' : unitNamed(timeUnits, time),
  };
}

function quoted(value: string | undefined): string[] {
  return [...(value ?? '').matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
}

function unitNamed<Unit extends string>(names: Record<Unit, readonly string[]>, name: string): Unit | 'unknown' {
  const plain = name.trim().toLowerCase();
  return (Object.keys(names) as Unit[]).find((unit) => names[unit].includes(plain)) ?? 'unknown';
}
