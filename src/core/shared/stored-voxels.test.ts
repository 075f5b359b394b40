import { expect, test } from 'vitest';
import { checkStored, floatsOfHalves, halvesOfFloats, packedNibbles, storedBytes, widenedIntegers } from './stored-voxels.ts';

/** By the formula of IEEE 754. */
function valueOfHalf(half: number): number {
  const sign = half >> 15 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : (fraction / 1024) * 2 ** -14);
}

test('every half float becomes the float of its value, and comes back bit for bit', () => {
  const halves = Uint16Array.from({ length: 65536 }, (_, half) => half);
  const bytes = new Uint8Array(halves.buffer);
  const floats = floatsOfHalves(bytes);
  const values = new Float32Array(floats.buffer);
  const wrong = values.findIndex(
    (value, half) => !Object.is(value, valueOfHalf(half)) && !Number.isNaN(valueOfHalf(half) + value),
  );
  expect(wrong).toBe(-1);
  expect(halvesOfFloats(floats)).toEqual(bytes);
});

test('floats that were no halves give halves all the same', () => {
  const floats = Float32Array.of(1e9, -1e9, 1e-9, 1 + 2 ** -20, 2 ** -24);
  const halves = new Uint16Array(halvesOfFloats(new Uint8Array(floats.buffer)).buffer);
  expect([...halves]).toEqual([0x7c00, 0xfc00, 0, 0x3c00, 1]);
});

test('32-bit integers as 64-bit ones, at any offset of their buffer', () => {
  const signed = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)];
  const bytes = new Uint8Array([9, ...new Uint8Array(Int32Array.from(signed).buffer)]).subarray(1);
  expect([...new BigInt64Array(widenedIntegers(bytes, true).buffer)].map(Number)).toEqual(signed);
  const unsigned = signed.map((value) => value >>> 0);
  expect([...new BigUint64Array(widenedIntegers(bytes, false).buffer)].map(Number)).toEqual(unsigned);
});

test('4 bits: the first voxel of a byte is in its low half, each row begins a byte', () => {
  expect([...packedNibbles(Uint8Array.of(1, 2, 3, 4, 5, 6), 3)]).toEqual([0x21, 0x03, 0x54, 0x06]);
  expect([...packedNibbles(Uint8Array.of(1, 2, 3, 4), 2)]).toEqual([0x21, 0x43]);
});

test('how many bytes a file has, and what cannot be', () => {
  const info = { dims: [3, 5, 2, 6], type: 'u8' } as const;
  expect(storedBytes(info, undefined)).toBe(180);
  expect(storedBytes(info, { samples: 3 })).toBe(180);
  expect(storedBytes(info, { samples: 1, as: 'u4' })).toBe(120);
  expect(storedBytes({ ...info, type: 'f32' }, { samples: 2, as: 'f16' })).toBe(360);
  expect(storedBytes({ ...info, type: 'i32' }, { samples: 2, as: 'i64' })).toBe(1440);
  expect(() => checkStored({ ...info, type: 'u32' }, { samples: 1, as: 'i64' })).toThrow(/as i64/);
  expect(() => checkStored({ ...info, type: 'u32' }, { samples: 6, as: 'u64' })).not.toThrow();
  expect(() => checkStored(info, { samples: 4 })).toThrow(/6 time points/);
  expect(() => checkStored(info, { samples: 1, as: 'f16' })).toThrow(/as f16/);
  expect(() => checkStored(info, { samples: 2, as: 'u4' })).toThrow(/as u4/);
  expect(() => checkStored(info, { samples: 6 })).not.toThrow();
});
