import { describe, expect, test, vi } from 'vitest';
import type { Backend } from '../../chunks/backend.ts';
import { codecById } from '../../codecs/registry.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { recoverContainer } from '../../format/recover.ts';
import { halve } from '../../levels/halve.ts';
import { openSample } from '../../samples/sample.ts';
import { memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { HalvingMethod } from '../../shared/halving.ts';
import { type Dims3, type Dims4, type ElementType, elementTypes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import { describeContainer } from '../check/info.ts';
import { verifyContainer } from '../check/verify.ts';
import { compressVolume } from '../compress/compress.ts';
import { auto, infoOf, restoreBytes, voxelsOf, watchedSink } from '../engine-testing.ts';
import { memoryVolume } from '../memory-volume.ts';
import type { LevelChoice } from './level-choice.ts';
import { LevelMaker } from './level-maker.ts';
import { allLevels, type LevelLimits } from './leveled-writer.ts';
import { rewriteLevels } from './rewrite-levels.ts';

const cpu = createCpuBackend(inlinePool());

const open = (bytes: Uint8Array) => ContainerReader.open(memorySource('test.stria', bytes));

async function compressed(
  info: VolumeInfo,
  voxels: Uint8Array,
  levels: LevelChoice | 'default' = true,
  chunkShape?: ChunkShape,
  backend: Backend = cpu,
  levelLimits?: LevelLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const sink = watchedSink();
  const wish = levels === 'default' ? undefined : levels;
  await compressVolume(memoryVolume(info, voxels), sink, { backend, choice: auto, chunkShape, levels: wish, levelLimits });
  return sink.bytes();
}

async function voxelsIn(reader: ContainerReader): Promise<Uint8Array> {
  const { grid, header } = reader;
  const elementBytes =
    header.volume.type === 'f64' ? 4 : ({ 8: 1, 16: 2, 32: 4 } as const)[Number(header.volume.type.slice(1)) as 8];
  const pieces: Uint8Array[] = [];
  for (let layer = 0; layer < grid.layerCount; layer++) {
    const { first, count } = grid.chunksOfLayer(layer);
    const { origin, shape } = grid.layerBox(layer);
    const boxes = Array.from({ length: count }, (_, at) => {
      const box = grid.box(first + at);
      return { origin: [box.origin[0], box.origin[1], box.origin[2] - origin[2]] as const, shape: box.shape };
    });
    const bytes = new Uint8Array(shape[0] * shape[1] * shape[2] * elementBytes);
    await cpu.decode(await reader.readChunks(first, count), boxes, { bytes, dims: shape, elementBytes });
    pieces.push(bytes);
  }
  return new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer());
}

/** The volume halved along the axes, as if it were in memory as a whole. */
function halved(info: VolumeInfo, bytes: Uint8Array, steps: readonly Dims3[], method: HalvingMethod): Uint8Array {
  let [dims, voxels] = [info.dims.slice(0, 3) as unknown as Dims3, typedVoxels(info.type, bytes)];
  for (const step of steps) {
    voxels = halve(voxels, info.type, dims, step, info.dims[3], method);
    dims = dims.map((length, axis) => Math.ceil(length / (step[axis] as number))) as unknown as Dims3;
  }
  return new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength);
}

/** Noise, so that each voxel counts. */
function noisy(dims: Dims4, type: ElementType): { info: VolumeInfo; voxels: Uint8Array<ArrayBuffer> } {
  const info = infoOf(dims, type);
  return { info, voxels: voxelsOf(info, 'noise') };
}

describe('levels', () => {
  test('are encoded by the codecs that the volume uses, whatever the size of boxes', async () => {
    const dims: Dims4 = [160, 160, 160, 1];
    const info = infoOf(dims, 'u8');
    const voxels = new Uint8Array(160 ** 3);
    let at = 0;
    for await (const piece of openSample({ kind: 'phantom', dims: [160, 160, 160], type: 'u8', seed: 1 }).voxels()) {
      voxels.set(piece, at);
      at += piece.byteLength;
    }
    const file = await compressed(info, voxels, 'mean', [64, 64, 64, 1]);
    const reader = await open(file);
    const [level] = await reader.levels();
    const names = (uses: ContainerReader) =>
      new Set(
        uses.uses().flatMap(({ how }) => (typeof how === 'string' ? [] : how.map(({ codecId }) => codecById(codecId).name))),
      );
    expect(names(reader)).toEqual(new Set(['rice']));
    expect(names(level as ContainerReader)).toEqual(new Set(['rice']));
    const small = { ...cpu, maxBoxBytes: 160 * 160 * 64 };
    expect(await compressed(info, voxels, 'mean', [64, 64, 64, 1], small)).toEqual(file);
  });

  test('need no memory that threads share, which a page may lack', async () => {
    const { info, voxels } = noisy([261, 70, 66, 1], 'u8');
    const expected = await compressed(info, voxels, 'mean', [64, 64, 64]);
    vi.stubGlobal('SharedArrayBuffer', undefined);
    try {
      const backend = createCpuBackend(inlinePool());
      expect(await compressed(info, voxels, 'mean', [64, 64, 64], backend)).toEqual(expected);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test.each(elementTypes)('of %s hold the halved voxels of each time point, whatever the chunks', async (type) => {
    const { info, voxels } = noisy([261, 9, 13, 2], type);
    const plain = await compressed(info, voxels, false, [64, 4, 3]);
    for (const chunkShape of [
      [64, 4, 3],
      [32, 9, 1],
      [type === 'f64' ? 522 : 261, 3, 5],
    ] as const) {
      const file = await compressed(info, voxels, 'mean', chunkShape, cpu, allLevels);
      const reader = await open(file);
      const [first, second, ...others] = await reader.levels();
      expect(others).toEqual([]);
      expect(first?.header.volume).toMatchObject({ dims: [131, 5, 7, 2], spacing: [2, 2, 2, 1] });
      expect(first?.level).toMatchObject({ number: 1, factors: [2, 2, 2], method: 'mean' });
      expect(await voxelsIn(first as ContainerReader)).toEqual(halved(info, voxels, [[2, 2, 2]], 'mean'));
      expect(await voxelsIn(second as ContainerReader)).toEqual(
        halved(
          info,
          voxels,
          [
            [2, 2, 2],
            [2, 2, 2],
          ],
          'mean',
        ),
      );
      expect(await verifyContainer(reader, { backend: cpu })).toMatchObject({ sound: true, problems: [] });
      const [[, restored] = []] = await restoreBytes(cpu, file);
      expect(restored).toEqual(voxels);
      if (chunkShape[0] === 64) {
        const bare = await open(plain);
        expect(await bare.levels()).toEqual([]);
        expect(await reader.readChunks(0, reader.chunkCount)).toEqual(await bare.readChunks(0, bare.chunkCount));
      }
    }
  });

  test('are the same bytes however small the boxes of the backend are', async () => {
    const { info, voxels } = noisy([150, 21, 18, 1], 'u16');
    const whole = await compressed(info, voxels, true, [32, 8, 4]);
    for (const maxBoxBytes of [1, 3000, 20_000]) {
      expect(await compressed(info, voxels, true, [32, 8, 4], { ...cpu, maxBoxBytes })).toEqual(whole);
    }
  });

  test('are encoded in few batches: all layers of a level together', async () => {
    const { info, voxels } = noisy([150, 21, 40, 1], 'u16');
    const boxes: Dims3[] = [];
    const encode: Backend['encode'] = (box, ...others) => {
      boxes.push(box.dims);
      return cpu.encode(box, ...others);
    };
    await compressed(info, voxels, true, [32, 8, 4], { ...cpu, maxHeldBytes: 0, encode });
    expect(boxes).toEqual([
      [150, 21, 40],
      [75, 11, 20],
    ]);
  });

  test('release all memory that the backend lends for them, also after a failure', async () => {
    const { info, voxels } = noisy([260, 21, 40, 1], 'u16');
    let lent = 0;
    let most = 0;
    const borrowBytes = async (byteLength: number) => {
      most = Math.max(most, ++lent);
      return { bytes: new Uint8Array(byteLength), release: () => lent-- };
    };
    const backend = { ...cpu, maxHeldBytes: 0, borrowBytes };
    expect(await compressed(info, voxels, true, [32, 8, 4], backend)).toEqual(await compressed(info, voxels, true, [32, 8, 4]));
    expect([lent, most]).toEqual([0, 2]);
    const encode: Backend['encode'] = (box, ...others) => {
      if (box.dims[0] === 65) throw new StriaError('out-of-memory', 'no more');
      return cpu.encode(box, ...others);
    };
    await expect(compressed(info, voxels, true, [32, 8, 4], { ...backend, encode })).rejects.toMatchObject({
      tag: 'out-of-memory',
    });
    const half = voxels.subarray(0, voxels.byteLength / 2);
    await expect(compressed(info, half, true, [32, 8, 4], backend)).rejects.toBeInstanceOf(StriaError);
    expect(lent).toBe(0);
  });

  test('even out a coarse spacing first, and leave out what would take more than a seventh', async () => {
    const { info, voxels } = noisy([600, 8, 4, 1], 'u8');
    const reader = await open(await compressed({ ...info, spacing: [1, 1, 4, 1] }, voxels));
    const levels = (await describeContainer(reader, 1)).levels;
    expect(levels.map(({ factors }) => factors)).toEqual([
      [4, 4, 1],
      [8, 8, 2],
    ]);
    expect(levels.map(({ dims }) => dims)).toEqual([
      [150, 2, 4],
      [75, 1, 2],
    ]);
  });

  test('lie where the voxels lie that they combine', async () => {
    const { info, voxels } = noisy([130, 4, 4, 1], 'u8');
    const affine = [0, 2, 0, 10, 3, 0, 0, 20, 0, 0, 4, 30];
    const [level] = await (await open(await compressed({ ...info, affine, spacing: [1, 1, 1, 1] }, voxels))).levels();
    expect(level?.header.volume.affine).toEqual([0, 4, 0, 11, 6, 0, 0, 21.5, 0, 0, 8, 32]);
  });

  test('of labels hold labels that are there, of scans means, as the voxels suggest', async () => {
    const info = infoOf([140, 60, 20, 1], 'u16');
    const labels = new Uint16Array(140 * 60 * 20);
    for (let at = 0; at < labels.length; at++) {
      const [x, y, z] = [at % 140, Math.floor(at / 140) % 60, Math.floor(at / 8400)];
      labels[at] = z < 3 ? 0 : 100 * ((Math.floor(x / 12) + 3 * Math.floor(y / 9) + Math.floor(z / 7)) % 9);
    }
    const bytes = new Uint8Array(labels.buffer);
    const file = await compressed(info, bytes);
    const [level] = await (await open(file)).levels();
    expect(level?.level?.method).toBe('mode');
    const kept = new Uint16Array((await voxelsIn(level as ContainerReader)).slice().buffer);
    expect(new Set(kept)).toEqual(new Set(labels));
    expect(await compressed(info, bytes, 'mode')).toEqual(file);

    const scan = labels.map((value, at) => (value === 0 ? 0 : value + ((at * 7919) % 31)));
    const [mean] = await (await open(await compressed(info, new Uint8Array(scan.buffer)))).levels();
    expect(mean?.level?.method).toBe('mean');
    const scaled = { ...info, slope: 2 };
    expect((await (await open(await compressed(scaled, bytes))).levels())[0]?.level?.method).toBe('mean');
  });

  test('begin with modes where a scan begins almost empty, although they are called means, unless means are asked for', async () => {
    const info = infoOf([140, 60, 20, 1], 'u16');
    const scan = Uint16Array.from({ length: 140 * 60 * 20 }, (_, at) => {
      const isEmpty = at < 4 * 140 * 60;
      return isEmpty ? (at % 997 === 0 ? 800 : 0) : (at * 7919) % 31;
    });
    const bytes = new Uint8Array(scan.buffer);
    const levelOf = async (wish: LevelChoice) => {
      const [level] = await (await open(await compressed(info, bytes, wish))).levels();
      expect(level?.level?.method).toBe('mean');
      return voxelsIn(level as ContainerReader);
    };
    const [modes, means] = (['mode', 'mean'] as const).map((method) => halved(info, bytes, [[2, 2, 2]], method));
    const emptyBytes = 2 * 70 * 30 * 2;
    const found = await levelOf(true);
    expect(found.slice(0, emptyBytes)).toEqual(modes?.slice(0, emptyBytes));
    expect(found.slice(emptyBytes)).toEqual(means?.slice(emptyBytes));
    expect(await levelOf('mean')).toEqual(means);
  });

  test('are not made of small volumes unless asked for, nor of chunks of several time points', async () => {
    const { info, voxels } = noisy([130, 3, 3, 4], 'u8');
    expect(await compressed(info, voxels, 'default')).toEqual(await compressed(info, voxels, false));
    await expect(compressed(info, voxels, true, [130, 3, 3, 2])).rejects.toMatchObject({
      tag: 'invalid-input',
      message: expect.stringContaining('several'),
    });
    const tiny = noisy([64, 3, 3, 1], 'u8');
    expect(await compressed(tiny.info, tiny.voxels, true)).toEqual(await compressed(tiny.info, tiny.voxels, false));
  });

  test('can be added to a file and removed again, which gives the bytes of compressing it so', async () => {
    const { info, voxels } = noisy([150, 20, 9, 2], 'i16');
    const shape: ChunkShape = [32, 8, 3];
    const [bare, leveled] = [await compressed(info, voxels, false, shape), await compressed(info, voxels, true, shape)];
    const rewritten = async (file: Uint8Array, levels: 'remove' | undefined, maxBoxBytes = cpu.maxBoxBytes) => {
      const sink = watchedSink();
      await rewriteLevels(await open(file), sink, { backend: { ...cpu, maxBoxBytes }, choice: auto, levels });
      expect(sink.closed).toBe(1);
      return sink.bytes();
    };
    expect(await rewritten(bare, undefined)).toEqual(leveled);
    expect(await rewritten(bare, undefined, 2000)).toEqual(leveled);
    expect(await rewritten(leveled, undefined)).toEqual(leveled);
    expect(await rewritten(leveled, 'remove')).toEqual(bare);
  });

  test('are left out by recover, which says so', async () => {
    const { info, voxels } = noisy([130, 4, 4, 1], 'u8');
    const recovered = await recoverContainer(memorySource('a', await compressed(info, voxels)));
    expect(recovered).toMatchObject({ wholeCount: recovered.grid.count, hasLevels: true, problems: [] });
  });

  test('are verified: damage in one leaves the volume whole', async () => {
    const { info, voxels } = noisy([130, 4, 4, 1], 'u8');
    const file = await compressed(info, voxels);
    const [level] = await (await open(file)).levels();
    const entry = level?.entry(0);
    if (entry?.kind !== 'coded') throw new Error('the level is noise');
    const damaged = file.slice();
    const at = entry.recordOffset + entry.recordLength - 20;
    damaged[at] = (damaged[at] as number) ^ 4;
    const reader = await open(damaged);
    const report = await verifyContainer(reader, { backend: cpu });
    expect(report).toMatchObject({ sound: false, damagedCount: 0 });
    expect(report.problems.join()).toContain('level 1: 1 chunk is damaged');
    const [[, restored] = []] = await restoreBytes(cpu, damaged);
    expect(restored).toEqual(voxels);
  });
});

test('by default only volumes above 256 MiB get levels', () => {
  const plan = (depth: number, wish?: LevelChoice) =>
    LevelMaker.plan(infoOf([1024, 1024, depth, 1], 'u8'), [64, 64, 64, 1], wish);
  expect(plan(256)).toBeUndefined();
  expect(plan(256, true)).toBeDefined();
  expect(plan(257)).toBeDefined();
  expect(plan(257, false)).toBeUndefined();
});
