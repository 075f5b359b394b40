import type { ChunkBox } from '../chunks/backend.ts';
import { bytesOfChunks } from '../codec/batch.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { maxMemoryBytes } from './chunk-memory.ts';

/** How many adjacent chunks form one task. Their rows are adjacent too, so that reads and copies are long. */
type Together = (chunks: number, threads: number) => { readonly chunks: number; readonly bytes: number };

/** A volume 1024 bytes wide and a few more, in cubes of 64, still has rows of one task each. */
const rowBytes = 3 * 2 ** 21;

const fastTogether: Together = () => ({ chunks: 8, bytes: 2 ** 22 });

/** In a file a whole row is read at once. */
const fastInFile: Together = () => ({ chunks: Number.MAX_SAFE_INTEGER, bytes: maxMemoryBytes });

/** For slow codecs and many threads a task has fewer chunks, so that all threads have work to the end of the box. */
const slowTogether: Together = (chunks, threads) => ({
  chunks: Math.max(2, Math.floor(chunks / (4 * threads))),
  bytes: rowBytes,
});

/** Threads read or copy a part of a row in many pieces, in a file even with the rest of the row, so their tasks are longer. */
const slowWhereReached: Together = (chunks, threads) => ({
  chunks: Math.max(2, Math.floor(chunks / (2 * threads))),
  bytes: 2 ** 23,
});

/** How the chunks of a box are encoded. @param isReached whether threads read the voxels themselves */
export function together(isFast: boolean, isInFile: boolean, isReached: boolean): Together {
  if (isFast) return isInFile ? fastInFile : fastTogether;
  return isReached ? slowWhereReached : slowTogether;
}

/** A decoding task has several chunks of a row, because longer rows are copied in fewer pieces, unless threads would be idle. */
export const decodedTogether: Together = (chunks, threads) => ({
  chunks: Math.max(chunks >= 8 * threads ? 4 : 1, Math.floor(chunks / (2 * threads))),
  bytes: rowBytes,
});

/**
 * Groups chunks that are adjacent along x, as evenly as possible: a narrow last chunk on its own would read whole rows for a few
 * bytes. Groups have at most `together` and at least one chunk.
 */
export function rowsOf(
  chunks: readonly ChunkBox[],
  elementBytes: CodecElementBytes,
  together: ReturnType<Together>,
): { readonly first: number; readonly count: number }[] {
  const rows: { first: number; count: number }[] = [];
  for (let first = 0; first < chunks.length; ) {
    let end = first + 1;
    while (end < chunks.length && isBeside(chunks[end - 1] as ChunkBox, chunks[end] as ChunkBox)) end++;
    // No chunk of the row is wider than the first.
    const bytes = bytesOfChunks(chunks.slice(first, first + 1), elementBytes);
    const most = Math.max(1, Math.min(together.chunks, Math.floor(together.bytes / bytes)));
    const parts = Math.ceil((end - first) / most);
    for (let left = parts; left > 0; left--) {
      const count = Math.ceil((end - first) / left);
      rows.push({ first, count });
      first += count;
    }
  }
  return rows;
}

/** Whether a chunk follows another along x, and is as high and deep. */
function isBeside({ origin: [x, y, z], shape }: ChunkBox, { origin, shape: other }: ChunkBox): boolean {
  return origin[0] === x + shape[0] && origin[1] === y && origin[2] === z && other[1] === shape[1] && other[2] === shape[2];
}
