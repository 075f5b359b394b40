import type { JobOptions } from '../../shared/job.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { isUsableAffine } from '../common/affine.ts';
import { type ArrayAxis, guessAxes } from '../common/array-axes.ts';
import { type Attributes, numberOf, numbersOf, readAttributes, textOf, textsOf } from './h5-attributes.ts';
import { type H5Dataset, readDataset } from './h5-datasets.ts';
import type { H5File } from './h5-file.ts';
import { readBox } from './h5-grid.ts';
import { typeOf } from './h5-types.ts';

/** The facts that attributes give about one axis of a dataset. */
export interface AxisFacts {
  readonly name: string | undefined;
  /** Signed distance between neighbours, in `unit`. */
  readonly step: number | undefined;
  readonly start: number | undefined;
  readonly unit: string | undefined;
  /** Direction in the world, for MINC. Default: along its own axis. */
  readonly direction?: readonly number[] | undefined;
}

const metres: Readonly<Record<string, number>> = {
  m: 1,
  meter: 1,
  meters: 1,
  metre: 1,
  cm: 1e-2,
  mm: 1e-3,
  millimeter: 1e-3,
  millimeters: 1e-3,
  millimetre: 1e-3,
  um: 1e-6,
  µm: 1e-6,
  μm: 1e-6,
  micron: 1e-6,
  microns: 1e-6,
  micrometer: 1e-6,
  micrometers: 1e-6,
  micrometre: 1e-6,
  nm: 1e-9,
  nanometer: 1e-9,
  nanometers: 1e-9,
  angstrom: 1e-10,
  angstroms: 1e-10,
  a: 1e-10,
};
const seconds: Readonly<Record<string, number>> = {
  s: 1,
  sec: 1,
  second: 1,
  seconds: 1,
  ms: 1e-3,
  millisecond: 1e-3,
  milliseconds: 1e-3,
  us: 1e-6,
  min: 60,
  minutes: 60,
  hours: 3600,
};

const unknownAxis: AxisFacts = { name: undefined, step: undefined, start: undefined, unit: undefined };

/**
 * Reads the axes according to several conventions: `element_size_um` (ilastik and others), MINC's dimensions, NeXus's `axes` and
 * netCDF's dimension scales.
 */
export async function readAxisFacts(
  file: H5File,
  { path, shape }: H5Dataset,
  attributes: Attributes,
  job: JobOptions,
): Promise<readonly AxisFacts[]> {
  const group = path.slice(0, path.lastIndexOf('/')) || '/';
  const sizes = numbersOf(attributes.get('element_size_um'));
  if (sizes !== undefined && sizes.length <= shape.length && sizes.length >= 2) {
    // A last axis of colours has no size.
    const axes = guessAxes(shape);
    const spatial = [...shape.keys()].filter((axis) => ['x', 'y', 'z'].includes(axes[axis] ?? ''));
    const first = spatial.length === sizes.length ? (spatial[0] ?? 0) : shape.length - sizes.length;
    return shape.map((_, axis) => {
      const step = sizes[axis - first];
      return step === undefined ? unknownAxis : { ...unknownAxis, step, unit: 'um' };
    });
  }
  const order = textOf(attributes.get('dimorder'))?.split(',');
  if (order?.length === shape.length) {
    return eachAxis(order, async (name) => mincAxis(name, await readAttributes(file, `/minc-2.0/dimensions/${name}`, job)));
  }
  const nexus = textsOf((await readAttributes(file, group, job)).get('axes')) ?? textsOf(attributes.get('axes'));
  if (nexus?.length === shape.length) {
    return eachAxis(nexus, async (name) => (name === '.' ? unknownAxis : scaleFacts(file, `${group}/${name}`, name, job)));
  }
  const dimensions = [...shape.keys()];
  return eachAxis(dimensions, async (axis) => {
    const scales = await file.call(({ module }) => module.get_attached_scales(file.id, path, axis), job, path).catch(() => []);
    const [scale] = scales;
    if (scale !== undefined) return scaleFacts(file, scale, scale.slice(scale.lastIndexOf('/') + 1), job);
    const labels = await file.call(({ module }) => module.get_dimension_labels(file.id, path), job, path).catch(() => []);
    return { ...unknownAxis, name: labels[axis] ?? undefined };
  });
}

async function eachAxis<T>(items: readonly T[], facts: (item: T) => Promise<AxisFacts>): Promise<readonly AxisFacts[]> {
  const all: AxisFacts[] = [];
  for (const item of items) all.push(await facts(item));
  return all;
}

function mincAxis(name: string, attributes: Attributes): AxisFacts {
  const [step, start] = [numberOf(attributes.get('step')), numberOf(attributes.get('start'))];
  const direction = numbersOf(attributes.get('direction_cosines'));
  return { name, step, start, unit: textOf(attributes.get('units')) ?? 'mm', direction };
}

/** Reads a dataset of coordinates. The first two are enough, because they are evenly spaced. */
async function scaleFacts(file: H5File, path: string, name: string, job: JobOptions): Promise<AxisFacts> {
  const scale = await readDataset(file, path.replace(/\/+/g, '/'), job).catch(() => undefined);
  const type = scale && typeOf(scale.metadata);
  if (scale === undefined || type === undefined) return { ...unknownAxis, name };
  const unit = textOf((await readAttributes(file, scale.path, job)).get('units'));
  const isList = scale.shape.length === 1 && (scale.shape[0] ?? 0) >= 2 && scale.problem === undefined;
  if (!isList) return { ...unknownAxis, name, unit };
  const [first = 0, second = 0] = await readBox(file, scale, type, [0], [2], job).catch(() => []);
  const step = second - first;
  return {
    name,
    unit,
    step: Number.isFinite(step) && step !== 0 ? step : undefined,
    start: Number.isFinite(first) ? first : undefined,
  };
}

/** The meaning of the axes: by their names, or else by their number. */
export function axesOf(shape: readonly number[], facts: readonly AxisFacts[]): readonly ArrayAxis[] {
  return guessAxes(
    shape,
    facts.map(({ name }) => name),
  );
}

type Geometry = Pick<VolumeInfo, 'spacing' | 'spatialUnit' | 'timeUnit' | 'affine'>;

/** Spacing, units and origin. If a unit is missing or is not a length, the numbers are used as they are. */
export function geometryOf(axes: readonly ArrayAxis[], facts: readonly AxisFacts[]): Geometry {
  const of = (axis: ArrayAxis) => facts[axes.indexOf(axis)] ?? unknownAxis;
  const spatial = [of('x'), of('y'), of('z')];
  const factors = spatial.map(({ unit }) => metres[unit?.toLowerCase() ?? '']);
  const known = factors.filter((factor) => factor !== undefined);
  const present = (['x', 'y', 'z'] as const).filter((axis) => axes.includes(axis)).length;
  const largest = Math.max(...known);
  const spatialUnit = known.length < present || present === 0 ? 'unknown' : largest >= 1 ? 'm' : largest >= 1e-3 ? 'mm' : 'um';
  const scale = (index: number) => {
    const factor = factors[index];
    return spatialUnit === 'unknown' || factor === undefined ? 1 : factor / { m: 1, mm: 1e-3, um: 1e-6 }[spatialUnit];
  };
  // Rounded to 12 digits, so that 0.5 nm becomes 0.0005 µm, not 0.0005000000000000001.
  const scaled = (value: number, index: number) => (scale(index) === 1 ? value : Number((value * scale(index)).toPrecision(12)));
  const steps = spatial.map(({ step }, index) => scaled(step ?? 1, index) || 1);
  const starts = spatial.map(({ start }, index) => scaled(start ?? 0, index));
  const own = spatial.map(({ direction }, axis) =>
    direction?.length === 3 ? direction : [0, 1, 2].map((row) => (row === axis ? 1 : 0)),
  );
  const affine = affineOf(steps, starts, own);
  const plain = affineOf(steps, starts, [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]);
  const time = of('t');
  const second = seconds[time.unit?.toLowerCase() ?? ''];
  const timeUnit = second === undefined ? 'unknown' : second >= 1 ? 's' : second >= 1e-3 ? 'ms' : 'us';
  const timeStep =
    Math.abs(time.step ?? 1) * (second === undefined ? 1 : second / { s: 1, ms: 1e-3, us: 1e-6, unknown: 1 }[timeUnit]);
  const [x = 1, y = 1, z = 1] = steps.map(Math.abs);
  return { spacing: [x, y, z, timeStep || 1], spatialUnit, timeUnit, affine: isUsableAffine(affine) ? affine : plain };
}

/** @param directions of x, y and z. In MINC, steps and starts are distances along them. */
function affineOf(
  steps: readonly number[],
  starts: readonly number[],
  directions: readonly (readonly number[])[],
): readonly number[] {
  return [0, 1, 2].flatMap((row) => {
    const parts = directions.map((direction) => direction[row] as number);
    const origin = parts.reduce((sum, part, axis) => sum + part * (starts[axis] as number), 0);
    // Adding 0 turns −0 into 0.
    return [...parts.map((part, axis) => part * (steps[axis] as number) + 0), origin];
  });
}
