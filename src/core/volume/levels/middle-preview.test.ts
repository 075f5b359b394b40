import { describe, expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { type ByteSource, memorySource } from '../../shared/bytes.ts';
import { type Dims4, type ElementType, elementBytes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import { compressBytes } from '../../stream/engine-testing.ts';
import { testInfo } from '../resident-testing.ts';
import { type MiddlePreview, middlePreview } from './middle-preview.ts';

const backend = createCpuBackend(inlinePool());
const dims: Dims4 = [70, 80, 90, 1];
const chunkShape = [16, 8, 10] as const;

/** Voxels without any pattern, from 10 to 109. */
function noisy(type: ElementType): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * elementBytes(type));
  const voxels = typedVoxels(type, bytes);
  let state = 1;
  for (let at = 0; at < voxels.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    voxels[at] = 10 + ((state >>> 16) % 100);
  }
  return bytes;
}

async function containerOf(
  info: VolumeInfo,
  bytes: Uint8Array<ArrayBuffer>,
  shape: readonly [number, number, number] = chunkShape,
) {
  const { bytes: stored } = await compressBytes(backend, info, bytes, { chunkShape: shape });
  let readBytes = 0;
  const memory = memorySource('a.stria', stored);
  const source: ByteSource = {
    ...memory,
    read: (offset, length, options) => {
      readBytes += length;
      return memory.read(offset, length, options);
    },
  };
  const reader = await ContainerReader.open(source);
  readBytes = 0;
  return { reader, fileBytes: stored.byteLength, readBytes: () => readBytes };
}

const isWithin = (at: number, [from, to]: readonly [number, number]): boolean => at >= from && at < to;

describe.each(['u8', 'i16', 'f64'] as const)('a preview of %s', (type) => {
  test('has the voxels of the middle slices, and elsewhere the lowest one', async () => {
    const bytes = noisy(type);
    const { reader, fileBytes, readBytes } = await containerOf(testInfo(dims, type), bytes);
    const preview = middlePreview(reader, fileBytes) as MiddlePreview;
    const [fx, fy, fz] = preview.level.factors;
    expect(preview.level).toEqual({ dims: [35, 40, 45, 1], factors: [2, 2, 2] });
    const [voxels, whole] = [typedVoxels(type, await preview.read()), typedVoxels(type, bytes)];
    expect(voxels).toHaveLength(35 * 40 * 45);
    // The chunks of the middle slices. An f64 voxel is two elements of a chunk.
    const middle = { z: [40, 50], y: [40, 48], x: [32, type === 'f64' ? 40 : 48] } as const;
    const isRead = (x: number, y: number, z: number) => isWithin(z, middle.z) || isWithin(y, middle.y) || isWithin(x, middle.x);
    let at = 0;
    const wrong: string[] = [];
    for (let z = 0; z < 45; z++) {
      for (let y = 0; y < 40; y++) {
        for (let x = 0; x < 35; x++, at++) {
          const stored = whole[(z * fz * dims[1] + y * fy) * dims[0] + x * fx];
          const expected = isRead(x * fx, y * fy, z * fz) ? stored : 10;
          if (voxels[at] !== expected) wrong.push(`${x} ${y} ${z}: ${voxels[at]}, not ${expected}`);
        }
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    // Each chunk is read once.
    expect(readBytes()).toBe(preview.readBytes);
    expect(preview.readBytes).toBeLessThan(fileBytes / 2);
  });
});

test('where real values fall along stored ones, the highest stored value is the lowest', async () => {
  const { reader, fileBytes } = await containerOf({ ...testInfo(dims, 'u8'), slope: -2 }, noisy('u8'));
  expect((await middlePreview(reader, fileBytes)?.read())?.[0]).toBe(109);
});

test('small volumes, series, and files of which a slice crosses most chunks have none', async () => {
  const one = async (lengths: Dims4, shape: readonly [number, number, number]) => {
    const info = testInfo(lengths, 'u8');
    const size = lengths[0] * lengths[1] * lengths[2] * lengths[3];
    const { reader, fileBytes } = await containerOf(info, noisy('u8').slice(0, size), shape);
    return middlePreview(reader, fileBytes);
  };
  expect(await one([30, 30, 30, 1], [8, 8, 8])).toBeUndefined();
  expect(await one([70, 80, 45, 2], [16, 8, 10])).toBeUndefined();
  expect(await one(dims, [70, 80, 90])).toBeUndefined();
});

test('a cancelled one stops', async () => {
  const { reader, fileBytes } = await containerOf(testInfo(dims, 'u8'), noisy('u8'));
  const read = middlePreview(reader, fileBytes)?.read({ signal: AbortSignal.abort() });
  await expect(read).rejects.toMatchObject({ tag: 'aborted' });
});
