import { scaled, sum } from '../shared/vectors.ts';
import { type Dims3, typedVoxels } from '../shared/volume.ts';
import type { LeveledVoxels } from '../shared/volume-level.ts';
import type { VolumeSource } from '../volume/volume-source.ts';
import { voxelKey } from '../volume/voxel-key.ts';
import { type SlabKind, storedKind } from './slab-plane.ts';

/** Points at equal distances on a line, both ends included, as voxel positions of a volume. */
export interface LineSamples {
  readonly from: Dims3;
  readonly to: Dims3;
  /** The number of points, at least 2. */
  readonly count: number;
  /** Interpolate between voxels. */
  readonly smooth: boolean;
  /** If the line lies in a thick slice: each sample is projected through the slab's slices. */
  readonly slab?: LineSlab | undefined;
}

export interface LineSlab {
  readonly kind: SlabKind;
  /** The step from slice to slice: in slice n the line runs from `from` + n × across to `to` + n × across. */
  readonly across: Dims3;
  readonly slices: readonly [first: number, last: number];
}

/** Consecutive samples are read together if their voxels lie in a box with sides of at most this length. */
const boxSide = 64;
/** Smaller weights do not count, as in layer-slab.wgsl. */
const leastWeight = 1e-3;

/** A sample's position and the voxels that it needs. */
interface Sample {
  readonly number: number;
  readonly position: Dims3;
  readonly low: Dims3;
  readonly high: Dims3;
}

/**
 * Like `sampleLine`, but reads the voxels from the file at full resolution. It reads only boxes along the line, one after another.
 * @throws StriaError as `LeveledVoxels.read`
 */
export async function sampleLineOfFile(
  volume: Pick<VolumeSource, 'info' | 'numbers'>,
  file: Pick<LeveledVoxels, 'read'>,
  timePoint: number,
  { slab, ...line }: LineSamples,
): Promise<Float32Array> {
  if (!slab) return sampleThinLine(volume, file, timePoint, line);
  const kind = storedKind(slab.kind, volume.info.slope);
  const projected = new Float32Array(line.count).fill(Number.NaN);
  const counts = new Uint32Array(line.count);
  for (let slice = slab.slices[0]; slice <= slab.slices[1]; slice++) {
    const step = scaled(slab.across, slice);
    const moved = { ...line, from: sum(line.from, step), to: sum(line.to, step) };
    for (const [at, value] of (await sampleThinLine(volume, file, timePoint, moved)).entries()) {
      if (Number.isNaN(value)) continue;
      const before = projected[at] as number;
      const count = (counts[at] as number) + 1;
      counts[at] = count;
      if (count === 1) projected[at] = value;
      else if (kind === 'mean') projected[at] = before + (value - before) / count;
      else projected[at] = kind === 'maximum' ? Math.max(before, value) : Math.min(before, value);
    }
  }
  return projected;
}

async function sampleThinLine(
  { info, numbers }: Pick<VolumeSource, 'info' | 'numbers'>,
  file: Pick<LeveledVoxels, 'read'>,
  timePoint: number,
  line: Omit<LineSamples, 'slab'>,
): Promise<Float32Array> {
  const values = new Float32Array(line.count).fill(Number.NaN);
  // As on the GPU, by keys: the range of numbers is known in 32 bits only, and a 64-bit float at its end may lie just outside.
  const [least, most] = numbers.map((value) => voxelKey(info.type, value)) as [number, number];
  for (const { samples, first, last } of groupsOf(samplesOf(info.dims, line))) {
    const size: Dims3 = [last[0] - first[0] + 1, last[1] - first[1] + 1, last[2] - first[2] + 1];
    const voxels = typedVoxels(info.type, await file.read({ level: 0, first, size, timePoint }));
    const valueAt = (at: Dims3): number => {
      const [x, y, z] = [at[0] - first[0], at[1] - first[1], at[2] - first[2]];
      const value = Number(voxels[(z * size[1] + y) * size[0] + x]);
      const key = voxelKey(info.type, value);
      return Number.isFinite(value) && key >= least && key <= most ? value : Number.NaN;
    };
    for (const sample of samples) values[sample.number] = line.smooth ? blended(sample, info.dims, valueAt) : valueAt(sample.low);
  }
  return values;
}

/** The samples inside the volume. */
function samplesOf(dims: readonly number[], { from, to, count, smooth }: Omit<LineSamples, 'slab'>): readonly Sample[] {
  return Array.from({ length: count }, (_, number): Sample => {
    const along = (axis: 0 | 1 | 2) => from[axis] + ((to[axis] - from[axis]) * number) / (count - 1);
    const position: Dims3 = [along(0), along(1), along(2)];
    const voxel = each(position, Math.floor);
    const inside = (at: number, axis: 0 | 1 | 2) => Math.min(Math.max(at, 0), (dims[axis] as number) - 1);
    const base = smooth ? each(position, baseOf) : voxel;
    return {
      number,
      position,
      low: each(base, inside),
      high: smooth ? each(base, (at, axis) => inside(at + 1, axis)) : voxel,
    };
  }).filter(({ position }) => position.every((at, axis) => at >= 0 && at < (dims[axis] as number)));
}

/** Samples that are read together, and the box of their voxels. */
interface Group {
  readonly samples: readonly Sample[];
  readonly first: Dims3;
  readonly last: Dims3;
}

/** Groups consecutive samples whose voxels lie in a small box. */
function* groupsOf(samples: readonly Sample[]): Generator<Group> {
  let held: (Group & { readonly samples: Sample[] }) | undefined;
  for (const sample of samples) {
    const { low, high } = sample;
    const first = held ? each(held.first, (at, axis) => Math.min(at, low[axis])) : low;
    const last = held ? each(held.last, (at, axis) => Math.max(at, high[axis])) : high;
    const isWide = last.some((at, axis) => at - (first[axis] as number) >= boxSide);
    if (held && isWide) {
      yield held;
      held = { samples: [sample], first: low, last: high };
    } else {
      const all: Sample[] = held?.samples ?? [];
      all.push(sample);
      held = { samples: all, first, last };
    }
  }
  if (held) yield held;
}

function baseOf(at: number): number {
  return Math.floor(at - 0.5 + 1e-4);
}

function blended({ position }: Sample, dims: readonly number[], valueAt: (at: Dims3) => number): number {
  let [weighted, total] = [0, 0];
  for (let corner = 0; corner < 8; corner++) {
    let weight = 1;
    const at = each(position, (place, axis) => {
      const base = baseOf(place);
      const fraction = Math.min(1, Math.max(0, place - 0.5 - base));
      const isUpper = ((corner >> axis) & 1) === 1;
      weight *= isUpper ? fraction : 1 - fraction;
      return Math.min(Math.max(base + (isUpper ? 1 : 0), 0), (dims[axis] as number) - 1);
    });
    if (weight <= leastWeight) continue;
    const value = valueAt(at);
    if (Number.isNaN(value)) continue;
    weighted += weight * value;
    total += weight;
  }
  return total < 0.5 ? Number.NaN : weighted / total;
}

function each(values: Dims3, change: (value: number, axis: 0 | 1 | 2) => number): Dims3 {
  return [change(values[0], 0), change(values[1], 1), change(values[2], 2)];
}
