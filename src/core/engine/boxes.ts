import type { CodecElementBytes } from '../codecs/codec.ts';
import type { Dims3 } from '../shared/volume.ts';
import { chunkBytes } from './analyze.ts';
import type { ChunkBox, VoxelBox } from './backend.ts';

/** A copy of the bytes of one chunk of a box, without padding: in `bytes` where that is given, which has their length. */
export function gatherChunk(
  box: VoxelBox,
  chunk: ChunkBox,
  bytes = new Uint8Array(chunkBytes({ shape: chunk.shape, elementBytes: box.elementBytes })),
): Uint8Array<ArrayBuffer> {
  forEachRow(box, chunk, (boxStart, chunkStart, length) => {
    bytes.set(box.bytes.subarray(boxStart, boxStart + length), chunkStart);
  });
  return bytes;
}

/** Writes the bytes of one chunk into its place in a box. */
export function scatterChunk(bytes: Uint8Array, chunk: ChunkBox, box: VoxelBox): void {
  forEachRow(box, chunk, (boxStart, chunkStart, length) => {
    box.bytes.set(bytes.subarray(chunkStart, chunkStart + length), boxStart);
  });
}

/** Calls `visit` for each piece that is contiguous both in the box and in the chunk: rows, slices, or the chunk whole. */
function forEachRow(
  { dims, elementBytes }: { readonly dims: Dims3; readonly elementBytes: CodecElementBytes },
  { origin, shape }: ChunkBox,
  visit: (boxStart: number, chunkStart: number, length: number) => void,
): void {
  const wholeRows = shape[0] === dims[0];
  const rows = wholeRows ? 1 : shape[1];
  const rowLength = shape[0] * elementBytes * (wholeRows ? shape[1] : 1);
  let chunkStart = 0;
  for (let z = origin[2]; z < origin[2] + shape[2]; z++) {
    for (let y = origin[1]; y < origin[1] + rows; y++) {
      visit(((z * dims[1] + y) * dims[0] + origin[0]) * elementBytes, chunkStart, rowLength);
      chunkStart += rowLength;
    }
  }
}
