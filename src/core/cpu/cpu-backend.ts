import type { Backend, BackendJob, ChunkBox, EncodeChoice, FileBox, VoxelBox } from '../chunks/backend.ts';
import { scatterChunk } from '../chunks/boxes.ts';
import { reportDamage } from '../chunks/choose.ts';
import { FreeBytes } from '../chunks/chunk-gatherer.ts';
import { bytesOfChunks, chunkBytes } from '../codec/batch.ts';
import { chainName } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { faultFromData } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { mapOnto } from '../shared/lanes.ts';
import { FreeSharedBytes, isShared } from '../shared/shared-bytes.ts';
import type { TaskPool, TaskSpan } from './cpu-task.ts';
import { rowShape } from './decode-row.ts';
import { type CpuHeldBox, HalvedBoxes } from './halved-boxes.ts';
import { readRow, rowsInMemory } from './row-source.ts';
import { decodedTogether, rowsOf, together } from './task-rows.ts';

/**
 * Encodes and decodes with the codecs' references, or faster equivalents. `destroy` ends the pools.
 * @param own an inline pool, if the caller's thread should work beside the pool's. With a fast codec it then does most of the
 * work beside a few threads, because more threads would take longer to start than they save
 */
export function createCpuBackend(pool: TaskPool, own?: TaskPool): Backend {
  const free = new FreeBytes();
  const shared = new FreeSharedBytes();
  const threads = pool.threads + (own?.threads ?? 0);
  /** Each of the pool's threads gets a lane for each task that it takes. */
  const ofPool = (count: number): readonly Lane[] =>
    Array.from({ length: pool.tasksAhead * count }, () => ({ pool, threads: count }));
  const ofOwn: readonly Lane[] = own ? [{ pool: own, threads: 1 }] : [];
  // With many threads, the caller's is busy feeding the others.
  const all = [...ofPool(pool.threads), ...(threads <= maxSharing ? ofOwn : [])];
  /** By their size, because levels are of very different ones. */
  const halvedBytes = new Map<number, FreeSharedBytes>();
  const takeHalved = (byteLength: number): ReturnType<FreeSharedBytes['take']> => {
    // The caller's own thread needs no shared memory, which a page may lack.
    if (pool.sharesMemory && !pool.isInline) {
      const ofSize = halvedBytes.get(byteLength) ?? new FreeSharedBytes();
      halvedBytes.set(byteLength, ofSize);
      return ofSize.take(byteLength);
    }
    const bytes = free.take(byteLength);
    let isTaken = true;
    const release = () => {
      if (isTaken) free.give(bytes);
      isTaken = false;
    };
    return { bytes, release };
  };
  let fileBytes = 0;
  const ofFast = (box: VoxelBox | FileBox, byteLength: number): readonly Lane[] => {
    if (!own) return all;
    if ('bytes' in box) return byteLength <= soonDoneBytes ? ofOwn : [...ofPool(Math.min(pool.threads, maxFed)), ...ofOwn];
    fileBytes += byteLength;
    if (fileBytes <= soonDoneBytes) return ofOwn;
    return [...ofPool(Math.min(pool.threads, 1 + Math.floor(fileBytes / bytesForThread))), ...ofOwn];
  };

  const encode = async (
    box: VoxelBox | FileBox,
    chunks: readonly ChunkBox[],
    choice: EncodeChoice,
    job: BackendJob,
  ): Promise<EncodedChunk[]> => {
    const { elementBytes } = box;
    const codec = choice.codec === 'auto' ? 'auto' : chainName(choice.codec);
    // Threads read these voxels themselves.
    const isReached = !('bytes' in box) || isShared(box.bytes);
    const isFast = choice.codec !== 'auto' && choice.codec[0].encodeInMemory !== undefined;
    const progress = progressOf(job, 'Compressing', elementBytes, chunks);
    const rows = rowsOf(chunks, elementBytes, together(isFast, !('bytes' in box), isReached)(chunks.length, threads));
    const lanes = isFast ? ofFast(box, bytesOfChunks(chunks, elementBytes)) : all;
    const halved = job.halving && new HalvedBoxes(box, job.halving, job.lend && takeHalved);
    const finished: (readonly EncodedChunk[])[] = [];
    let handedRows = 0;
    const run = async (lane: Lane, { first, count }: (typeof rows)[number], index: number) => {
      throwIfAborted(job.signal);
      const row = chunks.slice(first, first + count);
      const isHere = lane.pool.isInline || isReached;
      const part = isHere ? { box, chunks: row } : readRow(rowsInMemory(box), row, free);
      const firstChunk = (job.firstChunk ?? 0) + first;
      const task = {
        kind: 'encode',
        ...part,
        firstChunk,
        codec,
        options: choice.options,
        halving: halved?.wishFor(row, lane.pool),
      } as const;
      const result = await lane.pool.run(task, job.signal, lane.threads);
      if (result.kind !== 'encode') throw new TypeError('the pool answered with the result of another task');
      const bytes = bytesOfChunks(row, elementBytes);
      const report = (stage: 'read' | 'analyze', { startMs, endMs }: TaskSpan) =>
        job.onSpan?.(stage, startMs - performance.timeOrigin, endMs - performance.timeOrigin, bytes);
      if (result.read) report('read', result.read);
      report('analyze', result.analyzed);
      if (halved && result.halved) halved.add(row, result.halved);
      if (!isHere && result.voxels) free.give(result.voxels);
      for (let chunk = first; chunk < first + count; chunk++) progress(chunk);
      finished[index] = result.chunks;
      for (let row = finished[handedRows]; row; row = finished[++handedRows]) job.onChunks?.(row);
      return result.chunks;
    };
    try {
      const encoded = await mapOnto(lanes, rows, run);
      halved?.finish();
      return encoded.flat();
    } catch (error) {
      halved?.spoil();
      throw error;
    }
  };

  const decode = async (
    chunks: readonly EncodedChunk[],
    boxes: readonly ChunkBox[],
    box: VoxelBox,
    job: BackendJob,
    checksPayload: boolean,
  ): Promise<void> => {
    const progress = progressOf(job, 'Decompressing', box.elementBytes, boxes);
    const { elementBytes } = box;
    if (chunks.length < boxes.length) throw new TypeError('there are fewer chunks than places');
    await mapOnto(all, rowsOf(boxes, elementBytes, decodedTogether(boxes.length, threads)), async (lane, { first, count }) => {
      throwIfAborted(job.signal);
      const { pool } = lane;
      const shapes = boxes.slice(first, first + count).map(({ shape }) => shape);
      const { origin } = boxes[first] as ChunkBox;
      // The pool transfers payloads away from their owner, so this hands over copies, unless threads share them.
      const own = (chunk: EncodedChunk) =>
        chunk.kind === 'coded' && !pool.isInline && !isShared(chunk.payload)
          ? { ...chunk, payload: chunk.payload.slice() }
          : chunk;
      const row = chunks.slice(first, first + count).map(own);
      const into = pool.isInline || isShared(box.bytes) ? { box, origin } : undefined;
      const task = { kind: 'decode', chunks: row, shapes, elementBytes, checksPayload, into } as const;
      const result = await pool.run(task, job.signal, lane.threads);
      if (result.kind !== 'decode') throw new TypeError('the pool answered with the result of another task');
      if (result.voxels) scatterChunk(result.voxels, { origin, shape: rowShape(shapes) }, box);
      for (const { index, fault } of result.faults) {
        reportDamage((job.firstChunk ?? 0) + first + index, faultFromData(fault), job.onDamage);
      }
      for (let index = first; index < first + count; index++) progress(index);
    });
  };

  // The caller's own thread needs no shared memory, which a page may lack.
  const canHold = pool.isInline || pool.sharesMemory;
  const hold = async ({ dims, elementBytes }: Omit<VoxelBox, 'bytes'>): Promise<CpuHeldBox> => {
    const { bytes, release } = takeHalved(chunkBytes({ shape: dims, elementBytes }));
    let isSpoilt = false;
    const box: VoxelBox = { bytes, dims, elementBytes };
    return {
      ...box,
      encode: (chunks, choice, job = {}) => encode(box, chunks, choice, job),
      spoil() {
        isSpoilt = true;
      },
      release() {
        if (!isSpoilt) release();
      },
    };
  };

  return {
    device: { kind: 'cpu', name: `CPU, ${threads} ${threads === 1 ? 'thread' : 'threads'}`, software: false },
    maxBoxBytes: Number.MAX_SAFE_INTEGER,
    // While the last tasks of a box run, other threads begin the next box.
    boxesAtOnce: threads > 1 ? 2 : 1,
    halves: () => true,
    ...(canHold && { hold, maxHeldBytes: Number.MAX_SAFE_INTEGER }),
    // The caller's own thread may do small volumes alone.
    ...(!own && pool.start && { expect: (byteLength: number) => pool.start?.(Math.ceil(byteLength / taskBytes)) }),

    encode: (box, chunks, choice, job = {}) => encode(box, chunks, choice, job),
    ...((own ?? pool).readsFiles &&
      pool.readsFiles && {
        encodeFile: (box: FileBox, chunks: readonly ChunkBox[], choice: EncodeChoice, job: BackendJob = {}) => {
          // What can be posted to threads.
          const { place, dims, elementBytes } = box;
          return encode({ place, dims, elementBytes }, chunks, choice, job);
        },
      }),

    decode: (chunks, boxes, box, job = {}) => decode(chunks, boxes, box, job, false),
    // One thread has no use for memory that others reach.
    ...(pool.sharesMemory &&
      threads > 1 && {
        sharesMemory: true,
        async decodeLent(
          chunks: readonly EncodedChunk[],
          boxes: readonly ChunkBox[],
          { dims, elementBytes }: Omit<VoxelBox, 'bytes'>,
          job: BackendJob = {},
        ) {
          const lent = shared.take(dims[0] * dims[1] * dims[2] * elementBytes);
          // If this fails, the memory is not used again: after an abort, threads finish their tasks and still write to it.
          await decode(chunks, boxes, { bytes: lent.bytes, dims, elementBytes }, job, true);
          return { pieces: () => [lent], release: lent.release };
        },
      }),

    destroy: async () => {
      await Promise.all([pool.destroy(), own?.destroy()]);
    },
  };
}

interface Lane {
  readonly pool: TaskPool;
  /** No more of the pool's threads than this are started for the lane. */
  readonly threads: number;
}

/** Up to this many threads, the caller's thread takes part in all work. */
const maxSharing = 4;

/** How many other threads the caller's thread can supply with copied voxels while a fast codec runs. */
const maxFed = 2;

/** A fast codec processes this much on the caller's thread before another thread has started. */
const soonDoneBytes = 2 ** 24;

/** As many threads are started at once as there will be tasks, if these have about this size. */
const taskBytes = 2 ** 22;

/** If threads read for themselves, starting another one pays off for this many bytes. */
const bytesForThread = 2 ** 25;

/** Reports the bytes of finished chunks. */
function progressOf(
  job: BackendJob,
  stage: string,
  elementBytes: 1 | 2 | 4,
  chunks: readonly { readonly shape: readonly [number, number, number] }[],
): (index: number) => void {
  const sizes = chunks.map(({ shape }) => chunkBytes({ shape, elementBytes }));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  return (index) => {
    done += sizes[index] as number;
    job.onProgress?.({ stage, done, total });
  };
}
