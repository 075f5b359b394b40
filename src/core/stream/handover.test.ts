import { expect, test } from 'vitest';
import type { Backend } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { createHandoverBackend } from '../cpu/handover-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { memorySource, type ReadSharedFile } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { compressVolume } from './compress.ts';
import { auto, compressBytes, infoOf, only, voxelsOf, watchedSink } from './engine-testing.ts';
import { memoryVolume } from './memory-volume.ts';
import { restoreVolume } from './restore.ts';

/** Eight layers of one box each. */
const info = infoOf([64, 64, 512, 1], 'u8');
const boxes = 8;
const voxels = voxelsOf(info, 'noise').map((value, at) => (at % 2 ** 16 < 2 ** 12 ? value : 0));
const gpuDevice = { kind: 'gpu', name: 'a GPU', software: false } as const;
const plain = createCpuBackend(inlinePool());
const readInMemory: ReadSharedFile = (_file, position, target) => {
  target.set(voxels.subarray(position, position + target.byteLength));
  return target.byteLength;
};
const fileThreads = createCpuBackend(inlinePool(readInMemory), inlinePool(readInMemory));

/** The volume in a file that any thread can read. */
const inFile = {
  ...memoryVolume(info, voxels),
  place: { file: { path: 'a.raw', descriptor: 0 }, start: 0 },
  async fill(target: Uint8Array<ArrayBuffer>, start: number) {
    target.set(voxels.subarray(start, start + target.byteLength));
  },
};

const patience = { silentMs: 0, restMs: 0, paceMs: 0 };

/** Ends when the signal aborts. */
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')), { once: true });
  });

interface Setup {
  /** The GPU opens once threads have done so many boxes. They do not end any other. */
  readonly byThreads: number;
  readonly open?: () => Promise<Backend>;
}

/** A backend whose threads do a given number of boxes before it hands over. */
function handover({ byThreads, open }: Setup) {
  const done = { threads: 0, gpu: 0, destroyed: 0 };
  let begun = 0;
  let openNow = () => {};
  const opened = new Promise<void>((resolve) => {
    openNow = resolve;
  });
  if (byThreads === 0) openNow();
  const count = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    if (begun++ >= byThreads) return untilAborted(signal);
    const result = await work();
    if (++done.threads === byThreads) openNow();
    return result;
  };
  const threads: Backend = {
    ...fileThreads,
    encodeFile: (box, chunks, choice, job) =>
      count(() => fileThreads.encodeFile?.(box, chunks, choice, job) as ReturnType<Backend['encode']>, job?.signal),
    decodeLent: (chunks, places, box, job) =>
      count(
        () => fileThreads.decodeLent?.(chunks, places, box, job) as ReturnType<NonNullable<Backend['decodeLent']>>,
        job?.signal,
      ),
    async destroy() {
      done.destroyed++;
    },
  };
  const gpu: Backend = {
    ...plain,
    device: gpuDevice,
    async receive(box) {
      const bytes = new Uint8Array(box.dims[0] * box.dims[1] * box.dims[2]);
      return {
        ...box,
        async fill(fill) {
          const half = bytes.byteLength / 2;
          for (const at of [0, half]) {
            const piece = new Uint8Array(half);
            await fill(piece);
            bytes.set(piece, at);
          }
        },
        encode(...given) {
          done.gpu++;
          return plain.encode({ ...box, bytes }, ...given);
        },
        release() {},
      };
    },
    async decode(chunks, places, box, job) {
      done.gpu++;
      await plain.decode(chunks, places, box, job);
    },
  };
  const backend = createHandoverBackend({
    threads,
    open:
      open ??
      (async () => {
        await opened;
        return gpu;
      }),
    boxesAtOnce: 3,
    maxBoxBytes: 2 ** 18,
    patience,
  });
  return { backend, done };
}

const compressed = async (backend: Backend, choice = auto) => {
  const sink = watchedSink();
  const report = await compressVolume(inFile, sink, { backend, choice, chunkShape: [32, 32, 64] });
  return { bytes: sink.bytes(), report };
};
const expected = (choice = auto) => compressBytes(plain, info, voxels, { choice, chunkShape: [32, 32, 64] });

const restored = async (backend: Backend, container: Uint8Array) => {
  const sink = watchedSink();
  const reader = await ContainerReader.open(memorySource('a.stria', container));
  const report = await restoreVolume(reader, async () => sink, { backend, baseName: 'a' });
  return { bytes: sink.bytes(), report };
};

test.each([0, 1, 3, 5, 7])('threads compress %i boxes and the GPU the others: the file is the same', async (byThreads) => {
  const { backend, done } = handover({ byThreads });
  const { bytes, report } = await compressed(backend);
  expect(Buffer.compare(bytes, (await expected()).bytes)).toBe(0);
  expect(done).toMatchObject({ threads: byThreads, gpu: boxes - byThreads });
  expect(report.device).toEqual(byThreads === 0 ? gpuDevice : { ...gpuDevice, name: 'a GPU and CPU, 2 threads' });
  expect(done.destroyed).toBeGreaterThan(0);
});

test.each([0, 1, 3, 5, 7])('threads restore %i slabs and the GPU the others: the file is the same', async (byThreads) => {
  const { bytes: container } = await expected();
  const { backend, done } = handover({ byThreads });
  const { bytes, report } = await restored(backend, container);
  expect(Buffer.compare(bytes, voxels)).toBe(0);
  expect(done.threads).toBe(byThreads);
  expect(done.gpu).toBe(boxes - byThreads);
  expect(report.device.name).toBe(byThreads === 0 ? 'a GPU' : 'a GPU and CPU, 2 threads');
});

test('if threads do all boxes before the GPU is open, nobody waits for it', async () => {
  const never = () => new Promise<Backend>(() => {});
  const { backend, done } = handover({ byThreads: boxes, open: never });
  const { bytes, report } = await compressed(backend);
  expect(Buffer.compare(bytes, (await expected()).bytes)).toBe(0);
  expect(report.device).toEqual({ kind: 'cpu', name: 'CPU, 2 threads', software: false });
  expect(done.gpu).toBe(0);
  const other = handover({ byThreads: boxes, open: never });
  expect(Buffer.compare((await restored(other.backend, bytes)).bytes, voxels)).toBe(0);
  await backend.destroy();
});

test('a box that threads have begun is encoded again if the GPU is sooner', async () => {
  const { backend } = handover({ byThreads: 0 });
  const slow: Backend = {
    ...fileThreads,
    async encodeFile(box, chunks, choice, job) {
      const part = await fileThreads.encodeFile?.(box, chunks.slice(0, 2), choice, { ...job, firstChunk: 0 });
      await part;
      return untilAborted(job?.signal);
    },
  };
  const mixed = createHandoverBackend({
    threads: slow,
    open: async () => backend,
    boxesAtOnce: 3,
    maxBoxBytes: 2 ** 18,
    patience,
  });
  const progress: number[] = [];
  const sink = watchedSink();
  const onProgress = ({ done }: { done: number }) => progress.push(done);
  await compressVolume(inFile, sink, { backend: mixed, choice: only('rle'), chunkShape: [32, 32, 64] }, { onProgress });
  expect(Buffer.compare(sink.bytes(), (await expected(only('rle'))).bytes)).toBe(0);
  expect(Math.max(...progress)).toBe(voxels.length);
});

test('chunks of a box that is handed over are reported once', async () => {
  const grid = new ChunkGrid(info.dims, [32, 32, 64]);
  const chunks = [0, 1, 2, 3].map((number) => grid.box(number));
  const slow: Backend = {
    ...fileThreads,
    async encodeFile(box, chunks, choice, job) {
      await fileThreads.encodeFile?.(box, chunks.slice(0, 2), choice, job);
      return untilAborted(job?.signal);
    },
  };
  const mixed = createHandoverBackend({ threads: slow, open: async () => fileThreads, boxesAtOnce: 3, patience });
  const reported: EncodedChunk[] = [];
  const box = { place: inFile.place, fill: inFile.fill, dims: [64, 64, 64] as const, elementBytes: 1 as const };
  const onChunks = (finished: readonly EncodedChunk[]) => reported.push(...finished);
  const encoded = await mixed.encodeFile?.(box, chunks, auto, { onChunks });
  expect(encoded).toHaveLength(4);
  expect(reported).toEqual(encoded?.slice(0, 2));
});

test('without a GPU, whatever is opened instead does the rest', async () => {
  const { backend } = handover({ byThreads: 2, open: async () => fileThreads });
  const { bytes, report } = await compressed(backend);
  expect(Buffer.compare(bytes, (await expected()).bytes)).toBe(0);
  expect(report.device).toEqual(fileThreads.device);
});

test('a GPU that fails to open fails the work that needs it', async () => {
  const open = async () => {
    throw new StriaError('device-lost', 'gone');
  };
  const slow: Backend = {
    ...fileThreads,
    async encodeFile(...given) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return fileThreads.encodeFile?.(...given) as ReturnType<Backend['encode']>;
    },
  };
  const backend = createHandoverBackend({ threads: slow, open, boxesAtOnce: 3, maxBoxBytes: 2 ** 18, patience });
  const sink = watchedSink();
  const work = compressVolume(inFile, sink, { backend, choice: auto, chunkShape: [32, 32, 64] });
  await expect(work).rejects.toMatchObject({ tag: 'device-lost' });
  expect([sink.closed, sink.aborted]).toEqual([0, 1]);
});

test('a cancel takes effect while the GPU is being opened', async () => {
  const cancel = new AbortController();
  const { backend } = handover({ byThreads: 1, open: () => new Promise(() => {}) });
  const sink = watchedSink();
  const work = compressVolume(inFile, sink, { backend, choice: auto, chunkShape: [32, 32, 64] }, { signal: cancel.signal });
  setTimeout(() => cancel.abort(), 20);
  await expect(work).rejects.toMatchObject({ tag: 'aborted' });
  expect([sink.closed, sink.aborted]).toEqual([0, 1]);
});

test('the end waits for the kernels that are being compiled', async () => {
  let isEnded = false;
  let begun = () => {};
  const warming = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const gpu: Backend = {
    ...plain,
    device: gpuDevice,
    async encode(_box, _chunks, _choice, job) {
      begun();
      await untilAborted(job?.signal).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 10));
      isEnded = true;
      return [];
    },
  };
  const backend = createHandoverBackend({ threads: fileThreads, open: async () => gpu, boxesAtOnce: 3, patience });
  const chunks = [0, 1, 2, 3].map((number) => new ChunkGrid(info.dims, [32, 32, 64]).box(number));
  await backend.prepareEncode?.([[32, 32, 64]], 1, auto);
  const box = { place: inFile.place, fill: inFile.fill, dims: [64, 64, 64] as const, elementBytes: 1 as const };
  await backend.encodeFile?.(box, chunks, auto);
  await warming;
  await backend.destroy();
  expect(isEnded).toBe(true);
});

test('levels, streams and interleaved time points wait for the GPU', async () => {
  for (const [volume, levels] of [
    [inFile, 'mean'],
    [memoryVolume(info, voxels), false],
  ] as const) {
    const { backend, done } = handover({ byThreads: 0 });
    const sink = watchedSink();
    const report = await compressVolume(volume, sink, { backend, choice: auto, chunkShape: [32, 32, 64], levels });
    expect(done.threads).toBe(0);
    expect(report.device).toEqual(gpuDevice);
  }
});
