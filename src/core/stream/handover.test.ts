import { describe, expect, test } from 'vitest';
import type { Backend } from '../chunks/backend.ts';
import { chunkBytes } from '../codec/batch.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { createHandoverBackend } from '../cpu/handover-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { memorySource, type ReadSharedFile } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import { compressVolume } from './compress/compress.ts';
import { auto, compressBytes, infoOf, only, voxelsOf, watchedSink } from './engine-testing.ts';
import { allLevels } from './levels/leveled-writer.ts';
import { memoryVolume } from './memory-volume.ts';
import { restoreVolume } from './restore/restore.ts';

/** Eight layers of one box each. */
const info = infoOf([64, 64, 512, 1], 'u8');
const boxes = 8;
const voxels = voxelsOf(info, 'noise').map((value, at) => (at % 2 ** 16 < 2 ** 12 ? value : 0));
const gpuDevice = { kind: 'gpu', name: 'a GPU', software: false } as const;
const plain = createCpuBackend(inlinePool());
/** By their paths. */
const files = new Map<string, Uint8Array>();
const readInMemory: ReadSharedFile = ({ path }, position, target) => {
  target.set(files.get(path)?.subarray(position, position + target.byteLength) ?? []);
  return target.byteLength;
};
const fileThreads = createCpuBackend(inlinePool(readInMemory), inlinePool(readInMemory));

/** A volume in a file that any thread can read. */
function fileOf(path: string, info: VolumeInfo, voxels: Uint8Array<ArrayBuffer>) {
  files.set(path, voxels);
  return {
    ...memoryVolume(info, voxels),
    place: { file: { path, descriptor: 0 }, start: 0 },
    async fill(target: Uint8Array<ArrayBuffer>, start: number) {
      target.set(voxels.subarray(start, start + target.byteLength));
    },
  };
}

const inFile = fileOf('a.raw', info, voxels);

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
  const done = { threads: 0, gpu: 0, destroyed: 0, expectedBytes: 0 };
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
    expect: (byteLength) => {
      done.expectedBytes = byteLength;
    },
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
      const bytes = new Uint8Array(chunkBytes({ ...box, shape: box.dims }));
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
  expect(done).toMatchObject({ gpu: 0, expectedBytes: voxels.length });
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

test.each(['a file', 'memory'])('chunks of a box in %s that is handed over are reported once', async (place) => {
  const grid = new ChunkGrid(info.dims, [32, 32, 64]);
  const chunks = [0, 1, 2, 3].map((number) => grid.box(number));
  const slow: Backend = {
    ...fileThreads,
    async encodeFile(box, chunks, choice, job) {
      await fileThreads.encodeFile?.(box, chunks.slice(0, 2), choice, job);
      return untilAborted(job?.signal);
    },
    async encode(box, chunks, choice, job) {
      await fileThreads.encode(box, chunks.slice(0, 2), choice, job);
      return untilAborted(job?.signal);
    },
  };
  const mixed = createHandoverBackend({ threads: slow, open: async () => fileThreads, boxesAtOnce: 3, patience });
  const reported: EncodedChunk[] = [];
  const box = { place: inFile.place, fill: inFile.fill, dims: [64, 64, 64] as const, elementBytes: 1 as const };
  const onChunks = (finished: readonly EncodedChunk[]) => reported.push(...finished);
  const inMemory = { bytes: voxels.slice(0, 2 ** 18), dims: box.dims, elementBytes: box.elementBytes };
  const encoded = await (place === 'memory'
    ? mixed.encode(inMemory, chunks, auto, { onChunks })
    : mixed.encodeFile?.(box, chunks, auto, { onChunks }));
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

test('without a sample, the GPU takes over while it still guesses which kernels it needs', async () => {
  let guesses = 0;
  const gpu: Backend = {
    ...plain,
    device: gpuDevice,
    prepareEncode: () => {
      guesses++;
      return new Promise<void>(() => {});
    },
  };
  const silent: Backend = { ...fileThreads, encodeFile: (_box, _chunks, _choice, job) => untilAborted(job?.signal) };
  const backend = createHandoverBackend({
    threads: silent,
    open: async () => gpu,
    boxesAtOnce: 3,
    maxBoxBytes: 2 ** 18,
    patience,
  });
  expect(Buffer.compare((await compressed(backend)).bytes, (await expected()).bytes)).toBe(0);
  expect(guesses).toBe(1);
  await backend.destroy();
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
  // The GPU opens once threads have a result, which is the sample.
  const patient = { ...patience, silentMs: 60_000 };
  const backend = createHandoverBackend({ threads: fileThreads, open: async () => gpu, boxesAtOnce: 3, patience: patient });
  const chunks = [0, 1, 2, 3].map((number) => new ChunkGrid(info.dims, [32, 32, 64]).box(number));
  await backend.prepareEncode?.([[32, 32, 64]], 1, auto);
  const box = { place: inFile.place, fill: inFile.fill, dims: [64, 64, 64] as const, elementBytes: 1 as const };
  await backend.encodeFile?.(box, chunks, auto);
  await warming;
  await backend.destroy();
  expect(isEnded).toBe(true);
});

describe('levels', () => {
  const small = infoOf([141, 45, 261, 1], 'u16');
  const someNoise = voxelsOf(small, 'noise').map((value, at) => (at % 2 ** 14 < 2 ** 10 ? value : 0));
  /** Too few mixed squares at first to say how voxels are halved. */
  const lateNoise = someNoise.map((value, at) => (at < 2 ** 18 ? 0 : value));
  const labels = new Uint8Array(2 * 141 * 45 * 261);
  for (let at = 0; at < labels.length; at += 2) labels[at] = Math.floor(((at / 2) % 141) / 13) % 3;

  test.each([
    ['means', someNoise, 'mean'],
    ['modes', someNoise, 'mode'],
    ['of labels, as they suggest', labels, true],
    ['of which the first planes do not show how they are made', lateNoise, true],
  ] as const)('are the same, whoever does a box: %s', async (_, voxels, levels) => {
    const volume = fileOf('levels.raw', small, voxels);
    const settings = { choice: auto, chunkShape: [32, 32, 32], levels, levelLimits: allLevels } as const;
    const whole = await compressBytes({ ...plain, maxHeldBytes: 0 }, small, voxels, settings);
    expect(whole.report.levelCount).toBe(2);
    for (const byThreads of [0, 1, 2, 5, 99]) {
      const { backend, done } = handover({ byThreads });
      const sink = watchedSink();
      const report = await compressVolume(volume, sink, { backend, ...settings });
      expect(Buffer.compare(sink.bytes(), whole.bytes), `${byThreads} boxes by threads`).toBe(0);
      if (byThreads === 99) expect([report.device.kind, done.gpu]).toEqual(['cpu', 0]);
      else expect(done.threads).toBe(byThreads);
      await backend.destroy();
    }
  });
});

test.each([
  ['streams', memoryVolume(info, voxels), false],
  ['levels of floats', fileOf('float.raw', infoOf([16, 64, 512, 1], 'f32'), voxels), 'mean'],
] as const)('%s wait for the GPU', async (_, volume, levels) => {
  const { backend, done } = handover({ byThreads: 0 });
  const sink = watchedSink();
  const report = await compressVolume(volume, sink, { backend, choice: auto, chunkShape: [16, 32, 64], levels });
  expect(done.threads).toBe(0);
  expect(report.device).toEqual(gpuDevice);
});
