import { expect, test } from 'vitest';
import { openTestGpu } from '../../cli/node-gpu-testing.ts';
import type { CodecElementBytes, GpuChunk, GpuVoxels } from '../codecs/codec.ts';
import { decodeChunks } from '../codecs/decode-chunks.ts';
import { createKernels } from '../codecs/kernels.ts';
import { codecs } from '../codecs/registry.ts';
import { firstDifference, makeChunk, poisonedBox, putChunk, testPatterns } from '../codecs/test-chunks.ts';
import { testInfo } from '../engine/resident-testing.ts';
import { ResidentVolume } from '../engine/resident-volume.ts';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { standardTuning, type TuningChoice, type TuningName, tuningChoices, tuningNames } from '../gpu/tuning.ts';
import type { Dims3 } from '../shared/volume.ts';
import { tuneGpu } from './tune.ts';
import { ViewStage } from './view.ts';

const gpu = await openTestGpu();

/** Chunks of whole bricks and columns, clipped ones, and ones that cut words: along x, y and z. */
const mixed = { dims: [45, 37, 19], chunkShape: [32, 16, 16] } as const;
/** As many segments as a workgroup of parle's encoder has two of, unless it is to have one: with more, it would have more. */
const many = { dims: [128, 128, 260], chunkShape: [128, 128, 260] } as const;

const blobs = testPatterns.blobs as (typeof testPatterns)[string];
const steps = (x: number, y: number, z: number): number => (x >> 3) ^ (y >> 4) ^ (z >> 5);

/** What a choice's kernels make: all that hangs on it, byte by byte. */
function made(name: TuningName, elementBytes: CodecElementBytes): Promise<Uint8Array> {
  if (name === 'view.rays') return pixels();
  return codedBytes(name.replace(/\..*/, ''), elementBytes, name === 'parle.segments' ? many : mixed);
}

async function codedBytes(
  name: string,
  elementBytes: CodecElementBytes,
  { dims, chunkShape }: { readonly dims: Dims3; readonly chunkShape: Dims3 },
): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const codec = codecs.find((known) => known.name === name) as (typeof codecs)[number];
  const kernels = createKernels(codec, gpu);
  const box = poisonedBox(dims, elementBytes, 0);
  putChunk(box, [0, 0, 0], makeChunk(dims, elementBytes, dims === many.dims ? steps : blobs));
  const voxels: GpuVoxels = { buffer: scope.storage('test.box', box.bytes.byteLength, box.bytes), dims, elementBytes };
  const grid = new ChunkGrid([...dims, 1], chunkShape);
  const chunks = Array.from({ length: grid.count }, (_, index): GpuChunk => {
    const { origin, shape } = grid.box(index);
    const axis = (['x', 'y', 'z'] as const)[index % 3] as 'x';
    return { origin, shape, parameters: codec.choose({ changes: [1, 1, 1] }, { shape, elementBytes }, { axis }) };
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

async function pixels(): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const volume = await ResidentVolume.create(gpu, testInfo([16, 16, 16, 1], 'u8'), { chunkShape: [8, 8, 8] });
  try {
    volume.append(makeChunk([16, 16, 16], 1, blobs).bytes);
    const stage = new ViewStage(gpu, scope, await volume.displayTexture(0), [0, 90], { width: 61, height: 35 });
    return await stage.pixels('mip', 0.1);
  } finally {
    volume.destroy();
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

for (const name of tuningNames) {
  const { values, standard }: TuningChoice = tuningChoices[name];
  // Where a choice hangs on how wide elements are, the widest have other kernels.
  const widths: readonly CodecElementBytes[] = name === 'rice.decode' || name === 'parle.expand' ? [1, 2] : [1];
  test.each(widths)(`${name}: with each value the same bytes, elements of %i`, async (elementBytes) => {
    const expected = await made(name, elementBytes);
    try {
      for (const value of values) {
        if (value === standard || (name === 'parle.segments' && value > 1)) continue;
        gpu.tuning = { ...standardTuning, [name]: value };
        expect(firstDifference(await made(name, elementBytes), expected), String(value)).toBe(undefined);
      }
    } finally {
      gpu.tuning = standardTuning;
    }
  });
}

test('a calibration times every value, and leaves memory and tuning as they were', async () => {
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
