import { StriaError } from '../shared/errors.ts';
import { type Dims3, type Dims4, elementBytes, type VolumeInfo } from '../shared/volume.ts';

/** Where a chunk lies in its volume, in codec elements: the box from `origin`, of `shape`, at the time point `t`. */
export interface GridBox {
  readonly origin: Dims3;
  readonly shape: Dims3;
  readonly t: number;
}

/** Consecutive chunk numbers. */
export interface ChunkSpan {
  readonly first: number;
  readonly count: number;
}

/** A volume has no more chunks than this, so that an index always fits in memory (docs/FORMAT.md, 'Limits'). */
export const maxChunkCount = 2 ** 24;

/** A chunk's voxels are no more than this many bytes. */
export const maxChunkBytes = 2 ** 28;

/** The shape of a volume in codec elements: an f64 voxel is two elements of 4 bytes along x, all others are one. */
export function codecElementDims(volume: Pick<VolumeInfo, 'dims' | 'type'>): Dims4 {
  const [x, y, z, t] = volume.dims;
  return [volume.type === 'f64' ? 2 * x : x, y, z, t];
}

/** Width in bytes of a volume's codec elements. */
export function codecElementBytes(type: VolumeInfo['type']): 1 | 2 | 4 {
  const width = elementBytes(type);
  return width === 8 ? 4 : width;
}

/**
 * The grid of a volume's chunks.
 * @param chunkShape in codec elements; t is 1
 * @throws StriaError `invalid-input` for lengths that are no positive integers and for limits overstepped
 */
export function chunkGridOf(volume: Pick<VolumeInfo, 'dims' | 'type'>, chunkShape: Dims4): ChunkGrid {
  const [x, y, z, t] = chunkShape;
  if (t !== 1) throw new StriaError('invalid-input', `a chunk holds one time point, not ${t}`);
  if (volume.type === 'f64' && x % 2 !== 0) {
    throw new StriaError('invalid-input', `a chunk ${x} elements wide would cut an f64 voxel, which is two elements, in half`);
  }
  const grid = new ChunkGrid(codecElementDims(volume), [x, y, z]);
  const chunkBytes = x * y * z * codecElementBytes(volume.type);
  if (chunkBytes > maxChunkBytes) {
    throw new StriaError('invalid-input', `chunks of ${x}×${y}×${z} elements are larger than ${maxChunkBytes} bytes`);
  }
  return grid;
}

/**
 * How a volume is cut into chunks, and how they are numbered: x fastest, then y, z, t. All lengths in codec elements.
 * A layer is all chunks of one z and t; layers are numbered z fastest, then t, so a layer's chunks are consecutive.
 */
export class ChunkGrid {
  readonly dims: Dims4;
  readonly chunkShape: Dims3;
  /** Number of chunks along x, y, z, t. */
  readonly counts: Dims4;
  readonly count: number;
  readonly layerCount: number;
  readonly chunksPerLayer: number;

  /** @throws StriaError `invalid-input` for lengths that are no positive integers, and for more than `maxChunkCount` chunks */
  constructor(dims: Dims4, chunkShape: Dims3) {
    for (const length of [...dims, ...chunkShape]) {
      if (!Number.isSafeInteger(length) || length < 1) {
        throw new StriaError('invalid-input', `${length} is no length of a volume or a chunk: a whole number from 1 is needed`);
      }
    }
    const [x, y, z] = chunkShape;
    this.dims = dims;
    this.chunkShape = chunkShape;
    this.counts = [Math.ceil(dims[0] / x), Math.ceil(dims[1] / y), Math.ceil(dims[2] / z), dims[3]];
    this.chunksPerLayer = this.counts[0] * this.counts[1];
    this.layerCount = this.counts[2] * this.counts[3];
    this.count = this.chunksPerLayer * this.layerCount;
    if (this.count > maxChunkCount) {
      throw new StriaError(
        'invalid-input',
        `a volume of ${dims.join('×')} in chunks of ${chunkShape.join('×')} has ${this.count} chunks; ${maxChunkCount} is the most`,
      );
    }
  }

  /** The box of a chunk, clipped at the volume's edges. */
  box(number: number): GridBox {
    const [countX, countY, countZ] = this.counts;
    this.#check(number, this.count, 'chunk');
    const layer = Math.floor(number / this.chunksPerLayer);
    const inLayer = number % this.chunksPerLayer;
    const origin: Dims3 = [
      (inLayer % countX) * this.chunkShape[0],
      (Math.floor(inLayer / countX) % countY) * this.chunkShape[1],
      (layer % countZ) * this.chunkShape[2],
    ];
    return { origin, shape: this.#clipped(origin, this.chunkShape), t: Math.floor(layer / countZ) };
  }

  /** The number of the chunk that holds the element at `position` (x, y, z, t). */
  numberAt(position: Dims4): number {
    const [x, y, z, t] = position;
    for (const [axis, at] of position.entries()) this.#check(at, this.dims[axis] as number, 'position');
    const [chunkX, chunkY, chunkZ] = this.chunkShape;
    const layer = t * this.counts[2] + Math.floor(z / chunkZ);
    return layer * this.chunksPerLayer + Math.floor(y / chunkY) * this.counts[0] + Math.floor(x / chunkX);
  }

  /** The numbers of a layer's chunks. */
  chunksOfLayer(layer: number): ChunkSpan {
    this.#check(layer, this.layerCount, 'layer');
    return { first: layer * this.chunksPerLayer, count: this.chunksPerLayer };
  }

  /** The slab of whole rows and slices that a layer's chunks make together. */
  layerBox(layer: number): GridBox {
    this.#check(layer, this.layerCount, 'layer');
    const origin: Dims3 = [0, 0, (layer % this.counts[2]) * this.chunkShape[2]];
    const slab: Dims3 = [this.dims[0], this.dims[1], this.chunkShape[2]];
    return { origin, shape: this.#clipped(origin, slab), t: Math.floor(layer / this.counts[2]) };
  }

  #clipped(origin: Dims3, shape: Dims3): Dims3 {
    return [
      Math.min(shape[0], this.dims[0] - origin[0]),
      Math.min(shape[1], this.dims[1] - origin[1]),
      Math.min(shape[2], this.dims[2] - origin[2]),
    ];
  }

  #check(index: number, end: number, what: string): void {
    if (!Number.isInteger(index) || index < 0 || index >= end) {
      throw new StriaError('internal', `${what} ${index} is outside 0 to ${end - 1}`);
    }
  }
}
