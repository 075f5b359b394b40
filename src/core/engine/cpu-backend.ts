import { bytesOfChunks, chunkBytes } from '../codecs/batch.ts';
import type { CodecElementBytes } from '../codecs/codec.ts';
import { chainName } from '../codecs/registry.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { Backend, BackendJob, ChunkBox, VoxelBox } from './backend.ts';
import { gatherChunk, scatterChunk } from './boxes.ts';
import { reportDamage } from './choose.ts';
import { FreeBytes } from './chunk-gatherer.ts';
import { maxMemoryBytes } from './chunk-memory.ts';
import type { TaskPool } from './cpu-task.ts';

/**
 * Encodes and decodes with the codecs' references, or what is as good and faster. `destroy` ends the pools.
 * @param own an inline pool, where the caller's thread is to take part beside the pool's. Of a fast codec it then does most, beside two
 *   threads at most: more take longer to start than they have work
 */
export function createCpuBackend(pool: TaskPool, own?: TaskPool): Backend {
  const free = new FreeBytes();
  const threads = pool.threads + (own?.threads ?? 0);
  const ofPool = (length: number) => Array.from({ length }, () => pool);
  // Of many threads, the caller's has enough to do with feeding the others.
  const all = [...ofPool(2 * pool.threads), ...(own && threads <= maxSharing ? [own] : [])];
  const ofFast = own ? [...ofPool(2), own] : all;
  return {
    device: { kind: 'cpu', name: `CPU, ${threads} ${threads === 1 ? 'thread' : 'threads'}`, software: false },
    maxBoxBytes: Number.MAX_SAFE_INTEGER,

    async encode(box, chunks, choice, job = {}) {
      const codec = choice.codec === 'auto' ? 'auto' : chainName(choice.codec);
      const isFast = choice.codec !== 'auto' && choice.codec[0].encodeInMemory !== undefined;
      const progress = progressOf(job, 'Compressing', box.elementBytes, chunks);
      const rows = rowsOf(chunks, box.elementBytes, isFast ? fastTogether : slowTogether);
      const lanes = !isFast ? all : own && box.bytes.byteLength <= soonDoneBytes ? [own] : ofFast;
      const encoded = await mapOnto(lanes, rows, async (lane, { first, count }) => {
        throwIfAborted(job.signal);
        const row = chunks.slice(first, first + count);
        const part = lane.isInline ? { box, chunks: row } : takeRow(box, row, free);
        const firstChunk = (job.firstChunk ?? 0) + first;
        const result = await lane.run({ kind: 'encode', ...part, firstChunk, codec, options: choice.options }, job.signal);
        if (result.kind !== 'encode') throw new TypeError('the pool answered another task');
        const { startMs, endMs } = result.analyzed;
        const { timeOrigin } = performance;
        job.onSpan?.('analyze', startMs - timeOrigin, endMs - timeOrigin, bytesOfChunks(row, box.elementBytes));
        if (!lane.isInline) free.give(result.voxels);
        for (let index = first; index < first + count; index++) progress(index);
        return result.chunks;
      });
      return encoded.flat();
    },

    async decode(chunks, boxes, box, job = {}) {
      const progress = progressOf(job, 'Decompressing', box.elementBytes, boxes);
      await mapOnto(all, boxes, async (lane, chunkBox, index) => {
        throwIfAborted(job.signal);
        const given = chunks[index];
        if (!given) throw new TypeError('there are fewer chunks than places for them');
        // The pool takes the payload away from whoever hands it over: hand over a copy.
        const chunk = given.kind === 'coded' ? { ...given, payload: given.payload.slice() } : given;
        const { shape } = chunkBox;
        try {
          const result = await lane.run({ kind: 'decode', chunk, shape, elementBytes: box.elementBytes }, job.signal);
          if (result.kind !== 'decode') throw new TypeError('the pool answered another task');
          scatterChunk(result.voxels, chunkBox, box);
        } catch (error) {
          reportDamage((job.firstChunk ?? 0) + index, error, job.onDamage);
        }
        progress(index);
      });
    },

    destroy: async () => {
      await Promise.all([pool.destroy(), own?.destroy()]);
    },
  };
}

/**
 * So many chunks side by side are one task: their rows lie side by side, too, and memory is fast where it is read in order.
 * Of codecs that take long for a chunk few are, so that all threads have work and an abort is heard soon.
 */
const fastTogether = 8;
const slowTogether = 2;

/** With so many threads at most, the caller's takes part in all that there is to do. */
const maxSharing = 4;

/** So much of a fast codec's work is done here before another thread has started. */
const soonDoneBytes = 2 ** 24;

/** Chunks that follow each other along x, at most `together` of them and not more than fit the threads' memory; one at least. */
function rowsOf(
  chunks: readonly ChunkBox[],
  elementBytes: CodecElementBytes,
  together: number,
): { readonly first: number; readonly count: number }[] {
  const rows: { first: number; count: number }[] = [];
  let rowBytes = 0;
  for (const [index, { origin, shape }] of chunks.entries()) {
    const last = rows.at(-1);
    const before = chunks[index - 1]?.origin;
    rowBytes += chunkBytes({ shape, elementBytes });
    if (last && last.count < together && before?.[1] === origin[1] && before[2] === origin[2] && rowBytes <= maxMemoryBytes) {
      last.count++;
    } else {
      rows.push({ first: index, count: 1 });
      rowBytes = chunkBytes({ shape, elementBytes });
    }
  }
  return rows;
}

/** Chunks side by side as a box of their own, which can be handed to another thread. */
function takeRow(box: VoxelBox, chunks: readonly ChunkBox[], free: FreeBytes): { box: VoxelBox; chunks: readonly ChunkBox[] } {
  const { elementBytes } = box;
  const [first] = chunks as readonly [ChunkBox, ...ChunkBox[]];
  const [left, ...corner] = first.origin;
  const [, height, depth] = first.shape;
  const dims: Dims3 = [chunks.reduce((sum, { shape }) => sum + shape[0], 0), height, depth];
  const bytes = free.take(chunkBytes({ shape: dims, elementBytes }));
  gatherChunk(box, { origin: [left, ...corner], shape: dims }, bytes);
  return {
    box: { bytes, dims, elementBytes },
    chunks: chunks.map(({ origin, shape }) => ({ origin: [origin[0] - left, 0, 0], shape })),
  };
}

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

/**
 * Maps with at most one call for each lane under way, results in the items' order. After a failure no further call begins, and
 * those under way have ended before it is thrown.
 */
async function mapOnto<Lane, Item, Result>(
  lanes: readonly Lane[],
  items: readonly Item[],
  map: (lane: Lane, item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const work = async (lane: Lane) => {
    while (next < items.length && !failure) {
      const index = next++;
      try {
        results[index] = await map(lane, items[index] as Item, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(lanes.slice(0, items.length).map(work));
  if (failure) throw (failure as { readonly error: unknown }).error;
  return results;
}
