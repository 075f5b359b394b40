import { expect, test } from 'vitest';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { ChunkShape } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { memorySource } from '../shared/bytes.ts';
import type { PartChoice } from '../shared/part-choice.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import { compressVolume } from '../stream/compress/compress.ts';
import { auto, infoOf, only, voxelsOf, watchedSink } from '../stream/engine-testing.ts';
import type { LevelChoice } from '../stream/levels/level-choice.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { mergeParts } from './merge-parts.ts';
import { boxOf } from './parts-testing.ts';

const backend = createCpuBackend(inlinePool());

interface Case {
  readonly info: VolumeInfo;
  readonly shape: ChunkShape;
  readonly choice?: typeof auto | undefined;
}

/** Compresses a volume with levels, or one part of it without. */
async function compressed(
  { info, shape, choice = auto }: Case,
  voxels: Uint8Array,
  more: { part?: PartChoice; levels?: LevelChoice },
) {
  const sink = watchedSink();
  await compressVolume(memoryVolume(info, voxels), sink, { backend, choice, chunkShape: shape, ...more });
  return sink.bytes();
}

async function merged(parts: readonly Uint8Array[], levels: LevelChoice, choice = auto): Promise<Uint8Array> {
  const sink = watchedSink();
  const inputs = parts.map((bytes, at) => ({ path: `${at}.stria`, open: async () => memorySource(`${at}.stria`, bytes) }));
  await mergeParts(inputs, sink, { backend: async () => backend, choice, levels });
  return sink.bytes();
}

/** The bounds of up to three pieces of a length, at multiples of the chunk's length. */
function cuts(length: number, chunk: number, offset: number): number[] {
  const chunks = Math.ceil(length / chunk);
  const inner = [Math.floor(chunks / 3) + offset, Math.floor((2 * chunks) / 3)].map((count) => count * chunk);
  return [...new Set([0, ...inner.filter((at) => at > 0 && at < length), length])].sort((a, b) => a - b);
}

/** All pieces of a volume, not in their order. */
async function piecesOf({ info, shape, choice }: Case, voxels: Uint8Array): Promise<Uint8Array[]> {
  const perVoxel = info.type === 'f64' ? 2 : 1;
  const [x, y, z] = info.dims;
  const places = [cuts(x, shape[0] / perVoxel, 0), cuts(y, shape[1], 0), cuts(z, shape[2], 1)] as const;
  const pieces: Uint8Array[] = [];
  const lasts = places.map((at) => at.length - 1) as [number, number, number];
  for (let k = lasts[2] - 1; k >= 0; k--) {
    for (let i = 0; i < lasts[0]; i++) {
      for (let j = lasts[1] - 1; j >= 0; j--) {
        const origin = [places[0][i], places[1][j], places[2][k]] as unknown as Dims3;
        const end = [places[0][i + 1], places[1][j + 1], places[2][k + 1]] as unknown as Dims3;
        const dims: Dims3 = [end[0] - origin[0], end[1] - origin[1], end[2] - origin[2]];
        const piece = { info: { ...info, dims: [...dims, info.dims[3]] as const }, shape, choice };
        pieces.push(await compressed(piece, boxOf(info, voxels, origin, dims), { part: { origin, of: [x, y, z] } }));
      }
    }
  }
  return pieces;
}

async function sharesOf(volume: Case, voxels: Uint8Array, of: number): Promise<Uint8Array[]> {
  const shares: Uint8Array[] = [];
  for (let number = of; number >= 1; number--) shares.push(await compressed(volume, voxels, { part: { number, of } }));
  return shares;
}

const thick = { spacing: [1, 1, 3, 1] } as const;
const cases: readonly (readonly [string, Case])[] = [
  ['u8, odd lengths', { info: infoOf([150, 21, 13, 1], 'u8'), shape: [32, 8, 4] }],
  ['i16, time points, odd chunks', { info: infoOf([131, 20, 11, 2], 'i16'), shape: [32, 7, 3] }],
  ['u16, thick slices', { info: { ...infoOf([140, 18, 9, 1], 'u16'), ...thick }, shape: [16, 16, 2] }],
  ['f32', { info: infoOf([129, 9, 10, 1], 'f32'), shape: [64, 8, 3] }],
  ['f64, time points', { info: infoOf([130, 10, 7, 2], 'f64'), shape: [64, 4, 2] }],
  ['a picture', { info: infoOf([300, 140, 1, 1], 'u8'), shape: [64, 64, 1] }],
  ['i32 by one codec', { info: infoOf([150, 12, 12, 1], 'i32'), shape: [32, 8, 4], choice: only('rice') }],
];

test.each(cases)('%s: shares and pieces get the same levels as a single run', async (_, volume) => {
  const { info, choice } = volume;
  const voxels = voxelsOf(info, 'blobs');
  const isFloat = info.type.startsWith('f');
  const three = await sharesOf(volume, voxels, 3);
  const most = await sharesOf(volume, voxels, 16);
  const pieces = await piecesOf(volume, voxels);
  expect(pieces.length).toBeGreaterThan(3);
  const bare = await compressed(volume, voxels, {});
  for (const levels of isFloat ? ([true, 'mean'] as const) : ([true, 'mean', 'mode'] as const)) {
    const whole = await compressed(volume, voxels, { levels });
    const reader = await ContainerReader.open(memorySource('whole.stria', whole));
    expect((await reader.levels()).length).toBeGreaterThan(0);
    for (const parts of [three, most, pieces]) {
      // A failing comparison of the bytes would print them all.
      expect(Buffer.compare(await merged(parts, levels, choice), whole), String(levels)).toBe(0);
    }
  }
  // Volumes of this size get none by themselves, and none if they are not wanted.
  for (const levels of [undefined, false] as const) expect(Buffer.compare(await merged(pieces, levels), bare)).toBe(0);
});

test('a part holds no levels, and neither does a volume whose chunks hold several time points', async () => {
  const series: Case = { info: infoOf([150, 8, 6, 4], 'u16'), shape: [32, 8, 3, 2, 'interleaved'] };
  const voxels = voxelsOf(series.info, 'blobs');
  const origin = [0, 0, 0] as const;
  for (const part of [
    { number: 1, of: 2 },
    { origin, of: [150, 8, 6] as const },
  ] satisfies PartChoice[]) {
    await expect(compressed(series, voxels, { part, levels: true })).rejects.toMatchObject({
      tag: 'invalid-input',
      message: expect.stringContaining('stria merge'),
    });
  }
  const parts = await sharesOf(series, voxels, 2);
  await expect(merged(parts, true)).rejects.toMatchObject({
    tag: 'invalid-input',
    message: expect.stringContaining('several'),
  });
  expect(await merged(parts, undefined)).toEqual(await compressed(series, voxels, {}));
});
