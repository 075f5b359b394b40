import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { placePayloads } from '../codec/batch.ts';
import { firstDifference, makeChunk, poisonedBox, putChunk, takeChunk, testPatterns } from '../codec/chunk-testing.ts';
import type { CodecElementBytes, GpuChunk, GpuVoxels } from '../codec/codec.ts';
import { decodeChunks } from '../codec/decode-chunks.ts';
import { createKernels } from '../codecs/kernels.ts';
import { codecs } from '../codecs/registry.ts';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { standardTuning, type TuningChoice, type TuningName, tuningChoices, tuningNames } from '../gpu/tuning.ts';
import type { Dims3 } from '../shared/volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { testInfo } from '../volume/resident-testing.ts';
import { tuneGpu } from './tune.ts';
import { ViewStage } from './view.ts';
import { turned } from './view-turning.ts';

const gpu = await openTestGpu();
/** Divides into chunks of whole bricks, clipped chunks, and chunks whose edges lie within words. */
const dims: Dims3 = [45, 37, 19];
const chunkShape: Dims3 = [32, 16, 16];
const blobs = testPatterns.blobs as (typeof testPatterns)[string];

/** A box in chunks with alternating axes, and their payloads from the codec's reference. */
function coded(choice: TuningName, elementBytes: CodecElementBytes) {
  const codec = codecs.find(({ name }) => choice.startsWith(`${name}.`)) as (typeof codecs)[number];
  const box = poisonedBox(dims, elementBytes, 0);
  putChunk(box, [0, 0, 0], makeChunk(dims, elementBytes, blobs));
  const grid = new ChunkGrid([...dims, 1], chunkShape);
  const chunks = Array.from({ length: grid.count }, (_, index): GpuChunk => {
    const { origin, shape } = grid.box(index);
    const axis = (['x', 'y', 'z'] as const)[index % 3] as 'x';
    return { origin, shape, parameters: codec.choose({ changes: [1, 1, 1] }, { shape, elementBytes }, { axis }) };
  });
  const payloads = chunks.map(({ origin, shape, parameters }) =>
    codec.reference.encode(takeChunk(box, origin, shape), parameters),
  );
  return { kernels: createKernels(codec, gpu), box, chunks, payloads };
}

/** Encodes, and compares the result with the reference's. */
async function expectEncoding(name: TuningName, elementBytes: CodecElementBytes): Promise<void> {
  const { kernels, box, chunks, payloads } = coded(name, elementBytes);
  await withOthers(name, async (what) => {
    using scope = gpu.scope('test');
    const voxels: GpuVoxels = { ...box, buffer: scope.storage('test.box', box.bytes.byteLength, box.bytes) };
    const { buffer, byteOffsets, byteLengths } = await kernels.encode(voxels, chunks, { scope });
    const encoded = await gpu.read(buffer as GPUBuffer);
    expect(byteLengths, what).toEqual(payloads.map(({ byteLength }) => byteLength));
    for (const [index, payload] of payloads.entries()) {
      const offset = byteOffsets[index] as number;
      expect(firstDifference(encoded.subarray(offset, offset + payload.byteLength), payload), what).toBe(undefined);
    }
  });
}

/** Decodes what the reference encoded. */
async function expectDecoding(name: TuningName, elementBytes: CodecElementBytes): Promise<void> {
  const { kernels, box, chunks, payloads } = coded(name, elementBytes);
  const byteLengths = payloads.map(({ byteLength }) => byteLength);
  const { byteOffsets, totalBytes } = placePayloads(byteLengths);
  const joined = new Uint8Array(totalBytes);
  for (const [index, payload] of payloads.entries()) joined.set(payload, byteOffsets[index]);
  await withOthers(name, async (what) => {
    using scope = gpu.scope('test');
    const buffer = scope.storage('test.payloads', totalBytes, joined);
    const { bytes } = poisonedBox(box.dims, elementBytes, 0);
    const target: GpuVoxels = { ...box, buffer: scope.storage('test.target', bytes.byteLength, bytes) };
    await decodeChunks(gpu, 'test', kernels, { buffer, byteOffsets, byteLengths }, chunks, target, { scope });
    expect(firstDifference(await gpu.read(target.buffer), box.bytes), what).toBe(undefined);
  });
}

/** Runs `check` with each value of a choice except the standard, which other tests cover. */
async function withOthers(name: TuningName, check: (what: string) => Promise<void>): Promise<void> {
  const { values, standard }: TuningChoice = tuningChoices[name];
  try {
    for (const value of values.filter((each) => each !== standard)) {
      gpu.tuning = { ...standardTuning, [name]: value };
      await check(`${name} ${value}`);
    }
  } finally {
    gpu.tuning = standardTuning;
  }
}

const checks: Readonly<Record<TuningName, () => Promise<void>>> = {
  'rice.decode': async () => {
    await expectDecoding('rice.decode', 1);
    await expectDecoding('rice.decode', 2);
  },
  'huffman.gather': () => expectEncoding('huffman.gather', 2),
  'parle.expand': async () => {
    await expectDecoding('parle.expand', 1);
    await expectDecoding('parle.expand', 4);
  },
  'view.rays': async () => {
    const volume = await ResidentVolume.create(gpu, testInfo([16, 16, 16, 1], 'u8'), { chunkShape: [8, 8, 8] });
    try {
      using scope = gpu.scope('test');
      const size = { width: 61, height: 35 };
      volume.append(makeChunk([16, 16, 16], 1, blobs).bytes);
      const stage = new ViewStage(gpu, scope, await volume.displayTexture(0), [0, 90], size);
      const view = turned(0.1, size);
      const expected = await stage.pixels('mip', view);
      expect(Math.max(...expected)).toBeGreaterThan(100);
      await withOthers('view.rays', async (what) => {
        expect(firstDifference(await stage.pixels('mip', view), expected), what).toBe(undefined);
      });
    } finally {
      volume.destroy();
    }
  },
};

test.each(tuningNames)('%s: every value gives the same bytes', (name) => checks[name]());

test('a calibration times every value and leaves memory and tuning unchanged', async () => {
  const before = { ...standardTuning, 'rice.decode': 64 };
  gpu.tuning = before;
  try {
    const heard: string[] = [];
    const bytes = gpu.memory.liveBytes();
    const report = await tuneGpu(gpu, { size: 8, onChoice: ({ name }) => heard.push(name) });
    expect(heard).toEqual(tuningNames);
    for (const { values, chosen, medianMs } of report.choices) {
      expect(values).toContain(chosen);
      expect(medianMs).toHaveLength(values.length);
      if (gpu.hasTimestamps) expect(Math.max(...medianMs)).toBeGreaterThan(0);
    }
    expect(gpu.tuning).toBe(before);
    expect(gpu.memory.liveBytes()).toBe(bytes);
  } finally {
    gpu.tuning = standardTuning;
  }
});

test('a calibration that is cancelled leaves nothing behind', async () => {
  const controller = new AbortController();
  const running = tuneGpu(gpu, { size: 8, signal: controller.signal, onChoice: () => controller.abort() });
  await expect(running).rejects.toMatchObject({ tag: 'aborted' });
  expect(gpu.tuning).toBe(standardTuning);
});
