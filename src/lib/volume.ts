import { decodeChunk } from '../core/chunks/decode-chunk.ts';
import { type ChunkGrid, codecElementBytes, elementsPerVoxel, type GridBox } from '../core/format/chunk-grid.ts';
import { ContainerReader } from '../core/format/container-reader.ts';
import { chunkName } from '../core/shared/chunk-name.ts';
import { inContext, StriaError } from '../core/shared/errors.ts';
import { throwIfAborted } from '../core/shared/job.ts';
import { elementBytes, typedVoxels } from '../core/shared/volume.ts';
import { sourceOf } from './source.ts';
import type { Box, FileLike, Geometry, OpenFileOptions, Shape, Voxels, VoxelType } from './types.ts';

/** A volume in a .stria file. Only its index is in memory. */
export interface Volume extends Geometry {
  readonly shape: Shape;
  readonly type: VoxelType;
  /** Lengths of a chunk. Boxes of whole chunks are the fastest to read. */
  readonly chunkShape: Shape;
  /** Number of chunks that were lost in the file from which this one was recovered. */
  readonly lostChunks: number;
  /**
   * Reads a box, and decodes only the chunks that it touches. Without a box, reads everything.
   * @throws StriaError `corrupt`, `unsupported`, `invalid-input` for a box outside the volume, `not-readable`, `aborted`
   */
  read(box?: Box, options?: { readonly signal?: AbortSignal | undefined }): Promise<Voxels>;
  /**
   * The volume at lower resolutions, from the finest to the coarsest; empty if the file has none. Each is read like the volume, and
   * closed with it. @throws StriaError `corrupt`, `not-readable`
   */
  levels(): Promise<readonly Volume[]>;
  close(): Promise<void>;
}

/**
 * Opens a .stria file: its bytes, a Blob or File, a web address whose server answers range requests, a path (in Node), or an object that
 * reads bytes.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`
 */
export async function open(
  input: string | URL | Blob | ArrayBuffer | Uint8Array | FileLike,
  { fill }: OpenFileOptions = {},
): Promise<Volume> {
  const { source, close } = await sourceOf(input);
  let reader: ContainerReader;
  try {
    reader = await ContainerReader.open(source);
  } catch (error) {
    await close();
    throw error;
  }
  return volumeOf(reader, fill, close);
}

function volumeOf(reader: ContainerReader, fill: number | undefined, close: () => Promise<void>): Volume {
  const { volume, chunkShape } = reader.header;
  const { dims, type, spacing, spatialUnit, timeUnit, affine, slope, intercept } = volume;
  const perVoxel = elementsPerVoxel(type);
  return {
    shape: dims,
    type,
    chunkShape: [chunkShape[0] / perVoxel, chunkShape[1], chunkShape[2], chunkShape[3] ?? 1],
    lostChunks: reader.lostCount,
    spacing,
    spatialUnit,
    timeUnit,
    affine,
    slope,
    intercept,
    read: async (box = {}, { signal } = {}) => readBox(reader, rangesOf(dims, box), fill, signal),
    levels: async () => (await reader.levels()).map((level) => volumeOf(level, fill, close)),
    close,
  };
}

type Range = readonly [from: number, to: number];

function rangesOf(dims: Shape, box: Box): readonly [Range, Range, Range, Range] {
  const range = (name: 'x' | 'y' | 'z' | 't', length: number): Range => {
    const asked = box[name] ?? [0, length];
    const [from, to] = typeof asked === 'number' ? [asked, asked + 1] : asked;
    if (Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from < to && to <= length) return [from, to];
    throw new StriaError('invalid-input', `${name} from ${from} to ${to} is not within the volume's ${length}`);
  };
  return [range('x', dims[0]), range('y', dims[1]), range('z', dims[2]), range('t', dims[3])];
}

async function readBox(
  reader: ContainerReader,
  ranges: readonly [Range, Range, Range, Range],
  fill: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Voxels> {
  const { type } = reader.header.volume;
  const [nx, ny, nz, nt] = ranges.map(([from, to]) => to - from) as [number, number, number, number];
  const target = new Uint8Array(nx * ny * nz * nt * elementBytes(type));
  for (const number of chunksIn(reader, ranges)) {
    throwIfAborted(signal);
    const box = reader.grid.box(number);
    copy(await voxelsOf(reader, number, box, fill, signal), box, reader.grid, target, ranges, type);
  }
  return { data: typedVoxels(type, target) as Voxels['data'], shape: [nx, ny, nz, nt] };
}

/** The numbers of the chunks that hold a part of the box. */
function* chunksIn({ grid, header }: ContainerReader, ranges: readonly [Range, Range, Range, Range]): Generator<number> {
  const lengths = [
    grid.chunkShape[0] / elementsPerVoxel(header.volume.type),
    grid.chunkShape[1],
    grid.chunkShape[2],
    grid.timePointsPerChunk,
  ] as const;
  const [x, y, z, t] = ranges.map(([from, to], axis) => {
    const length = lengths[axis] as number;
    return [Math.floor(from / length), Math.floor((to - 1) / length)] as const;
  }) as [Range, Range, Range, Range];
  const [countX, countY, countZ] = grid.counts;
  for (let l = t[0]; l <= t[1]; l++)
    for (let k = z[0]; k <= z[1]; k++)
      for (let j = y[0]; j <= y[1]; j++) for (let i = x[0]; i <= x[1]; i++) yield ((l * countZ + k) * countY + j) * countX + i;
}

async function voxelsOf(
  reader: ContainerReader,
  number: number,
  { shape }: GridBox,
  fill: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { type } = reader.header.volume;
  if (reader.entry(number).kind === 'lost') {
    if (fill === undefined)
      throw new StriaError(
        'corrupt',
        `${chunkName(number)} was lost in the file from which this one was recovered; open with \`fill\` to read it as that value`,
      );
    const bytes = new Uint8Array(shape[0] * shape[1] * shape[2] * codecElementBytes(type));
    typedVoxels(type, bytes).fill(fill);
    return bytes;
  }
  const chunk = await reader.readChunk(number, { signal });
  try {
    return decodeChunk(chunk, { shape, elementBytes: codecElementBytes(type) });
  } catch (error) {
    throw inContext(chunkName(number), error);
  }
}

/** Copies the part of a chunk that lies in the box, row by row. */
function copy(
  voxels: Uint8Array,
  box: GridBox,
  grid: ChunkGrid,
  target: Uint8Array,
  [x, y, z, t]: readonly [Range, Range, Range, Range],
  type: VoxelType,
): void {
  const bytes = elementBytes(type);
  const perVoxel = elementsPerVoxel(type);
  const [width, height, depth] = [box.shape[0] / perVoxel, box.shape[1], box.shape[2] / box.timePoints];
  const [left, top, front] = [box.origin[0] / perVoxel, box.origin[1], box.origin[2]];
  const within = ([from, to]: Range, start: number, length: number): Range => [
    Math.max(from, start),
    Math.min(to, start + length),
  ];
  const [ownX, ownY, ownZ, ownT] = [
    within(x, left, width),
    within(y, top, height),
    within(z, front, depth),
    within(t, box.t, box.timePoints),
  ];
  for (let l = ownT[0]; l < ownT[1]; l++) {
    for (let k = ownZ[0]; k < ownZ[1]; k++) {
      const plane = grid.planeInChunk(k, l);
      for (let j = ownY[0]; j < ownY[1]; j++) {
        const row = (plane * height + j - top) * width + ownX[0] - left;
        const to = (((l - t[0]) * (z[1] - z[0]) + k - z[0]) * (y[1] - y[0]) + j - y[0]) * (x[1] - x[0]) + ownX[0] - x[0];
        target.set(voxels.subarray(row * bytes, (row + ownX[1] - ownX[0]) * bytes), to * bytes);
      }
    }
  }
}
