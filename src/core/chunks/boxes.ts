import { chunkBytes } from '../codec/batch.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { ChunkBox, VoxelBox } from './backend.ts';

/** Copies one chunk out of a box, without padding. The result is `bytes` if given, which must have the chunk's length. */
export function gatherChunk(
  box: VoxelBox,
  chunk: ChunkBox,
  bytes = new Uint8Array(chunkBytes({ shape: chunk.shape, elementBytes: box.elementBytes })),
): Uint8Array<ArrayBuffer> {
  gatherChunks(box, [{ chunk, bytes }]);
  return bytes;
}

/** Copies the bytes of chunks that are adjacent along x out of a box, row by row of the box. */
export function gatherChunks(
  box: VoxelBox,
  chunks: readonly { readonly chunk: ChunkBox; readonly bytes: Uint8Array<ArrayBuffer> }[],
): void {
  const rowsOf = chunks.map(({ chunk }) => rowsInBox(box, chunk));
  const words = chunks.map(({ bytes }, i) => wholeWords(box, bytes, rowsOf[i] as RowsInBox));
  const rowCount = rowsOf[0]?.count ?? 0;
  for (let row = 0; row < rowCount; row++) {
    for (let i = 0; i < chunks.length; i++) {
      const { starts, length } = rowsOf[i] as RowsInBox;
      const start = starts[row] as number;
      const pair = words[i];
      if (pair) copyWords(pair.box, start / 4, pair.chunk, (row * length) / 4, length / 4);
      else (chunks[i] as { bytes: Uint8Array }).bytes.set(box.bytes.subarray(start, start + length), row * length);
    }
  }
}

/** Writes the bytes of one chunk to its place in a box. */
export function scatterChunk(bytes: Uint8Array, chunk: ChunkBox, box: VoxelBox): void {
  const rows = rowsInBox(box, chunk);
  const words = wholeWords(box, bytes, rows);
  for (let row = 0; row < rows.count; row++) {
    const start = rows.starts[row] as number;
    if (words) copyWords(words.chunk, (row * rows.length) / 4, words.box, start / 4, rows.length / 4);
    else box.bytes.set(bytes.subarray(row * rows.length, (row + 1) * rows.length), start);
  }
}

/** Pieces that are contiguous both in the box and in the chunk: rows, or slices if the chunk is as wide as the box. */
interface RowsInBox {
  readonly count: number;
  /** In bytes. */
  readonly length: number;
  /** The start of each piece in the box, in bytes. */
  readonly starts: Float64Array;
}

function rowsInBox({ dims, elementBytes }: VoxelBox, { origin, shape }: ChunkBox): RowsInBox {
  const isWide = shape[0] === dims[0];
  const rows = isWide ? 1 : shape[1];
  const starts = new Float64Array(rows * shape[2]);
  for (let i = 0; i < starts.length; i++) {
    const z = origin[2] + Math.floor(i / rows);
    const y = origin[1] + (i % rows);
    starts[i] = ((z * dims[1] + y) * dims[0] + origin[0]) * elementBytes;
  }
  return { count: starts.length, length: shape[0] * elementBytes * (isWide ? shape[1] : 1), starts };
}

/** Up to this many bytes, a copy word by word is faster than a call of `set`. */
const shortCopyBytes = 256;

/** The words of a box and of a chunk, if the chunk's rows are short and consist of whole words in both. */
function wholeWords(box: VoxelBox, chunk: Uint8Array, { length, starts }: RowsInBox) {
  const isWhole = (bytes: number) => bytes % 4 === 0;
  if (length > shortCopyBytes || !isWhole(length) || !isWhole(box.bytes.byteOffset) || !isWhole(chunk.byteOffset))
    return undefined;
  if (!isWhole(starts[0] ?? 0) || !isWhole(box.dims[0] * box.elementBytes)) return undefined;
  return { box: wordsOf(box.bytes), chunk: wordsOf(chunk) };
}

function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Int32Array {
  return new Int32Array(buffer, byteOffset, byteLength >> 2);
}

function copyWords(from: Int32Array, fromStart: number, to: Int32Array, toStart: number, count: number): void {
  for (let i = 0; i < count; i++) to[toStart + i] = from[fromStart + i] as number;
}

/** The smallest box that holds chunks of these shapes, one behind the other along z, and their places in it. */
export function stackedChunks(shapes: readonly Dims3[]): { readonly dims: Dims3; readonly boxes: readonly ChunkBox[] } {
  let [x, y, z] = [0, 0, 0];
  const boxes = shapes.map((shape): ChunkBox => {
    const origin: Dims3 = [0, 0, z];
    x = Math.max(x, shape[0]);
    y = Math.max(y, shape[1]);
    z += shape[2];
    return { origin, shape };
  });
  return { dims: [x, y, z], boxes };
}
