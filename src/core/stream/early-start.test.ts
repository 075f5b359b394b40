import { expect, test } from 'vitest';
import type { Dims4 } from '../shared/volume.ts';
import { isSoonDecoded, isSoonEncoded } from './early-start.ts';
import { infoOf } from './engine-testing.ts';
import { memoryVolume } from './memory-volume.ts';

const large: Dims4 = [512, 512, 512, 1];

/** A volume of which only the pieces that are read are made. */
function volumeOf(dims: Dims4, valueAt: (byte: number) => number) {
  const small = infoOf([1, 1, 1, 1], 'u8');
  const fill = async (target: Uint8Array<ArrayBuffer>, start: number) => {
    for (let at = 0; at < target.length; at++) target[at] = valueAt(start + at);
  };
  return { ...memoryVolume(small, new Uint8Array(1)), info: infoOf(dims, 'u8'), fill };
}

test('threads begin with volumes of runs and with small ones, not with large noisy ones', async () => {
  const noise = (at: number) => (Math.imul(at, 2654435761) >>> 13) & 0xff;
  expect(
    await isSoonEncoded(
      volumeOf(large, () => 7),
      undefined,
    ),
  ).toBe(true);
  expect(
    await isSoonEncoded(
      volumeOf(large, (at) => at >> 4),
      undefined,
    ),
  ).toBe(true);
  expect(await isSoonEncoded(volumeOf(large, noise), undefined)).toBe(false);
  // One half noise, the other zeros.
  expect(
    await isSoonEncoded(
      volumeOf(large, (at) => (at < 2 ** 26 ? noise(at) : 0)),
      undefined,
    ),
  ).toBe(false);
  expect(await isSoonEncoded(volumeOf([256, 256, 256, 1], noise), undefined)).toBe(true);
});

test('a voxel of several bytes is compared as a whole', async () => {
  const counting = { ...volumeOf(large, (at) => (at % 2 === 0 ? at >> 1 : 0)), info: infoOf([512, 512, 256, 1], 'u16') };
  expect(await isSoonEncoded(counting, undefined)).toBe(false);
  const equal = { ...volumeOf(large, (at) => at % 2), info: infoOf([512, 512, 256, 1], 'u16') };
  expect(await isSoonEncoded(equal, undefined)).toBe(true);
});

test('threads begin to decode files that are small, or much smaller than their volumes', () => {
  const container = (dims: Dims4, byteLength: number) =>
    ({ header: { volume: infoOf(dims, 'u8') }, byteLength }) as Parameters<typeof isSoonDecoded>[0];
  expect(isSoonDecoded(container(large, 2 ** 20))).toBe(true);
  expect(isSoonDecoded(container(large, 2 ** 26))).toBe(false);
  expect(isSoonDecoded(container([256, 256, 256, 1], 2 ** 24))).toBe(true);
});
