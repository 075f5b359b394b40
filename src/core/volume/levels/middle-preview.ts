import { codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { mapOnto } from '../../shared/lanes.ts';
import { type Dims3, elementBytes, typedVoxels, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { type VolumeLevel, wholeFactors } from '../../shared/volume-level.ts';
import { chunkRows } from '../compressed/compressed-region.ts';
import { leveledContainer } from './leveled-container.ts';
import { stridedLevels } from './leveled-file.ts';

/** A coarse volume that takes a part of a .stria without levels: the chunks that its middle slices cross. */
export interface MiddlePreview {
  /** Every second voxel along each axis, or fewer. */
  readonly level: VolumeLevel;
  /** The bytes of the chunks that are read. */
  readonly readBytes: number;
  /**
   * The voxels of the level, as little-endian bytes. Those outside the chunks that are read have the lowest real value within them.
   * @throws StriaError `corrupt` in the context of `chunk N`; `not-readable`, `aborted`
   */
  read(options?: JobOptions): Promise<Uint8Array<ArrayBuffer>>;
}

/** A layer of chunks across an axis: its first voxel and its size. */
interface Slab {
  readonly first: Dims3;
  readonly size: Dims3;
}

const mostPreviewBytes = 2 ** 23;
/** One layer of chunks is read if it takes at most this many bytes of the file; further ones as long as all take at most `someBytes`. */
const mostBytes = 2 ** 25;
const someBytes = 12 * 2 ** 20;
/** Decoded voxels of a layer. */
const mostSlabBytes = 2 ** 27;
/** Layers of planes that are read at the same time. */
const readsAtOnce = [0, 1, 2, 3];

/**
 * Undefined if the volume is small, is a series, or if the chunks of a middle slice are too much of the file. Reads nothing.
 * @param fileBytes length of the file
 */
export function middlePreview(reader: ContainerReader, fileBytes: number): MiddlePreview | undefined {
  const { grid, header } = reader;
  const { volume } = header;
  const level = stridedLevels(volume).find(
    ({ dims, factors }) => factors !== wholeFactors && volumeBytes({ dims, type: volume.type }) <= mostPreviewBytes,
  );
  if (!level || volume.dims[3] > 1) return undefined;
  const slabs: Slab[] = [];
  const numbers = new Set<number>();
  let readBytes = 0;
  for (const axis of [2, 1, 0] as const) {
    const slab = middleSlab(reader, axis);
    const fresh = [...chunkRows(grid, volume.type, { ...slab, timePoint: 0 })].flat().filter((one) => !numbers.has(one));
    const bytes = readBytes + bytesOf(reader, fresh);
    if (bytes > Math.min(fileBytes / 2, slabs.length === 0 ? mostBytes : someBytes)) break;
    if (slab.size[0] * slab.size[1] * slab.size[2] * elementBytes(volume.type) > mostSlabBytes) break;
    for (const number of fresh) numbers.add(number);
    slabs.push(slab);
    readBytes = bytes;
  }
  if (slabs.length === 0) return undefined;
  return { level, readBytes, read: (options) => readSlabs(reader, level, slabs, options) };
}

function bytesOf(reader: ContainerReader, numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => {
    const entry = reader.entry(number);
    return sum + (entry.kind === 'coded' ? entry.recordLength : 0);
  }, 0);
}

function middleSlab({ grid, header: { volume } }: ContainerReader, axis: 0 | 1 | 2): Slab {
  const perVoxel = axis === 0 ? elementBytes(volume.type) / codecElementBytes(volume.type) : 1;
  const length = grid.chunkShape[axis] / perVoxel;
  const first: [number, number, number] = [0, 0, 0];
  const size: [number, number, number] = [volume.dims[0], volume.dims[1], volume.dims[2]];
  first[axis] = Math.floor(Math.floor(volume.dims[axis] / 2) / length) * length;
  size[axis] = Math.min(length, volume.dims[axis] - first[axis]);
  return { first, size };
}

async function readSlabs(
  reader: ContainerReader,
  { dims, factors }: VolumeLevel,
  slabs: readonly Slab[],
  options: JobOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { volume } = reader.header;
  const source = leveledContainer(reader, []);
  const width = elementBytes(volume.type);
  const coarse = new Uint8Array(volumeBytes({ dims, type: volume.type }));
  const isKnown = new Uint8Array(coarse.byteLength / width);
  // Planes in the same layer of chunks are read one after the other, so that each chunk is read once.
  const layers = slabs.flatMap((slab) => layersOf(slab, factors, reader.grid.chunkShape[2]).map((planes) => ({ slab, planes })));
  await mapOnto(readsAtOnce, layers, async (_, { slab: { first, size }, planes }) => {
    for (const z of planes) {
      throwIfAborted(options.signal);
      const box = { level: 0, first: [first[0], first[1], z * factors[2]], size: [size[0], size[1], 1], timePoint: 0 } as const;
      const plane = await source.read(box, options);
      for (const y of keptAlong(1, { first, size }, factors)) {
        for (const x of keptAlong(0, { first, size }, factors)) {
          const from = ((y * factors[1] - first[1]) * size[0] + x * factors[0] - first[0]) * width;
          const to = (z * dims[1] + y) * dims[0] + x;
          for (let byte = 0; byte < width; byte++) coarse[to * width + byte] = plane[from + byte] as number;
          isKnown[to] = 1;
        }
      }
    }
  });
  source.close();
  fillUnknown(volume, coarse, isKnown);
  return coarse;
}

/** The kept planes of a slab, those in one layer of chunks together. */
function layersOf(slab: Slab, factors: Dims3, chunkDepth: number): readonly (readonly number[])[] {
  const layers = new Map<number, number[]>();
  for (const z of keptAlong(2, slab, factors)) {
    const layer = Math.floor((z * factors[2]) / chunkDepth);
    layers.set(layer, [...(layers.get(layer) ?? []), z]);
  }
  return [...layers.values()];
}

/** The indices, in the level, of the voxels of a slab that the level keeps. */
function* keptAlong(axis: 0 | 1 | 2, { first, size }: Slab, factors: Dims3): Generator<number> {
  const factor = factors[axis];
  for (let at = Math.ceil(first[axis] / factor); at * factor < first[axis] + size[axis]; at++) yield at;
}

function fillUnknown({ type, slope }: VolumeInfo, coarse: Uint8Array<ArrayBuffer>, isKnown: Uint8Array): void {
  const voxels = typedVoxels(type, coarse);
  const sign = slope < 0 ? -1 : 1;
  let lowest: number | undefined;
  for (let at = 0; at < voxels.length; at++) {
    const value = voxels[at] as number;
    if (isKnown[at] && Number.isFinite(value) && (lowest === undefined || sign * value < sign * lowest)) lowest = value;
  }
  for (let at = 0; at < voxels.length; at++) if (!isKnown[at]) voxels[at] = lowest ?? 0;
}
