import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Dims3, typedVoxels, volumeBytes } from '../shared/volume.ts';
import { openSample } from './sample.ts';
import { type SampleKind, sampleKinds, sampleTypes } from './sample-kinds.ts';
import type { SampleRequest } from './sample-pieces.ts';

async function voxelsOf(request: Partial<SampleRequest> & Pick<SampleRequest, 'kind'>): Promise<Uint8Array> {
  const volume = openSample({ dims: [32, 32, 32], type: 'u8', seed: 1, ...request });
  const bytes = new Uint8Array(volumeBytes(volume.info));
  let filled = 0;
  for await (const piece of volume.voxels()) {
    bytes.set(piece, filled);
    filled += piece.byteLength;
  }
  expect(filled).toBe(bytes.byteLength);
  return bytes;
}

function histogram(bytes: Uint8Array): Uint32Array {
  const counts = new Uint32Array(256);
  for (const value of bytes) counts[value] = (counts[value] as number) + 1;
  return counts;
}

/** Rutter's report, Kernel 1, column-oriented: (count, value) byte pairs along y, counts of 255 at most. */
function bytePairsAlongY(bytes: Uint8Array, [width, height, depth]: Dims3): number {
  let pairs = 0;
  for (let z = 0; z < depth; z++) {
    for (let x = 0; x < width; x++) {
      let at = z * width * height + x;
      let value = bytes[at];
      let count = 1;
      for (let y = 1; y < height; y++) {
        at += width;
        if (bytes[at] === value && count < 255) count++;
        else {
          pairs++;
          value = bytes[at];
          count = 1;
        }
      }
      pairs++;
    }
  }
  return 2 * pairs;
}

/** The begin of the SHA-1 of u8, u16 and f32, at 33 × 20 × 27 with seed 5: figures in the docs rest on these voxels. */
const hashes: Readonly<Record<SampleKind, readonly string[]>> = {
  zero: ['96abb9884f05', 'cb8e2cb8d443', 'e44b598fe704'],
  sequence254: ['87b701f5c4d1', 'c1327a1b5ba8', '2f0197ce323c'],
  sequence255: ['811ca67d08e7', 'f8d340926a91', '7897ebb7ad4b'],
  potential: ['fd3497ae86aa', '061117276661', '8a4e71d6a435'],
  phantom: ['66c879236592', 'd0665aa58000', 'b777a4e64709'],
  labels: ['6c89c5f77b76', 'f311eb574f7c', '3ef35454fa0d'],
};

describe.each(sampleKinds)('%s', (kind) => {
  test.each(sampleTypes)('%s: the voxels of a seed stay the same', async (type) => {
    const bytes = await voxelsOf({ kind, dims: [33, 20, 27], type, seed: 5 });
    expect(createHash('sha1').update(bytes).digest('hex').slice(0, 12)).toBe(hashes[kind][sampleTypes.indexOf(type)]);
  });

  test('a volume of one voxel and one long axis can be made', async () => {
    expect((await voxelsOf({ kind, dims: [1, 1, 1] })).length).toBe(1);
    expect((await voxelsOf({ kind, dims: [1, 1, 500] })).length).toBe(500);
    expect((await voxelsOf({ kind, dims: [700, 1, 3], type: 'u16' })).length).toBe(4200);
  });
});

test('f32 has the values of u16: fractions of intensities, and whole numbers of counts and labels', async () => {
  const dims: Dims3 = [33, 20, 27];
  for (const kind of sampleKinds) {
    const unit = kind === 'phantom' || kind === 'potential' ? 65535 : 1;
    const whole = typedVoxels('u16', await voxelsOf({ kind, dims, type: 'u16', seed: 3 }));
    const floats = typedVoxels('f32', await voxelsOf({ kind, dims, type: 'f32', seed: 3 }));
    expect(floats).toEqual(Float32Array.from(whole, (value) => value / unit));
  }
});

test.each(['potential', 'phantom', 'labels'] as const)('%s: another seed gives other voxels', async (kind) => {
  expect(Buffer.compare(await voxelsOf({ kind, seed: 1 }), await voxelsOf({ kind, seed: 2 }))).not.toBe(0);
});

test('zero is zero', async () => {
  expect((await voxelsOf({ kind: 'zero' })).every((value) => value === 0)).toBe(true);
});

test('the sequences count over all voxels without a break between slices and pieces', async () => {
  const dims: Dims3 = [300, 200, 90];
  for (const [kind, period] of [
    ['sequence254', 255],
    ['sequence255', 256],
  ] as const) {
    const bytes = await voxelsOf({ kind, dims });
    expect(bytes.findIndex((value, at) => value !== at % period)).toBe(-1);
  }
});

test('sequence255 is constant along y where the width is a multiple of 256, sequence254 is not', async () => {
  const dims: Dims3 = [256, 64, 2];
  expect(bytePairsAlongY(await voxelsOf({ kind: 'sequence255', dims }), dims)).toBe(2 * 256 * 2);
  expect(bytePairsAlongY(await voxelsOf({ kind: 'sequence254', dims }), dims)).toBe(2 * 256 * 2 * 64);
});

test('potential at 512³ has the sizes of Rutter’s volume: 3.0 to 3.2 MB by byte pairs, about 1.3 MB by gzip', async () => {
  const dims: Dims3 = [512, 512, 512];
  const bytes = await voxelsOf({ kind: 'potential', dims });
  const pairs = bytePairsAlongY(bytes, dims);
  expect(pairs).toBeGreaterThan(3.0e6);
  expect(pairs).toBeLessThan(3.2e6);
  const gzip = gzipSync(bytes, { level: 6 }).byteLength;
  expect(gzip).toBeGreaterThan(1.25e6);
  expect(gzip).toBeLessThan(1.35e6);
});

test('potential is mostly nothing, and its brightest voxels are few', async () => {
  const counts = histogram(await voxelsOf({ kind: 'potential', dims: [128, 128, 128] }));
  const occupied = 128 ** 3 - (counts[0] as number);
  expect(occupied / 128 ** 3).toBeGreaterThan(0.005);
  expect(occupied / 128 ** 3).toBeLessThan(0.03);
  expect(counts[255]).toBeGreaterThan(0);
  expect(counts[255]).toBeLessThan(occupied / 100);
});

test('phantom: noisy air in the corners, tissue in the middle', async () => {
  const bytes = await voxelsOf({ kind: 'phantom', dims: [64, 64, 64] });
  const corner = bytes.subarray(0, 8);
  expect(Math.max(...bytes.subarray(0, 64))).toBeLessThan(12);
  expect(new Set(bytes.subarray(0, 64)).size).toBeGreaterThan(2);
  const middle = bytes.subarray((32 * 64 + 32) * 64 + 30, (32 * 64 + 32) * 64 + 34);
  expect(Math.min(...middle)).toBeGreaterThan(Math.max(...corner) + 30);
  expect(histogram(bytes)[255]).toBe(0);
});

test('labels: cells of one label touch, around them nothing', async () => {
  const dims: Dims3 = [64, 64, 64];
  const bytes = await voxelsOf({ kind: 'labels', dims });
  const counts = histogram(bytes);
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(100);
  expect((counts[0] as number) / bytes.length).toBeGreaterThan(0.4);
  expect((counts[0] as number) / bytes.length).toBeLessThan(0.85);
  let same = 0;
  for (let at = 1; at < bytes.length; at++) if (bytes[at] === bytes[at - 1]) same++;
  expect(same / bytes.length).toBeGreaterThan(0.8);
  const wide = await voxelsOf({ kind: 'labels', dims, type: 'u16' });
  expect(new Set(new Uint16Array(wide.buffer)).size).toBeGreaterThan(256);
});

test.each([
  [0, 4, 4],
  [4, -1, 4],
  [4, 4, 1.5],
  [20000, 4, 4],
  [Number.NaN, 1, 1],
])('dims %s, %s, %s are refused', (...dims) => {
  expect(() => openSample({ kind: 'zero', dims, type: 'u8', seed: 1 })).toThrow(/whole numbers from 1 to 16384/);
});

test('its source is a NIfTI file', async () => {
  const volume = openSample({ kind: 'zero', dims: [4, 4, 4], type: 'u16', seed: 1 });
  expect(await volume.source()).toMatchObject({ format: volume.format, parts: [{ name: 'zero-4.nii', hasVoxels: true }] });
});

test('a cancel that comes by a timer or a message is heard soon', async () => {
  const volume = openSample({ kind: 'phantom', dims: [256, 256, 256], type: 'u8', seed: 1 });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 0);
  let bytes = 0;
  const read = async () => {
    for await (const piece of volume.voxels({ signal: controller.signal })) bytes += piece.byteLength;
  };
  await expect(read()).rejects.toMatchObject({ tag: 'aborted' });
  expect(bytes).toBeLessThan(volumeBytes(volume.info) / 2);
});
