import { expect, test, vi } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import type { Backend } from '../../chunks/backend.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { Commands } from '../../gpu/commands.ts';
import { createGpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { halve } from '../../levels/halve.ts';
import { memorySource } from '../../shared/bytes.ts';
import type { HalvingMethod } from '../../shared/halving.ts';
import { type Dims3, type ElementType, elementBytes, elementTypes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import { compressVolume } from '../compress/compress.ts';
import { infoOf, only, voxelsOf, watchedSink } from '../engine-testing.ts';
import { memoryVolume } from '../memory-volume.ts';
import type { LevelChoice } from './level-choice.ts';

const gpu = await openTestGpu();
const cpu = createCpuBackend(inlinePool());
const backend = createGpuBackend(gpu);
const wholeTypes = elementTypes.filter((type) => !type.startsWith('f'));

const steps: readonly Dims3[] = [
  [2, 2, 2],
  [2, 2, 1],
  [1, 1, 2],
  [2, 1, 1],
];

test.each(wholeTypes)('the GPU halves %s as the CPU does, bit for bit', async (type) => {
  for (const [at, dims] of (
    [
      [13, 7, 5],
      [16, 8, 4],
      [1, 3, 2],
      [9, 1, 1],
    ] as const
  ).entries()) {
    const info = infoOf([...dims, 1], type);
    const noise = voxelsOf(info, 'noise', at + 1);
    // The second has few values, the third the ends of the type.
    const few = noise.map((byte) => byte & 1);
    const ends = typedVoxels(type, noise.slice());
    const high = 2 ** (8 * elementBytes(type) - (type.startsWith('i') ? 1 : 0)) - 1;
    for (let i = 0; i < ends.length; i++) ends[i] = i % 3 === 0 ? high - (i % 2) : type.startsWith('i') ? -high - 1 + (i % 2) : 0;
    for (const bytes of [noise, few, new Uint8Array(ends.buffer as ArrayBuffer)]) {
      for (const step of steps) {
        for (const method of ['mean', 'mode'] as const) {
          const halved = await halvedOnGpu(bytes, type, dims, step, method);
          const expected = halve(typedVoxels(type, bytes), type, dims, step, 1, method);
          expect(typedVoxels(type, halved), `${dims} ${step} ${method}`).toEqual(expected);
        }
      }
    }
  }
});

async function halvedOnGpu(
  bytes: Uint8Array<ArrayBuffer>,
  type: ElementType,
  dims: Dims3,
  step: Dims3,
  method: HalvingMethod,
): Promise<Uint8Array> {
  let halved = new Uint8Array(0);
  const onHalved = ([result]: readonly Uint8Array[]) => {
    halved = new Uint8Array(result as Uint8Array);
  };
  const halving = { steps: step, method, type, onHalved };
  const box = { bytes: bytes.slice(), dims, elementBytes: elementBytes(type) as 1 | 2 | 4 };
  await backend.encode(box, [{ origin: [0, 0, 0], shape: dims }], only('raw'), { halving });
  return halved;
}

async function compressed(
  of: Backend,
  info: VolumeInfo,
  voxels: Uint8Array,
  chunkShape: ChunkShape,
  levels: LevelChoice,
): Promise<Buffer> {
  const sink = watchedSink();
  await compressVolume(memoryVolume(info, voxels), sink, { backend: of, choice: only('rice'), chunkShape, levels });
  return Buffer.from(sink.bytes());
}

test.each<[ElementType, ChunkShape, LevelChoice]>([
  ['u8', [32, 8, 4], 'mean'],
  ['u8', [32, 8, 4], true],
  ['i16', [32, 8, 4], 'mode'],
  ['u16', [32, 6, 3], true],
  ['f32', [32, 8, 4], true],
])('GPU and CPU write the same file with levels: %s in chunks of %s, %s', async (type, chunkShape, levels) => {
  for (const dims of [
    [150, 21, 18, 1],
    [140, 12, 9, 2],
    [300, 21, 1, 2],
  ] as const) {
    const info = infoOf(dims, type);
    const voxels = voxelsOf(info, 'blobs');
    const expected = await compressed(cpu, info, voxels, chunkShape, levels);
    for (const maxBoxBytes of [2 ** 12, backend.maxBoxBytes]) {
      const own = await compressed({ ...backend, maxBoxBytes }, info, voxels, chunkShape, levels);
      expect(own.equals(expected)).toBe(true);
    }
  }
});

test('GPU and CPU leave out the same levels', async () => {
  const info = infoOf([520, 48, 40, 1], 'u8');
  const voxels = voxelsOf(info, 'noise').map((byte, at) => (at % 61 === 0 && byte > 200 ? byte : 0));
  const shape: ChunkShape = [32, 16, 8];
  const expected = await compressed(cpu, info, voxels, shape, 'mean');
  const levels = await (await ContainerReader.open(memorySource('a.stria', expected))).levels();
  expect(levels.map(({ level }) => level?.factors)).toEqual([
    [4, 4, 4],
    [8, 8, 8],
  ]);
  for (const maxBoxBytes of [2 ** 12, backend.maxBoxBytes]) {
    const own = await compressed({ ...backend, maxBoxBytes }, info, voxels, shape, 'mean');
    expect(own.equals(expected)).toBe(true);
  }
});

test.each([
  ['noise from the first planes on', 0],
  ['noise from the fourth plane on', 3],
  ['labels from the fourth plane on', 3],
])('GPU and CPU judge and halve alike: %s', async (content, empty) => {
  const dims = [140, 60, 16, 1] as const;
  const info = infoOf(dims, 'u8');
  const voxels = voxelsOf(info, 'noise');
  for (let at = 0; at < voxels.length; at++) {
    const [x, y] = [at % dims[0], Math.floor(at / dims[0]) % dims[1]];
    if (at < empty * dims[0] * dims[1]) voxels[at] = 0;
    else if (content.startsWith('labels')) voxels[at] = 3 + (((x + 1) >> 3) & 1) + 2 * (y >> 5);
  }
  const shape: ChunkShape = [32, 8, 4];
  const expected = await compressed(cpu, info, voxels, shape, true);
  for (const maxBoxBytes of [2 ** 12, backend.maxBoxBytes]) {
    const own = await compressed({ ...backend, maxBoxBytes }, info, voxels, shape, true);
    expect(own.equals(expected)).toBe(true);
  }
});

test('halved voxels stay in GPU memory until they are encoded: levels are neither read back nor uploaded', async () => {
  const info = infoOf([140, 60, 40, 1], 'u8');
  const voxels = voxelsOf(info, 'blobs');
  const [taken, held] = [[] as number[], [] as Dims3[]];
  const watched: Backend = {
    ...backend,
    maxBoxBytes: 2 ** 16,
    receive: async () => undefined,
    borrowBytes: async (byteLength) => {
      taken.push(byteLength);
      return (backend.borrowBytes as NonNullable<Backend['borrowBytes']>)(byteLength);
    },
    hold: async (box) => {
      held.push(box.dims);
      return (backend.hold as NonNullable<Backend['hold']>)(box);
    },
  };
  const lends = vi.spyOn(Commands.prototype, 'lend');
  const expected = await compressed(cpu, info, voxels, [32, 16, 8], 'mean');
  const own = await compressed(watched, info, voxels, [32, 16, 8], 'mean');
  const labels = lends.mock.contexts.map((commands) => (commands as Commands).label);
  vi.restoreAllMocks();
  expect(own.equals(expected)).toBe(true);
  expect(held).toEqual([[70, 30, 20]]);
  expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBe(voxels.byteLength);
  expect(labels).toContain('encode');
  expect(labels).not.toContain('halve');
  expect(gpu.memory.liveBytes('held')).toBe(0);
});
