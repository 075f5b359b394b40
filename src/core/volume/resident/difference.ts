import differenceShader from '../../../shaders/volume/difference.wgsl';
import { rowBytes } from '../../codec/codec.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type Dims4, type VolumeInfo, voxelCount } from '../../shared/volume.ts';
import type { PlaneBox, PlaneReader, PlaneRun } from '../plane-reader.ts';
import type { VolumeSource } from '../volume-source.ts';
import { elementTypeNumber, isFloatType } from '../voxel-key.ts';
import { ResidentVolume } from './resident-volume.ts';

/** The difference of two volumes, in stored values. */
export interface Difference {
  readonly voxels: number;
  /** Voxels whose bits differ. 0 if the volumes are identical. */
  readonly differing: number;
  /**
   * The greatest |first − second|, and the first voxel with it. Undefined if nothing differs. Exact for integers; an f32 for
   * floats, over the voxels that are finite in both.
   */
  readonly largest: { readonly magnitude: number; readonly voxel: Dims4 } | undefined;
  /** Mean of |first − second| over all voxels. */
  readonly mean: number;
}

const voxelsPerWorkgroup = 8192;
/** The maximum number of voxels per dispatch, so that a slow GPU is not blocked for long. */
const voxelsPerDispatch = 2 ** 24;
const resultWords = 5;

/** Why two volumes cannot be compared voxel by voxel, as a text for users; undefined if they can. */
export function differenceProblem(one: VolumeInfo, two: VolumeInfo): string | undefined {
  const shape = ({ dims }: VolumeInfo): string => (dims[3] > 1 ? dims : dims.slice(0, 3)).join(' × ');
  if (shape(one) !== shape(two)) return `their shapes differ: ${shape(one)} and ${shape(two)} voxels`;
  if (one.type !== two.type) return `their voxel types differ: ${one.type} and ${two.type}`;
  if (one.slope !== two.slope || one.intercept !== two.intercept) return 'their stored values are scaled differently';
  return undefined;
}

/** The description of the difference of two comparable volumes: f32, with the first volume's geometry. */
function differenceInfo(one: VolumeInfo): VolumeInfo {
  return { ...one, type: 'f32', intercept: 0 };
}

/** The GPU memory of the difference in bytes. */
export function differenceBytes(one: VolumeInfo): number {
  return voxelCount(one.dims) * 4;
}

/** An operand of the subtraction: a volume in GPU memory, as voxels or compressed. */
export interface Subtrahend extends Pick<VolumeSource, 'info' | 'decimation' | 'planeReader'> {
  /** In codec elements. */
  readonly chunkShape: ChunkShape;
}

export interface SubtractOptions extends Pick<JobOptions, 'onProgress'> {
  /** Called before each use of the two volumes. Throws once they must not be used. */
  readonly check?: () => void;
}

/**
 * Computes first − second on the GPU, as a volume for display and as counts. The caller frees the volume. Both volumes must be
 * complete (`decimation` 1). Compressed volumes are decoded run by run, each run once.
 * @throws StriaError `invalid-input` for volumes that cannot be compared, `out-of-memory`, `device-lost`
 */
export async function subtractVolumes(
  gpu: Gpu,
  one: Subtrahend,
  two: Subtrahend,
  options: SubtractOptions = {},
): Promise<{ readonly volume: ResidentVolume; readonly difference: Difference }> {
  assertComparable(one, two);
  const volume = await ResidentVolume.create(gpu, differenceInfo(one.info), { chunkShape: one.chunkShape });
  try {
    if (volume.decimation > 1) throw new StriaError('out-of-memory', 'not enough GPU memory for the difference');
    return { volume, difference: await subtractPlanes(gpu, one, two, volume, options) };
  } catch (error) {
    volume.destroy();
    throw error;
  }
}

/** Like `subtractVolumes`, but without the volume for display, for which memory may be lacking: only the counts. */
export async function countDifferences(
  gpu: Gpu,
  one: Subtrahend,
  two: Subtrahend,
  options: SubtractOptions = {},
): Promise<Difference> {
  assertComparable(one, two);
  return subtractPlanes(gpu, one, two, undefined, options);
}

/** @throws StriaError `invalid-input` */
function assertComparable(one: Subtrahend, two: Subtrahend): void {
  const problem = differenceProblem(one.info, two.info);
  if (problem !== undefined) throw new StriaError('invalid-input', problem);
  if (one.decimation > 1 || two.decimation > 1) throw new StriaError('invalid-input', 'not all of their voxels are on the GPU');
}

async function subtractPlanes(
  gpu: Gpu,
  one: Subtrahend,
  two: Subtrahend,
  target: ResidentVolume | undefined,
  { check = () => {}, onProgress }: SubtractOptions,
): Promise<Difference> {
  check();
  const readers: PlaneReader[] = [];
  try {
    const [first, second] = [one, two].map((volume) => {
      const reader = volume.planeReader();
      readers.push(reader);
      return new HeldRun(reader);
    }) as [HeldRun, HeldRun];
    const subtraction = new Subtraction(gpu, one.info, target, check);
    const planes = one.info.dims[2] * one.info.dims[3];
    for (let plane = 0; plane < planes; ) {
      onProgress?.({ stage: 'Subtracting', done: plane, total: planes });
      check();
      const a = await first.at(plane);
      check();
      const b = await second.at(plane);
      const endPlane = Math.min(a.endPlane, b.endPlane);
      await subtraction.subtract(a.boxes, b.boxes, plane, endPlane);
      plane = endPlane;
    }
    return subtraction.result();
  } finally {
    for (const reader of readers) reader.destroy();
  }
}

/** Keeps the last run from a reader, because the runs of two volumes need not end together. */
class HeldRun {
  readonly #reader: PlaneReader;
  #run: PlaneRun | undefined;

  constructor(reader: PlaneReader) {
    this.#reader = reader;
  }

  /** The run with a plane. @param plane not before any plane requested earlier */
  async at(plane: number): Promise<PlaneRun> {
    if (!this.#run || plane >= this.#run.endPlane) this.#run = await this.#reader.read(plane);
    return this.#run;
  }
}

/** A part of the volume that lies within one box of each volume. */
interface Part {
  readonly one: PlaneBox;
  readonly two: PlaneBox;
  readonly target: PlaneBox | undefined;
  readonly firstRow: number;
  readonly rows: number;
  readonly firstPlane: number;
  readonly planes: number;
}

/** The parts of the planes from `from` up to, not including, `end`. */
function partsOf(
  one: readonly PlaneBox[],
  two: readonly PlaneBox[],
  target: readonly PlaneBox[] | undefined,
  [from, end]: readonly [number, number],
): readonly Part[] {
  return one.flatMap((a) =>
    two.flatMap((b) =>
      (target ?? [undefined]).flatMap((c): Part[] => {
        const boxes = c ? [a, b, c] : [a, b];
        const firstRow = Math.max(...boxes.map((box) => box.firstRow));
        const firstPlane = Math.max(from, ...boxes.map((box) => box.firstPlane));
        const rows = Math.min(...boxes.map((box) => box.firstRow + box.rowCount)) - firstRow;
        const planes = Math.min(end, ...boxes.map((box) => box.firstPlane + box.planeCount)) - firstPlane;
        return rows > 0 && planes > 0 ? [{ one: a, two: b, target: c, firstRow, rows, firstPlane, planes }] : [];
      }),
    ),
  );
}

/** Sums the differences, run by run. */
class Subtraction {
  readonly #gpu: Gpu;
  readonly #info: VolumeInfo;
  readonly #target: ResidentVolume | undefined;
  readonly #check: () => void;
  #differing = 0;
  #sum = 0;
  #largest: { readonly magnitude: number; readonly at: number } | undefined;

  constructor(gpu: Gpu, info: VolumeInfo, target: ResidentVolume | undefined, check: () => void) {
    this.#gpu = gpu;
    this.#info = info;
    this.#target = target;
    this.#check = check;
  }

  async subtract(one: readonly PlaneBox[], two: readonly PlaneBox[], from: number, end: number): Promise<void> {
    const gpu = this.#gpu;
    using scope = gpu.scope('difference');
    const kernel = gpu.kernel({
      label: 'resident.difference',
      shader: differenceShader,
      constants: { element_type: elementTypeNumber(this.#info.type), keeps_differences: this.#target ? 1 : 0 },
    });
    const [columns] = this.#info.dims;
    const dispatches = partsOf(one, two, this.#target?.placedBoxes, [from, end]).flatMap((part) => {
      const voxels = columns * part.rows * part.planes;
      const pieces = Math.ceil(voxels / voxelsPerDispatch);
      return Array.from({ length: pieces }, (_, piece) => {
        const first = piece * voxelsPerDispatch;
        return { part, first, count: Math.min(voxelsPerDispatch, voxels - first) };
      });
    });
    const groupsOf = (count: number): number => Math.ceil(count / voxelsPerWorkgroup);
    const groups = dispatches.reduce((sum, { count }) => sum + groupsOf(count), 0);
    const results = scope.storage('results', groups * resultWords * 4);
    const nowhere = this.#target ? undefined : scope.storage('nowhere', 4);
    /** The part that each result belongs to. */
    const partOfResult: Part[] = [];
    for (const { part, first, count } of dispatches) {
      const uniform = partUniform(scope, part, { columns, first, count, firstResult: partOfResult.length });
      const differences = part.target?.voxels.buffer ?? (nowhere as GPUBuffer);
      for (let group = 0; group < groupsOf(count); group++) partOfResult.push(part);
      this.#check();
      await gpu
        .commands('difference')
        .dispatch(
          kernel,
          [part.one.voxels.buffer, uniform, part.two.voxels.buffer, differences, results],
          [groupsOf(count), 1, 1],
        )
        .submit();
    }
    this.#add(await gpu.readWords(results), partOfResult);
  }

  result(): Difference {
    const { dims } = this.#info;
    const voxels = voxelCount(dims);
    const largest = this.#largest && { magnitude: this.#largest.magnitude, voxel: voxelAt(dims, this.#largest.at) };
    return { voxels, differing: this.#differing, largest, mean: voxels === 0 ? 0 : this.#sum / voxels };
  }

  #add(words: Uint32Array, parts: readonly Part[]): void {
    const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    const { type, dims } = this.#info;
    const isFloat = isFloatType(type);
    for (const [index, part] of parts.entries()) {
      const start = index * resultWords;
      const [count = 0, magnitudeBits = 0, place = 0, low = 0, high = 0] = words.subarray(start, start + resultWords);
      if (count === 0) continue;
      this.#differing += count;
      this.#sum += isFloat ? (floats[start + 3] as number) : high * 2 ** 32 + low;
      const magnitude = isFloat ? (floats[start + 1] as number) : magnitudeBits;
      const [x, row, plane] = [place % dims[0], Math.floor(place / dims[0]) % part.rows, Math.floor(place / dims[0] / part.rows)];
      const at = ((part.firstPlane + plane) * dims[1] + part.firstRow + row) * dims[0] + x;
      const { magnitude: most, at: before } = this.#largest ?? { magnitude: -1, at: 0 };
      // On a tie the first voxel wins, however the volumes are cut into boxes.
      if (magnitude > most || (magnitude === most && at < before)) this.#largest = { magnitude, at };
    }
  }
}

/** `Part` of difference.wgsl. */
function partUniform(
  scope: GpuScope,
  part: Part,
  { columns, first, count, firstResult }: Readonly<Record<'columns' | 'first' | 'count' | 'firstResult', number>>,
): GPUBuffer {
  const { one, two, target = one } = part;
  const place = (box: PlaneBox): number[] => [part.firstRow - box.firstRow, part.firstPlane - box.firstPlane, box.rowCount, 0];
  const rowWords = rowBytes(one.voxels.dims[0], one.voxels.elementBytes) / 4;
  const head = [columns, part.rows, first, count, rowWords, firstResult, 0, 0];
  return scope.uniform('part', [...head, ...place(one), ...place(two), ...place(target)]);
}

/** The position of a voxel from its index among all voxels, x fastest. */
function voxelAt([width, height, depth]: Dims4, at: number): Dims4 {
  const row = Math.floor(at / width);
  const plane = Math.floor(row / height);
  return [at % width, row % height, plane % depth, Math.floor(plane / depth)];
}
