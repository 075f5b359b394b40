import { chainName } from '../codecs/registry.ts';
import { inContext } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { chunkBytes } from './analyze.ts';
import type { Backend, BackendJob } from './backend.ts';
import { scatterChunk } from './boxes.ts';
import { reportDamage } from './choose.ts';
import { ChunkGatherer, FreeBytes } from './chunk-gatherer.ts';
import type { TaskPool } from './cpu-task.ts';

/** Encodes and decodes with the reference codecs, a chunk a task. `destroy` ends the pool. */
export function createCpuBackend(pool: TaskPool): Backend {
  const free = new FreeBytes();
  return {
    device: { kind: 'cpu', name: `CPU, ${pool.threads} ${pool.threads === 1 ? 'thread' : 'threads'}`, software: false },
    maxBoxBytes: Number.MAX_SAFE_INTEGER,

    async encode(box, chunks, choice, job = {}) {
      const codec = choice.codec === 'auto' ? 'auto' : chainName(choice.codec);
      const progress = progressOf(job, 'Compressing', box.elementBytes, chunks);
      const gather = new ChunkGatherer(box, chunks, free);
      return mapBounded(chunks, 2 * pool.threads, async (chunk, index) => {
        throwIfAborted(job.signal);
        const { shape } = chunk;
        const task = { kind: 'encode', voxels: gather.take(index), shape, elementBytes: box.elementBytes } as const;
        try {
          const result = await pool.run({ ...task, codec, options: choice.options }, job.signal);
          if (result.kind !== 'encode') throw new TypeError('the pool answered another task');
          if (result.voxels) free.give(result.voxels);
          progress(index);
          return result.chunk;
        } catch (error) {
          throw inContext(`chunk ${(job.firstChunk ?? 0) + index}`, error);
        }
      });
    },

    async decode(chunks, boxes, box, job = {}) {
      const progress = progressOf(job, 'Decompressing', box.elementBytes, boxes);
      await mapBounded(boxes, 2 * pool.threads, async (chunkBox, index) => {
        throwIfAborted(job.signal);
        const given = chunks[index];
        if (!given) throw new TypeError('there are fewer chunks than places for them');
        // The pool takes the payload away from whoever hands it over: hand over a copy.
        const chunk = given.kind === 'coded' ? { ...given, payload: given.payload.slice() } : given;
        const { shape } = chunkBox;
        try {
          const result = await pool.run({ kind: 'decode', chunk, shape, elementBytes: box.elementBytes }, job.signal);
          if (result.kind !== 'decode') throw new TypeError('the pool answered another task');
          scatterChunk(result.voxels, chunkBox, box);
        } catch (error) {
          reportDamage((job.firstChunk ?? 0) + index, error, job.onDamage);
        }
        progress(index);
      });
    },

    destroy: () => pool.destroy(),
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
 * Maps with at most `limit` calls under way, results in the items' order. After a failure no further call begins, and
 * those under way have ended before it is thrown.
 */
async function mapBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    while (next < items.length && !failure) {
      const index = next++;
      try {
        results[index] = await map(items[index] as Item, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failure) throw (failure as { readonly error: unknown }).error;
  return results;
}
