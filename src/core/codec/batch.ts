import type { GpuScope } from '../gpu/scope.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { type ChunkGeometry, type CodecElementBytes, type GpuPayloads, type GpuVoxels, rowBytes } from './codec.ts';

/** Longer chunks are refused, because byte offsets must fit in 32 bits with headroom. */
const maxChunkBytes = 2 ** 31;

/**
 * Number of elements in a chunk.
 * @throws StriaError `invalid-input` for lengths that are not positive integers, `unsupported` for more than 2 GiB
 */
export function elementCount({ shape, elementBytes }: ChunkGeometry): number {
  // Without closures: a ranking of codecs asks for this many times for each of thousands of chunks.
  const [x, y, z] = shape;
  const isWhole = Number.isSafeInteger(x) && Number.isSafeInteger(y) && Number.isSafeInteger(z) && x > 0 && y > 0 && z > 0;
  if (!isWhole) {
    throw new StriaError('invalid-input', `a chunk of ${shape.join('×')} elements has no voxels`);
  }
  const count = x * y * z;
  if (count * elementBytes > maxChunkBytes) {
    throw new StriaError('unsupported', `a chunk of ${shape.join('×')} elements is larger than 2 GiB`);
  }
  return count;
}

/** Byte length of a chunk's voxels. @throws as `elementCount` */
export function chunkBytes(chunk: ChunkGeometry): number {
  return elementCount(chunk) * chunk.elementBytes;
}

/** Total byte length of several chunks' voxels. @throws as `elementCount` */
export function bytesOfChunks(chunks: readonly Pick<ChunkGeometry, 'shape'>[], elementBytes: CodecElementBytes): number {
  return chunks.reduce((sum, { shape }) => sum + chunkBytes({ shape, elementBytes }), 0);
}

/** The layout of a box's rows in words, which every kernel needs. */
export interface BoxLayout {
  /** Words from one row of the box to the next, and from one slice to the next. */
  readonly rowWords: number;
  readonly sliceWords: number;
}

export function boxLayout(box: Omit<GpuVoxels, 'buffer'>): BoxLayout {
  const rowWords = rowBytes(box.dims[0], box.elementBytes) / 4;
  return { rowWords, sliceWords: rowWords * box.dims[1] };
}

/** The word at which a chunk at `origin` begins in its box. */
export function firstWordOf(box: Omit<GpuVoxels, 'buffer'>, origin: Dims3): number {
  const { rowWords, sliceWords } = boxLayout(box);
  return origin[2] * sliceWords + origin[1] * rowWords + (origin[0] * box.elementBytes) / 4;
}

/**
 * The `Box` uniform of kernels that work tile by tile: the layout of its rows, and the numbers of tiles and of records (such as
 * chunks).
 */
export function boxUniform(scope: GpuScope, box: GpuVoxels, tileCount: number, recordCount: number): GPUBuffer {
  const { rowWords, sliceWords } = boxLayout(box);
  return scope.uniform('box', [rowWords, sliceWords, tileCount, recordCount]);
}

/** @throws StriaError `internal` if a chunk does not lie in its box as `GpuChunk` promises */
export function assertInBox(chunk: { readonly origin: Dims3; readonly shape: Dims3 }, box: GpuVoxels): void {
  elementCount({ shape: chunk.shape, elementBytes: box.elementBytes });
  const { origin, shape } = chunk;
  const inside = ([0, 1, 2] as const).every(
    (axis) => Number.isSafeInteger(origin[axis]) && origin[axis] >= 0 && origin[axis] + shape[axis] <= (box.dims[axis] as number),
  );
  if (!inside || (origin[0] * box.elementBytes) % 4 !== 0) {
    throw new StriaError(
      'internal',
      `chunk ${shape.join('×')} at ${origin.join(', ')} does not fit a box of ${box.dims.join('×')}`,
    );
  }
}

/** @throws StriaError `internal` if payloads do not match their chunks or lie outside their buffer */
export function assertPayloads(payloads: GpuPayloads, chunkCount: number): void {
  const { buffer, byteOffsets, byteLengths } = payloads;
  if (byteOffsets.length !== chunkCount || byteLengths.length !== chunkCount) {
    throw new StriaError('internal', `got ${byteLengths.length} payloads for ${chunkCount} chunks`);
  }
  const size = buffer?.size ?? 0;
  byteOffsets.forEach((offset, i) => {
    if (offset % 4 !== 0 || offset + (byteLengths[i] as number) > size) {
      throw new StriaError('internal', `payload ${i} at byte ${offset} does not lie in its buffer of ${size} bytes`);
    }
  });
}

/** The buffer that a decoder binds as payloads; a placeholder if no payload has any bytes. */
export function payloadBuffer({ buffer }: GpuPayloads, scope: GpuScope): GPUBuffer {
  return buffer ?? scope.storage('no-payloads', 4);
}

/** Assigns units of work, one per workgroup, to the chunks of a batch. */
export interface TileTable {
  readonly tileCount: number;
  /** Number of the first tile of each chunk. */
  readonly firstTiles: readonly number[];
  /** For each tile, the number of its chunk. */
  readonly chunkOfTile: Uint32Array<ArrayBuffer>;
}

/** @param tilesPerChunk number of tiles of each chunk */
export function tileTable(tilesPerChunk: readonly number[]): TileTable {
  const firstTiles: number[] = [];
  let tileCount = 0;
  for (const tiles of tilesPerChunk) {
    firstTiles.push(tileCount);
    tileCount += tiles;
  }
  const chunkOfTile = new Uint32Array(tileCount);
  tilesPerChunk.forEach((tiles, chunk) => {
    chunkOfTile.fill(chunk, firstTiles[chunk], (firstTiles[chunk] as number) + tiles);
  });
  return { tileCount, firstTiles, chunkOfTile };
}

/** Byte offsets of consecutive payloads of these lengths, each at a multiple of 4, and the end of the last one. */
export function placePayloads(byteLengths: readonly number[]): { byteOffsets: number[]; totalBytes: number } {
  let totalBytes = 0;
  const byteOffsets = byteLengths.map((length) => {
    const offset = totalBytes;
    totalBytes += Math.ceil(length / 4) * 4;
    return offset;
  });
  return { byteOffsets, totalBytes };
}

/** An element's little-endian value at a byte offset of any alignment. */
export function readElement(bytes: Uint8Array, at: number, elementBytes: CodecElementBytes): number {
  let value = 0;
  for (let byte = elementBytes - 1; byte >= 0; byte--) value = value * 256 + (bytes[at + byte] as number);
  return value;
}
