import { describe, expect, test } from 'vitest';
import { openNodeGpu } from '../../node/node-gpu.ts';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { analyze } from '../chunks/analyze.ts';
import type { ChunkBox, EncodeChoice, VoxelBox } from '../chunks/backend.ts';
import { gatherChunk } from '../chunks/boxes.ts';
import { headBytes } from '../chunks/ramp.ts';
import { halfInterpolated } from '../codec/chunk-testing.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { survey } from '../codec/survey.ts';
import { codecByName } from '../codecs/registry.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { spreadDispatches } from '../gpu/spread-testing.ts';
import { StriaError } from '../shared/errors.ts';
import { type Dims3, type Dims4, elementTypes } from '../shared/volume.ts';
import { compressVolume } from '../stream/compress/compress.ts';
import { auto, compressBytes, infoOf, type Look, only, restoreBytes, voxelsOf, watchedSink } from '../stream/engine-testing.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { KernelClock } from '../stream/stage-times.ts';
import { createGpuBackend } from './gpu-backend.ts';
import { analyzeOnGpu, paddedBoxBytes } from './gpu-chunks.ts';
import { uploadBox } from './gpu-transfer.ts';

const gpu = await openTestGpu();
const cpu = createCpuBackend(inlinePool());
const backend = createGpuBackend(gpu);

/** Chunks of `shape` over a box, clipped at its end. */
function chunksOf(dims: Dims3, shape: Dims3): ChunkBox[] {
  const chunks: ChunkBox[] = [];
  for (let z = 0; z < dims[2]; z += shape[2]) {
    for (let y = 0; y < dims[1]; y += shape[1]) {
      for (let x = 0; x < dims[0]; x += shape[0]) {
        const clipped: Dims3 = [
          Math.min(shape[0], dims[0] - x),
          Math.min(shape[1], dims[1] - y),
          Math.min(shape[2], dims[2] - z),
        ];
        chunks.push({ origin: [x, y, z], shape: clipped });
      }
    }
  }
  return chunks;
}

function boxOf(dims: Dims3, elementBytes: CodecElementBytes, look: Look): VoxelBox {
  const type = ({ 1: 'u8', 2: 'u16', 4: 'u32' } as const)[elementBytes];
  return { bytes: voxelsOf(infoOf([...dims, 1], type), look), dims, elementBytes };
}

test('statistics and checksums of the GPU are those of the CPU', async () => {
  for (const elementBytes of [1, 2, 4] as const) {
    for (const [dims, shape] of [
      [
        [1, 1, 1],
        [64, 64, 64],
      ],
      [
        [13, 17, 23],
        [4, 8, 5],
      ],
      [
        [37, 5, 40],
        [64, 64, 64],
      ],
      [
        [3, 2, 300],
        [4, 2, 100],
      ],
      [
        [2000, 3, 1],
        [64, 2, 1],
      ],
      [
        [70, 66, 65],
        [64, 64, 64],
      ],
      // All rows are whole quads, and there are more slices than one invocation walks.
      [
        [64, 9, 20],
        [32, 8, 11],
      ],
    ] satisfies [Dims3, Dims3][]) {
      for (const look of ['noise', 'blobs', 'constant'] as const) {
        const box = boxOf(dims, elementBytes, look);
        const chunks = chunksOf(dims, shape);
        using scope = gpu.scope('test');
        const voxels = uploadBox(gpu, scope, box);
        const analyses = await analyzeOnGpu(gpu, { voxels, chunks }, { scope }, true);
        const found = analyses.map((one) => {
          return { changes: one.changes, checksum: one.checksum, head: one.head(), survey: one.survey() };
        });
        const expected = chunks.map((chunk) => {
          const bytes = gatherChunk(box, chunk);
          const one = { bytes, shape: chunk.shape, elementBytes };
          return {
            ...analyze(one),
            head: bytes.slice(0, Math.min(headBytes, chunk.shape[0] * elementBytes)),
            survey: survey(one),
          };
        });
        expect(found, `${elementBytes} ${dims} ${look}`).toEqual(expected);
      }
    }
  }
});

test('with maximum effort GPU and CPU keep the same of several results', async () => {
  const { bytes, shape, elementBytes } = halfInterpolated([96, 96, 1]);
  const box = { bytes: new Uint8Array(bytes), dims: shape, elementBytes };
  const thorough: EncodeChoice = { codec: 'auto', options: { axis: 'auto', effort: 'max' } };
  // By the estimates the picture would go to predict+huffman; the noise goes to none.
  const noise = boxOf([33, 20, 3], 2, 'noise');
  for (const [one, codecId] of [
    [box, codecByName('wave').id],
    [noise, codecByName('raw').id],
  ] as const) {
    const chunks = chunksOf(one.dims, one.dims);
    const [encoded] = await backend.encode(one, chunks, thorough);
    expect([encoded]).toEqual(await cpu.encode(one, chunks, thorough));
    expect(encoded).toMatchObject({ stages: [{ codecId }] });
  }
});

test('GPU and CPU give the same file, and each reads it: every type, odd dims, time points', async () => {
  const shapes = [
    [
      [13, 17, 23, 1],
      [8, 8, 8],
    ],
    [
      [9, 5, 3, 3],
      [64, 64, 64],
    ],
    [
      [70, 66, 9, 1],
      [64, 32, 64],
    ],
  ] satisfies [Dims4, Dims3][];
  for (const [index, type] of elementTypes.entries()) {
    // Codecs know widths, not signs: every shape with the first type, and by turns with each of the others.
    for (const [dims, chunkShape] of shapes.filter((_, at) => index === 0 || at === index % 3)) {
      const info = infoOf(dims, type);
      const voxels = voxelsOf(info, 'blobs');
      const here = await compressBytes(backend, info, voxels, { chunkShape });
      const there = await compressBytes(cpu, info, voxels, { chunkShape });
      expect(here.bytes, `${type} ${dims}`).toEqual(there.bytes);
      expect(here.report.kernelTimes?.ms.analyze).toBeGreaterThanOrEqual(0);
      expect((await restoreBytes(backend, here.bytes)).get('volume.raw')).toEqual(voxels);
      expect((await restoreBytes(cpu, here.bytes)).get('volume.raw')).toEqual(voxels);
    }
  }
});

describe.each(['default dispatches', 'spread dispatches'])('%s', (way) => {
  if (way === 'spread dispatches') spreadDispatches(gpu);
  test('noise, constants and each codec and axis: the same bytes as on the CPU', async () => {
    const info = infoOf([66, 40, 33, 1], 'u16');
    const cases = [
      ['constant', [auto]],
      ['noise', [auto, only('rle', 'x')]],
      ['blobs', [auto, only('raw'), only('rle', 'y'), only('rle', 'z')]],
    ] as const;
    for (const [look, choices] of cases) {
      const voxels = voxelsOf(info, look);
      for (const choice of choices) {
        const expected = await compressBytes(cpu, info, voxels, { choice, chunkShape: [32, 32, 32] });
        const { bytes } = await compressBytes(backend, info, voxels, { choice, chunkShape: [32, 32, 32] });
        expect(bytes).toEqual(expected.bytes);
        expect((await restoreBytes(backend, bytes)).get('volume.raw')).toEqual(voxels);
        expect(expected.bytes.length).toBeLessThan(1.01 * voxels.length + 2000);
      }
    }
  });
});

test('what was prepared is compiled before the first chunk; once codecs are chosen, no more is guessed', async () => {
  const dims: Dims3 = [64, 32, 32];
  const chunks = chunksOf(dims, [32, 32, 32]);
  const box = boxOf(dims, 1, 'blobs');
  // Only a hardware GPU compiles beside the CPU's work.
  const own = await openNodeGpu({ software: true });
  Object.defineProperty(own, 'isSoftware', { value: false });
  try {
    const shaders: string[] = [];
    const { device } = own;
    const create = device.createShaderModule.bind(device);
    device.createShaderModule = (descriptor) => {
      shaders.push(descriptor.label as string);
      return create(descriptor);
    };
    const prepared = createGpuBackend(own);
    await prepared.prepareEncode?.([[32, 32, 32]], 1, only('rle+huffman'));
    expect(shaders).toEqual(
      expect.arrayContaining(['engine.analyze', 'rle.measure', 'rle.write', 'huffman.code', 'huffman.write']),
    );
    const before = [...shaders];
    const encoded = await prepared.encode(box, chunks, only('rle+huffman'));
    expect(encoded).toEqual(await cpu.encode(box, chunks, only('rle+huffman')));
    expect(shaders).toEqual(before);
    await prepared.prepareCheck([[32, 32, 32]], 1, only('rle+huffman'));
    await own.settle();
    const withDecoders = [...shaders];
    expect(withDecoders).toContain('engine.compare');
    using scope = own.scope('test');
    const resident = { voxels: uploadBox(own, scope, box), chunks };
    const kept = await prepared.encodeKept(resident, only('rle+huffman'));
    expect(await prepared.checkKept(resident, kept)).toEqual({ differingWords: 0 });
    kept.release();
    expect(shaders).toEqual(withDecoders);
    await prepared.prepareEncode?.([[32, 32, 32]], 1, auto);
    expect(shaders.filter((label) => /^(rice|predict)/.test(label))).toEqual([]);
  } finally {
    own.destroy();
  }
});

test('voxels that are on the GPU are encoded, checked and decoded there', async () => {
  const dims: Dims3 = [70, 40, 37];
  const chunks = chunksOf(dims, [32, 32, 32]);
  for (const elementBytes of [1, 2, 4] as const) {
    const box = boxOf(dims, elementBytes, 'blobs');
    const clock = new KernelClock();
    using scope = gpu.scope('test');
    const voxels = uploadBox(gpu, scope, box);
    const encoded = await backend.encodeResident({ voxels, chunks }, auto, { onTimes: clock.onTimes });
    expect(encoded.chunks).toEqual(await cpu.encode(box, chunks, auto));
    const job = { onTimes: clock.onTimes };
    const kept = await backend.encodeKept({ voxels, chunks }, auto, job);
    expect(await backend.checkKept({ voxels, chunks }, kept, job)).toEqual({ differingWords: 0 });
    // Each codec decodes its own output.
    const timed = Object.keys(clock.times()?.ms ?? {});
    expect(timed).toEqual(expect.arrayContaining(['analyze', 'check']));
    const coded = timed.flatMap((name) => /^(\w+)\.decode$/.exec(name)?.[1] ?? []);
    expect(coded.length).toBeGreaterThan(0);
    expect(timed).toEqual(expect.arrayContaining(coded.map((codec) => `${codec}.encode`)));

    const decoded = { ...voxels, buffer: scope.storage('decoded', voxels.buffer.size) };
    await backend.decodeResident(encoded.chunks, { voxels: decoded, chunks });
    // A reused buffer may be longer than its box.
    const byteLength = paddedBoxBytes(dims, elementBytes);
    expect(await gpu.read(decoded.buffer, 0, byteLength)).toEqual(await gpu.read(voxels.buffer, 0, byteLength));

    // One changed element anywhere, row ends and padding's neighbours included, is found.
    for (const [x, y, z] of [
      [0, 0, 0],
      [69, 39, 36],
      [33, 31, 32],
    ] satisfies Dims3[]) {
      const changed = { ...box, bytes: box.bytes.slice() };
      const at = ((z * dims[1] + y) * dims[0] + x) * elementBytes;
      changed.bytes[at] = (changed.bytes[at] as number) ^ 1;
      const other = uploadBox(gpu, scope, changed);
      expect(await backend.checkKept({ voxels: other, chunks }, kept)).toEqual({ differingWords: 1 });
    }
    kept.release();
  }
});

test('damage is named: by chunk, all of it where that is asked for, and chunks beside it are decoded', async () => {
  const dims: Dims3 = [64, 64, 32];
  const chunks = chunksOf(dims, [32, 32, 32]);
  const box = boxOf(dims, 1, 'noise');
  const encoded = await cpu.encode(box, chunks, auto);
  const damaged = encoded.map((chunk, index) => {
    if (chunk.kind !== 'coded') return chunk;
    if (index === 1) return { ...chunk, payload: chunk.payload.slice(0, -5) };
    if (index === 2) return { ...chunk, stages: [{ codecId: 999, parameters: new Uint8Array(0) }] };
    return index === 3 ? { ...chunk, stages: [{ codecId: 1, parameters: Uint8Array.of(1) }] } : chunk;
  });
  for (const one of [backend, cpu]) {
    const target = { ...box, bytes: new Uint8Array(box.bytes.length) };
    const fault = await one.decode(damaged, chunks, target, { firstChunk: 10 }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(StriaError);
    expect((fault as StriaError).context[0]).toMatch(/^chunk 1[234]$/);
    const found = new Map<number, string>();
    await one.decode(damaged, chunks, target, { firstChunk: 10, onDamage: (chunk, { tag }) => void found.set(chunk, tag) });
    expect([...found].sort()).toEqual([
      [11, 'corrupt'],
      [12, 'unsupported'],
      [13, 'corrupt'],
    ]);
    const [first] = chunks as [ChunkBox];
    expect(gatherChunk(target, first)).toEqual(gatherChunk(box, first));
  }
});

test('an abort half-way stops the work, frees the GPU, and leaves no output', async () => {
  const info = infoOf([64, 64, 256, 1], 'u8');
  for (const share of [0, 0.3, 0.9]) {
    const controller = new AbortController();
    const sink = watchedSink();
    const narrow = { ...backend, maxBoxBytes: 2 ** 17 };
    if (share === 0) controller.abort();
    const onProgress = ({ done, total = 0 }: { done: number; total: number | undefined }) => {
      if (done > share * total) controller.abort();
    };
    const work = compressVolume(
      memoryVolume(info, voxelsOf(info, 'blobs')),
      sink,
      { backend: narrow, choice: only('rle'), chunkShape: [32, 32, 32] },
      { signal: controller.signal, onProgress },
    );
    await expect(work).rejects.toMatchObject({ tag: 'aborted' });
    expect([sink.closed, sink.aborted]).toEqual([0, 1]);
  }
});

test('a device that goes away in the middle is told as such, and leaves no output', async () => {
  const info = infoOf([64, 64, 128, 1], 'u8');
  const voxels = voxelsOf(info, 'blobs');
  const lose = async (lost: Gpu) => {
    const sink = watchedSink();
    const onProgress = () => lost.device.destroy();
    const narrow = { ...createGpuBackend(lost), maxBoxBytes: 2 ** 17 };
    const work = compressVolume(memoryVolume(info, voxels), sink, { backend: narrow, choice: only('rle') }, { onProgress });
    await expect(work).rejects.toMatchObject({ tag: 'device-lost' });
    expect([sink.closed, sink.aborted]).toEqual([0, 1]);
    expect(lost.memory.liveBytes()).toBe(0);
  };
  await lose(await openNodeGpu({ software: true }));
  const later = await openNodeGpu({ software: true });
  setTimeout(() => later.device.destroy(), 20);
  await lose(later);
});
