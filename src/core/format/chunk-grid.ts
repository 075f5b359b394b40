import { StriaError } from '../shared/errors.ts';
import { type Dims3, type Dims4, elementBytes, type VolumeInfo } from '../shared/volume.ts';

/**
 * A chunk's lengths in codec elements, and the number of its time points (default 1). Several time points are stacked along z, if
 * the chunk holds each of them completely; or their planes are interleaved: all time points of one z, then those of the next.
 */
export type ChunkShape = readonly [x: number, y: number, z: number, t?: number, order?: 'interleaved' | undefined];

/** The lengths as they are written in a header. */
export function withTimePoints([x, y, z, t = 1]: ChunkShape): Dims4 {
  return [x, y, z, t];
}

/** Whether the planes of time points are interleaved. */
export function isInterleaved([, , , t = 1, order]: ChunkShape): boolean {
  return t > 1 && order === 'interleaved';
}

/** Where a chunk lies in its volume, in codec elements. */
export interface GridBox {
  /** The first element, within the time point `t`. */
  readonly origin: Dims3;
  /** The shape as codecs see it: along z the planes of all its time points. */
  readonly shape: Dims3;
  /** The first time point, and the number of time points. */
  readonly t: number;
  readonly timePoints: number;
  /** The plane of `origin`, in the order of `ChunkGrid.planeAt`. */
  readonly plane: number;
}

/** Consecutive chunk numbers. */
export interface ChunkSpan {
  readonly first: number;
  readonly count: number;
}

/** The maximum number of chunks in a volume, so that an index always fits in memory (docs/FORMAT.md, 'Limits'). */
const maxChunkCount = 2 ** 24;

/** The maximum byte length of a chunk's voxels, because a decoder holds several chunks in memory. */
export const maxChunkBytes = 2 ** 24;

/** A volume with more chunks than `fewChunks` must have at least `leastElements` elements per chunk, on average. */
const fewChunks = 4096;
const leastElements = 4096;

/** The maximum number of chunks of a volume. @param dims in codec elements */
export function mostChunks(dims: Dims4): number {
  return Math.min(maxChunkCount, Math.max(fewChunks, Math.floor((dims[0] * dims[1] * dims[2] * dims[3]) / leastElements)));
}

/** Codec elements of a voxel: an f64 voxel is two 4-byte elements along x, any other voxel is one. */
export function elementsPerVoxel(type: VolumeInfo['type']): 1 | 2 {
  return type === 'f64' ? 2 : 1;
}

/** The dims of a volume in codec elements. */
export function codecElementDims({ dims: [x, y, z, t], type }: Pick<VolumeInfo, 'dims' | 'type'>): Dims4 {
  return [x * elementsPerVoxel(type), y, z, t];
}

/** Width of a volume's codec elements in bytes. */
export function codecElementBytes(type: VolumeInfo['type']): 1 | 2 | 4 {
  const width = elementBytes(type);
  return width === 8 ? 4 : width;
}

/**
 * The grid of a volume's chunks, within the limits of docs/FORMAT.md.
 * @throws StriaError `invalid-input` for lengths that are not positive integers and for exceeded limits
 */
export function chunkGridOf(volume: Pick<VolumeInfo, 'dims' | 'type'>, chunkShape: ChunkShape): ChunkGrid {
  const [x, y, z, t] = withTimePoints(chunkShape);
  if (volume.type === 'f64' && x % 2 !== 0) {
    throw new StriaError('invalid-input', `a chunk ${x} elements wide would split an f64 voxel, which is two elements`);
  }
  const dims = codecElementDims(volume);
  const grid = new ChunkGrid(dims, chunkShape);
  if (grid.count > mostChunks(dims)) {
    const cut = `a volume of ${dims.join('×')} elements in chunks of ${withTimePoints(chunkShape).join('×')}`;
    const least = `a volume with more than ${fewChunks} chunks needs at least ${leastElements} elements per chunk on average`;
    throw new StriaError('invalid-input', `${cut} has ${grid.count} chunks, far more than its data needs: ${least}`);
  }
  if (x * y * z * t * codecElementBytes(volume.type) > maxChunkBytes) {
    throw new StriaError('invalid-input', `chunks of ${x}×${y}×${z}×${t} elements exceed ${maxChunkBytes} bytes`);
  }
  return grid;
}

/**
 * How a volume is cut into chunks, and how they are numbered: x fastest, then y, z, t. All lengths are in codec elements. A
 * layer is all chunks with the same z and t. Layers are numbered z fastest, then t, so the chunks of a layer are consecutive.
 *
 * Planes have an order in which those of a chunk, and those of a layer, are consecutive: `planeAt`. It is the order of the source
 * (z fastest, then t), unless chunks interleave time points.
 */
export class ChunkGrid {
  readonly dims: Dims4;
  /** Within one time point. */
  readonly chunkShape: Dims3;
  /** How many time points a chunk spans; the last one may span fewer. */
  readonly timePointsPerChunk: number;
  /** Whether the planes of a chunk's time points are interleaved. If not, the time points are stacked. */
  readonly isInterleaved: boolean;
  /** Number of chunks along x, y, z, t. */
  readonly counts: Dims4;
  readonly count: number;
  readonly layerCount: number;
  readonly chunksPerLayer: number;
  /** How many chunks cover one time point. */
  readonly chunksPerTimePoint: number;

  /**
   * @throws StriaError `invalid-input` for lengths that are not positive integers, for more than `maxChunkCount` chunks, and
   * for chunks that hold parts of several time points without interleaving them
   */
  constructor(dims: Dims4, chunkShape: ChunkShape) {
    const [x, y, z, t] = withTimePoints(chunkShape);
    for (const length of [...dims, x, y, z, t]) {
      if (!Number.isSafeInteger(length) || length < 1) {
        throw new StriaError(
          'invalid-input',
          `${length} is not a valid length of a volume or chunk: lengths are whole numbers from 1`,
        );
      }
    }
    this.dims = dims;
    this.chunkShape = [x, y, z];
    this.timePointsPerChunk = t;
    this.isInterleaved = isInterleaved(chunkShape);
    this.counts = [Math.ceil(dims[0] / x), Math.ceil(dims[1] / y), Math.ceil(dims[2] / z), Math.ceil(dims[3] / t)];
    this.chunksPerLayer = this.counts[0] * this.counts[1];
    this.chunksPerTimePoint = this.chunksPerLayer * this.counts[2];
    if (t > 1 && this.chunksPerTimePoint > 1 && !this.isInterleaved) {
      throw new StriaError(
        'invalid-input',
        `chunks of ${x}×${y}×${z}×${t} span ${t} time points without holding each completely`,
      );
    }
    this.layerCount = this.counts[2] * this.counts[3];
    this.count = this.chunksPerLayer * this.layerCount;
    if (this.count > maxChunkCount) {
      const cut = `a volume of ${dims.join('×')} in chunks of ${[x, y, z].join('×')}`;
      throw new StriaError('invalid-input', `${cut} has ${this.count} chunks; the limit is ${maxChunkCount}`);
    }
  }

  /** The box of a chunk, clipped at the volume's edges. */
  box(number: number): GridBox {
    this.#check(number, this.count, 'chunk');
    const layer = this.#layer(Math.floor(number / this.chunksPerLayer));
    const inLayer = number % this.chunksPerLayer;
    const [width, height] = this.chunkShape;
    const x = (inLayer % this.counts[0]) * width;
    const y = Math.floor(inLayer / this.counts[0]) * height;
    const { origin, shape, t, timePoints, plane } = layer;
    const clipped: Dims3 = [Math.min(width, this.dims[0] - x), Math.min(height, this.dims[1] - y), shape[2]];
    return { origin: [x, y, origin[2]], shape: clipped, t, timePoints, plane };
  }

  /** Chunks with equal values here have the same shape: the value encodes at which far edges of the volume a chunk lies. */
  shapeKind(number: number): number {
    const [countX, countY, countZ, countT] = this.counts;
    const inLayer = number % this.chunksPerLayer;
    const layer = (number - inLayer) / this.chunksPerLayer;
    const x = inLayer % countX;
    const [y, z] = [(inLayer - x) / countX, layer % countZ];
    const t = (layer - z) / countZ;
    return +(x === countX - 1) + 2 * +(y === countY - 1) + 4 * +(z === countZ - 1) + 8 * +(t === countT - 1);
  }

  /** The number of the chunk that holds the element at `position` (x, y, z, t). */
  numberAt(position: Dims4): number {
    const [x, y, z, t] = position;
    for (const [axis, at] of position.entries()) this.#check(at, this.dims[axis] as number, 'position');
    const [chunkX, chunkY, chunkZ] = this.chunkShape;
    const layer = this.timeBlock(t) * this.counts[2] + Math.floor(z / chunkZ);
    return layer * this.chunksPerLayer + Math.floor(y / chunkY) * this.counts[0] + Math.floor(x / chunkX);
  }

  /** The chunks along t that hold a time point, as an index within `counts[3]`. */
  timeBlock(t: number): number {
    return Math.floor(t / this.timePointsPerChunk);
  }

  /** The number of a plane, in the order in which the planes of a chunk are consecutive. */
  planeAt(z: number, t: number): number {
    const depth = this.dims[2];
    if (!this.isInterleaved) return t * depth + z;
    const first = t - (t % this.timePointsPerChunk);
    return first * depth + z * this.#timePointsFrom(first) + t - first;
  }

  /** The inverse of `planeAt`. */
  placeOfPlane(plane: number): { readonly z: number; readonly t: number } {
    const depth = this.dims[2];
    const inTime = Math.floor(plane / depth);
    if (!this.isInterleaved) return { z: plane - inTime * depth, t: inTime };
    const first = inTime - (inTime % this.timePointsPerChunk);
    const timePoints = this.#timePointsFrom(first);
    const inGroup = plane - first * depth;
    return { z: Math.floor(inGroup / timePoints), t: first + (inGroup % timePoints) };
  }

  /** The plane within its chunk. */
  planeInChunk(z: number, t: number): number {
    const depth = this.chunkShape[2];
    const inTime = t % this.timePointsPerChunk;
    if (!this.isInterleaved) return inTime * this.dims[2] + (z % depth);
    return (z % depth) * this.#timePointsFrom(t - inTime) + inTime;
  }

  /** The layer that holds a plane of `planeAt`. */
  layerOfPlane(plane: number): number {
    const { z, t } = this.placeOfPlane(plane);
    return this.timeBlock(t) * this.counts[2] + Math.floor(z / this.chunkShape[2]);
  }

  /** The numbers of a layer's chunks. */
  chunksOfLayer(layer: number): ChunkSpan {
    this.#check(layer, this.layerCount, 'layer');
    return { first: layer * this.chunksPerLayer, count: this.chunksPerLayer };
  }

  /** The box of whole rows and slices that a layer's chunks cover together. */
  layerBox(layer: number): GridBox {
    this.#check(layer, this.layerCount, 'layer');
    return this.#layer(layer);
  }

  #layer(layer: number): GridBox {
    const [width, height, depth] = this.dims;
    const z = (layer % this.counts[2]) * this.chunkShape[2];
    const t = Math.floor(layer / this.counts[2]) * this.timePointsPerChunk;
    const timePoints = this.#timePointsFrom(t);
    const planes = Math.min(this.chunkShape[2], depth - z) * timePoints;
    return { origin: [0, 0, z], shape: [width, height, planes], t, timePoints, plane: this.planeAt(z, t) };
  }

  /** @param first the first time point of some chunks */
  #timePointsFrom(first: number): number {
    return Math.min(this.timePointsPerChunk, this.dims[3] - first);
  }

  #check(index: number, end: number, what: string): void {
    if (!Number.isInteger(index) || index < 0 || index >= end) {
      throw new StriaError('internal', `${what} ${index} is outside 0 to ${end - 1}`);
    }
  }
}
