import { expect, test } from 'vitest';
import { openTestGpu } from '../../cli/node-gpu-testing.ts';
import type { CodecElementBytes, GpuChunk, GpuVoxels } from '../codecs/codec.ts';
import { decodeChunks } from '../codecs/decode-chunks.ts';
import { createKernels } from '../codecs/kernels.ts';
import { codecs } from '../codecs/registry.ts';
import { firstDifference, makeChunk, poisonedBox, putChunk, testPatterns } from '../codecs/test-chunks.ts';
import { analyzeOnGpu } from '../engine/gpu-chunks.ts';
import { testInfo } from '../engine/resident-testing.ts';
import { ResidentVolume } from '../engine/resident-volume.ts';
import { standardTuning, type TuningChoice, type TuningName, tuningChoices, tuningNames } from '../gpu/tuning.ts';
import type { Dims3 } from '../shared/volume.ts';
import { tuneGpu } from './tune.ts';
import { ViewStage } from './view.ts';

const gpu = await openTestGpu();

/** Chunks of whole bricks and columns, clipped ones, and ones that cut words: along x, y and z. */
const dims: Dims3 = [45, 37, 19];
const chunkShape: Dims3 = [32, 16, 16];

/** What a choice's kernels make: all that hangs on it, byte by byte. */
function work(name: TuningName): (elementBytes: CodecElementBytes) => Promise<Uint8Array> {
  const codec = codecs.find((known) => name.startsWith(`${known.name}.`));
  if (codec) return (elementBytes) => codedBytes(codec.name, elementBytes);
  return name === 'view.rays' ? pixels : analysis;
}

function uploaded(elementBytes: CodecElementBytes, scope: ReturnType<typeof gpu.scope>) {
  const box = poisonedBox(dims, elementBytes, 0);
  putChunk(box, [0, 0, 0], makeChunk(dims, elementBytes, testPatterns.blobs as (typeof testPatterns)[string]));
  const voxels: GpuVoxels = { buffer: scope.storage('test.box', box.bytes.byteLength, box.bytes), dims, elementBytes };
  const origins: Dims3[] = [];
  for (let z = 0; z < dims[2]; z += chunkShape[2])
    for (let y = 0; y < dims[1]; y += chunkShape[1]) for (let x = 0; x < dims[0]; x += chunkShape[0]) origins.push([x, y, z]);
  const chunks = origins.map((origin) => {
    const shape = chunkShape.map((length, axis) => Math.min(length, (dims[axis] as number) - (origin[axis] as number)));
    return { origin, shape: shape as unknown as Dims3 };
  });
  return { voxels, chunks };
}

async function codedBytes(name: string, elementBytes: CodecElementBytes): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const codec = codecs.find((known) => known.name === name) as (typeof codecs)[number];
  const kernels = createKernels(codec, gpu);
  const { voxels, chunks: boxes } = uploaded(elementBytes, scope);
  const chunks = boxes.map((box, index): GpuChunk => {
    const axis = (['x', 'y', 'z'] as const)[index % 3] as 'x';
    return { ...box, parameters: codec.choose({ changes: [1, 1, 1] }, { ...box, elementBytes }, { axis }) };
  });
  const payloads = await kernels.encode(voxels, chunks, { scope });
  const there = chunks.map((_, index) => index).filter((index) => (payloads.byteLengths[index] as number) > 0);
  const of = (list: readonly number[]): number[] => there.map((index) => list[index] as number);
  const byteOffsets = of(payloads.byteOffsets);
  const byteLengths = of(payloads.byteLengths);
  const own = there.map((index) => chunks[index] as GpuChunk);
  const target = {
    ...voxels,
    buffer: scope.storage('test.target', voxels.buffer.size, new Uint8Array(voxels.buffer.size).fill(0xa5)),
  };
  await decodeChunks(gpu, 'test', kernels, { buffer: payloads.buffer, byteOffsets, byteLengths }, own, target, { scope });
  const encoded = payloads.buffer ? await gpu.read(payloads.buffer) : new Uint8Array(0);
  const pieces = byteOffsets.map((offset, index) => encoded.subarray(offset, offset + (byteLengths[index] as number)));
  expect(there.length).toBeGreaterThan(0);
  return joined([...pieces, Uint8Array.from(payloads.byteLengths), await gpu.read(target.buffer)]);
}

async function analysis(elementBytes: CodecElementBytes): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const { voxels, chunks } = uploaded(elementBytes, scope);
  // Once by single words, once by quads.
  const quads = { ...voxels, dims: [16, 32, 33] as const };
  const whole = [{ origin: [0, 0, 0] as const, shape: quads.dims }];
  const found = [
    await analyzeOnGpu(gpu, { voxels, chunks }, { scope }, true),
    await analyzeOnGpu(gpu, { voxels: quads, chunks: whole }, { scope }, true),
  ];
  return new TextEncoder().encode(JSON.stringify(found));
}

async function pixels(): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const volume = await ResidentVolume.create(gpu, testInfo([16, 16, 16, 1], 'u8'), { chunkShape: [8, 8, 8] });
  try {
    volume.append(makeChunk([16, 16, 16], 1, testPatterns.blobs as (typeof testPatterns)[string]).bytes);
    const stage = new ViewStage(gpu, scope, await volume.displayTexture(0), [0, 90], { width: 61, height: 35 });
    return await stage.pixels('mip', 0.1);
  } finally {
    volume.destroy();
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

const standards = new Map<string, Promise<Uint8Array>>();

for (const name of tuningNames) {
  const { values, standard }: TuningChoice = tuningChoices[name];
  const widths: readonly CodecElementBytes[] = name === 'view.rays' ? [1] : [1, 2];
  test.each(widths)(`${name}: with each value the same bytes, elements of %i`, async (elementBytes) => {
    const run = work(name);
    const key = `${name.split('.')[0]} ${elementBytes}`;
    if (!standards.has(key)) standards.set(key, run(elementBytes));
    const expected = (await standards.get(key)) as Uint8Array;
    try {
      for (const value of values) {
        if (value === standard) continue;
        gpu.tuning = { ...standardTuning, [name]: value };
        expect(firstDifference(await run(elementBytes), expected), String(value)).toBe(undefined);
      }
    } finally {
      gpu.tuning = standardTuning;
    }
  });
}

test('a calibration times every value, and leaves memory and tuning as they were', async () => {
  const before = { ...standardTuning, 'rle.measure': 32 };
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
