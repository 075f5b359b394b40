import type { Backend, BackendJob, ChunkBox, EncodeChoice, LentVoxels, ReadableBox, VoxelBox } from '../chunks/backend.ts';
import { chunkBytes } from '../codec/batch.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { throwIfAborted } from '../shared/job.ts';
import { nextTurn } from '../shared/turn.ts';
import type { Dims3 } from '../shared/volume.ts';
import { EarlyBoxes } from './early-boxes.ts';
import { type CpuHeldBox, placesOf } from './halved-boxes.ts';
import { dimsOfHalvings, putPlanes } from './halved-chunks.ts';
import { SampleChunks } from './sample-chunks.ts';

export interface HandoverOptions {
  /** Begins the work. It offers `encodeFile` or `decodeLent`, and is destroyed after the last box that it does. */
  readonly threads: Backend;
  /** Opens the backend that takes over. The caller closes it. Called at most once. */
  readonly open: () => Promise<Backend>;
  /** How many boxes threads are given at once: they must last while opening keeps the caller's thread busy. */
  readonly boxesAtOnce: number;
  /** Default: 64 MiB. */
  readonly maxBoxBytes?: number;
  readonly patience?: Patience;
}

/** When the other backend is opened, in milliseconds. */
export interface Patience {
  /** If threads have no result so long after the first box. */
  readonly silentMs: number;
  /** If threads, at their speed, would take longer than this for the rest. */
  readonly restMs: number;
  /** For so long their speed is measured first. */
  readonly paceMs: number;
}

/**
 * To open a GPU and to compile its kernels takes 0.3 to 0.5 s, in which it does nothing, and the thread that feeds the others is busy
 * for half of that. So threads should do what they can do in about this time.
 */
const usualPatience: Patience = { silentMs: 200, restMs: 1000, paceMs: 80 };

/** If threads would take longer than this for a box that they have begun, the other backend does it all. */
const longestWaitMs = 40;

/**
 * Threads encode or decode the first boxes. If they would take long for the rest, a GPU is opened and its kernels are compiled meanwhile;
 * then the GPU does the next box and all that follow. Both give the same bytes. Nobody waits for the GPU if all boxes are done before.
 */
export function createHandoverBackend(options: HandoverOptions): Backend {
  const { threads, open, boxesAtOnce, maxBoxBytes = 2 ** 26, patience = usualPatience } = options;
  const samples = new SampleChunks();
  const early = new EarlyBoxes();
  let opening: Promise<Backend> | undefined;
  let successor: Backend | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let totalBytes = Number.POSITIVE_INFINITY;
  /** Why the other backend could not be opened. */
  let fault: { readonly error: unknown } | undefined;
  let isDestroyed = false;
  const end = new AbortController();
  let warming: Promise<void> | undefined;
  const hasWorked = { threads: false, successor: false };

  const take = async (): Promise<Backend> => {
    const next = await open();
    if (isDestroyed) return next;
    // Kernels also compile in later work, so a fault here is no reason to fail.
    warming = samples.warmUp(next, end.signal).catch(() => {});
    await warming;
    // Results that have come meanwhile count.
    if (early.count > 0) await nextTurn();
    successor = next;
    early.handOver(longestWaitMs);
    if (early.count === 0) await threads.destroy();
    return next;
  };
  const begin = (): Promise<Backend> => {
    clearTimeout(timer);
    opening ??= take();
    opening.catch((error: unknown) => {
      fault = { error };
    });
    return opening;
  };

  /** @param byLater does the work if it is handed over */
  const byThreads = async <T>(
    bytes: number,
    job: BackendJob,
    work: (job: BackendJob) => Promise<T>,
    byLater: (next: Backend) => Promise<T>,
  ): Promise<T> => {
    throwIfAborted(job.signal);
    if (fault) throw fault.error;
    const onProgress: BackendJob['onProgress'] = (progress) => {
      clearTimeout(timer);
      const restMs = early.restMs(totalBytes, patience.paceMs);
      if (restMs !== undefined && restMs > patience.restMs && !opening) void begin();
      job.onProgress?.(progress);
    };
    const one = early.add(bytes, { ...job, onProgress });
    try {
      const working = work(one.job);
      timer ??= setTimeout(begin, patience.silentMs);
      const result = await working;
      hasWorked.threads = true;
      return result;
    } catch (error) {
      if (!one.isHandedOver) throw error;
    } finally {
      one.end();
      if (early.count === 0 && successor) void threads.destroy();
    }
    return byLater(await begin());
  };

  /** The last read of a box for the successor: one at a time, so that little memory is in use. */
  let lastRead: Promise<unknown> = Promise.resolve();
  const encodeLater = async (
    next: Backend,
    box: ReadableBox,
    chunks: readonly ChunkBox[],
    choice: EncodeChoice,
    job: BackendJob,
  ): Promise<EncodedChunk[]> => {
    hasWorked.successor = true;
    if (next.encodeFile) return next.encodeFile(box, chunks, choice, forSuccessor(box.dims, job));
    const read = lastRead.then(() => readBox(next, box, job));
    lastRead = read.catch(() => {});
    const { voxels, release } = await read;
    const given = [chunks, choice, forSuccessor(box.dims, job)] as const;
    const encoding = 'bytes' in voxels ? next.encode(voxels, ...given) : voxels.encode(...given);
    return encoding.finally(release);
  };

  /** Encodes a box in memory. @param work of the threads */
  const encodeBox = async (
    { bytes, dims, elementBytes }: VoxelBox,
    chunks: readonly ChunkBox[],
    choice: EncodeChoice,
    job: BackendJob = {},
    work = (job: BackendJob) => threads.encode({ bytes, dims, elementBytes }, chunks, choice, job),
  ): Promise<EncodedChunk[]> => {
    const later = (next: Backend, job: BackendJob) => {
      hasWorked.successor = true;
      return next.encode({ bytes, dims, elementBytes }, chunks, choice, forSuccessor(dims, job));
    };
    if (successor) return later(successor, job);
    return byThreads(bytes.byteLength, job, work, (next) => later(next, withoutChunks(job)));
  };

  const decodeLater = async (
    next: Backend,
    chunks: readonly EncodedChunk[],
    boxes: readonly ChunkBox[],
    { dims, elementBytes }: Omit<VoxelBox, 'bytes'>,
    job: BackendJob,
  ): Promise<LentVoxels> => {
    hasWorked.successor = true;
    if (next.decodeLent) return next.decodeLent(chunks, boxes, { dims, elementBytes }, job);
    const bytes = new Uint8Array(chunkBytes({ shape: dims, elementBytes }));
    await next.decode(chunks, boxes, { bytes, dims, elementBytes }, job);
    return { pieces: () => [{ bytes, release() {} }], release() {} };
  };

  return {
    get device() {
      if (!successor || !hasWorked.successor) return threads.device;
      const { device } = successor;
      return hasWorked.threads && device.kind === 'gpu'
        ? { ...device, name: `${device.name} and ${threads.device.name}` }
        : device;
    },
    maxBoxBytes,
    boxesAtOnce,
    sharesMemory: threads.sharesMemory,
    successor: () => {
      hasWorked.successor = true;
      return begin();
    },

    expect(byteLength) {
      totalBytes = byteLength;
      threads.expect?.(byteLength);
    },

    async prepareEncode(...given) {
      samples.prepare = given;
      await successor?.prepareEncode?.(...given);
    },

    encode: encodeBox,

    // A GPU does not halve floats.
    halves: (type) => !type.startsWith('f') && (threads.halves?.(type) ?? false),
    ...(threads.hold && {
      maxHeldBytes: Math.min(threads.maxHeldBytes ?? 0, maxBoxBytes),
      async hold(given: Omit<VoxelBox, 'bytes'>) {
        const held = (await threads.hold?.(given)) as CpuHeldBox;
        return {
          ...held,
          encode: (chunks: readonly ChunkBox[], choice: EncodeChoice, job: BackendJob = {}) =>
            encodeBox(held, chunks, choice, job, (job) => held.encode(chunks, choice, job)),
        };
      },
    }),

    ...(threads.encodeFile && {
      encodeFile: async (box: ReadableBox, chunks: readonly ChunkBox[], choice: EncodeChoice, job: BackendJob = {}) => {
        if (successor) return encodeLater(successor, box, chunks, choice, job);
        const { dims: shape, elementBytes } = box;
        let known = 0;
        const onChunks = (finished: readonly EncodedChunk[]) => {
          for (const chunk of finished) samples.add(chunk, (chunks[known++] as ChunkBox).shape, elementBytes);
          job.onChunks?.(finished);
        };
        return byThreads(
          chunkBytes({ shape, elementBytes }),
          { ...job, onChunks },
          async (job) => (await threads.encodeFile?.(box, chunks, choice, job)) as EncodedChunk[],
          (next) => encodeLater(next, box, chunks, choice, withoutChunks(job)),
        );
      },
    }),

    decode: async (...given) => {
      hasWorked.successor = true;
      return (await begin()).decode(...given);
    },

    ...(threads.decodeLent && {
      decodeLent: async (
        chunks: readonly EncodedChunk[],
        boxes: readonly ChunkBox[],
        box: Omit<VoxelBox, 'bytes'>,
        job: BackendJob = {},
      ) => {
        if (successor) return decodeLater(successor, chunks, boxes, box, job);
        const { dims: shape, elementBytes } = box;
        chunks.forEach((chunk, at) => {
          samples.add(chunk, (boxes[at] as ChunkBox).shape, elementBytes);
        });
        return byThreads(
          chunkBytes({ shape, elementBytes }),
          job,
          async (job) => (await threads.decodeLent?.(chunks, boxes, box, job)) as LentVoxels,
          (next) => decodeLater(next, chunks, boxes, box, job),
        );
      },
    }),

    async destroy() {
      isDestroyed = true;
      clearTimeout(timer);
      // The caller closes the other backend next, and a process that ends while kernels are compiled may crash.
      end.abort();
      await Promise.all([threads.destroy(), warming]);
    },
  };
}

/** For a box that is handed over: some of its chunks may have been reported already. */
function withoutChunks(job: BackendJob): BackendJob {
  return { ...job, onChunks: undefined };
}

/** If halved voxels belong into memory of the threads, this thread copies them there. @param dims of the box */
function forSuccessor(dims: Dims3, job: BackendJob): BackendJob {
  const { halving } = job;
  if (!halving?.into) return job;
  const { steps, further = [], type, into } = halving;
  const halvedDims = dimsOfHalvings(dims, [steps, ...further], type);
  const onHalved = (results: readonly Uint8Array[], release = () => {}) => {
    for (const [index, bytes] of results.entries()) {
      const halved = { bytes: bytes as Uint8Array<ArrayBuffer>, dims: halvedDims[index] as Dims3 };
      putPlanes(halved, placesOf(into[index] ?? []));
    }
    release();
  };
  return { ...job, halving: { ...halving, into: undefined, onHalved } };
}

/** Reads a box into memory of the backend that will encode it. */
async function readBox(next: Backend, box: ReadableBox, job: BackendJob) {
  throwIfAborted(job.signal);
  const { dims, elementBytes } = box;
  const byteLength = chunkBytes({ shape: dims, elementBytes });
  const start = performance.now();
  const receiver = await next.receive?.({ dims, elementBytes });
  if (!receiver) {
    const bytes = new Uint8Array(byteLength);
    await box.fill(bytes, 0);
    job.onSpan?.('read', start, performance.now(), byteLength);
    return { voxels: { bytes, dims, elementBytes }, release() {} };
  }
  let at = 0;
  try {
    await receiver.fill(async (bytes) => {
      await box.fill(bytes, at);
      at += bytes.byteLength;
    });
  } catch (error) {
    receiver.release();
    throw error;
  }
  job.onSpan?.('read', start, performance.now(), byteLength);
  return { voxels: receiver, release: () => receiver.release() };
}
