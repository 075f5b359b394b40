import type { BackendJob, ChunkBox, ResidentBox } from '../chunks/backend.ts';
import { bytesOfChunks } from '../codec/batch.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { mapOnto } from '../shared/lanes.ts';
import { paddedBoxBytes } from './gpu-chunks.ts';

/**
 * Cuts a box's chunks into batches of at most `maxBytes` (at least one chunk), with progress and abort checks between them.
 * @param atOnce how many batches are worked on at the same time
 */
export async function inBatches(
  { voxels, chunks }: ResidentBox,
  maxBytes: number,
  stage: string,
  job: BackendJob,
  work: (batch: ResidentBox, first: number) => Promise<void>,
  atOnce = 1,
): Promise<void> {
  const { elementBytes } = voxels;
  const total = bytesOfChunks(chunks, elementBytes);
  const widest: [number, number, number] = [0, 0, 0];
  for (const { shape } of chunks) for (const axis of [0, 1, 2] as const) widest[axis] = Math.max(widest[axis], shape[axis]);
  const perBatch = Math.max(1, Math.floor(maxBytes / Math.max(1, paddedBoxBytes(widest, elementBytes))));
  const firsts = Array.from({ length: Math.ceil(chunks.length / perBatch) }, (_, batch) => batch * perBatch);
  let done = 0;
  await mapOnto(Array.from({ length: atOnce }), firsts, async (_lane, first) => {
    throwIfAborted(job.signal);
    const batch = chunks.slice(first, first + perBatch);
    await work({ voxels, chunks: batch }, first);
    done += bytesOfChunks(batch, elementBytes);
    job.onProgress?.({ stage, done, total });
  });
  throwIfAborted(job.signal);
}

/** @throws StriaError `unsupported` for chunks that do not fit the GPU's layout: they must begin at whole words */
export function checkPlaces(places: readonly ChunkBox[], elementBytes: number): void {
  const odd = places.find(({ origin }) => (origin[0] * elementBytes) % 4 !== 0);
  if (!odd) return;
  const width = `a chunk that begins ${odd.origin[0] * elementBytes} bytes into its row`;
  throw new StriaError('unsupported', `${width} cannot be processed on the GPU; use the CPU (--device cpu)`);
}

/** @throws StriaError `internal` if the numbers of chunks and places differ */
export function checkCount(chunks: readonly unknown[], places: readonly ChunkBox[]): void {
  if (chunks.length === places.length) return;
  throw new StriaError('internal', `got ${chunks.length} chunks for ${places.length} places`);
}
