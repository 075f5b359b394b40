import { expect, test, vi } from 'vitest';
import { PayloadMemory } from './payload-memory.ts';

const isWritten = (bytes: Uint8Array) => bytes.every((byte) => byte === 1);

test('after a compression there is memory for the next one, which has been written, and which the next one owns', async () => {
  const memory = new PayloadMemory();
  const first = memory.take(3_000_000);
  expect(isWritten(first)).toBe(false);
  await memory.refill();
  const second = memory.take(3_000_000);
  expect(second.byteLength).toBe(3_000_000);
  expect(isWritten(second)).toBe(true);
  expect(second.buffer).not.toBe(first.buffer);
  // There was one.
  expect(isWritten(memory.take(3_000_000))).toBe(false);
});

test('a result that is a little longer than the last one fits, and a much shorter one does not take its memory', async () => {
  const memory = new PayloadMemory();
  memory.take(1_000_000);
  await memory.refill();
  expect(isWritten(memory.take(500_000))).toBe(false);
  expect(isWritten(memory.take(1_040_000))).toBe(true);
});

test('no memory is prepared beyond 64 MiB, and none is held after `free`', async () => {
  const memory = new PayloadMemory();
  for (let part = 0; part < 3; part++) memory.take(2 ** 25);
  await memory.refill();
  const prepared = [0, 1, 2].map(() => memory.take(2 ** 25)[0]);
  expect(prepared).toEqual([1, 1, 0]);
  memory.free();
  await memory.refill();
  expect(memory.take(2 ** 25)[0]).toBe(0);
});

test('a compression that begins while memory is being prepared takes what is ready', async () => {
  const memory = new PayloadMemory();
  memory.take(2 ** 23);
  const refilling = memory.refill();
  expect(memory.take(2 ** 23)[0]).toBe(0);
  await refilling;
  expect(memory.take(2 ** 23)[0]).toBe(1);
});

test('nothing is prepared if there is too little memory', async () => {
  const memory = new PayloadMemory();
  memory.take(1000);
  const Full = function full() {
    throw new RangeError('Array buffer allocation failed');
  };
  vi.stubGlobal('Uint8Array', Full);
  const refilled = memory.refill();
  vi.unstubAllGlobals();
  await refilled;
  expect(isWritten(memory.take(1000))).toBe(false);
});

test('after a large result so much is allocated that garbage is collected before the next one', async () => {
  /** The lengths of the arrays that are allocated after results of these lengths. */
  const allocatedAfter = async (...taken: readonly number[]) => {
    const memory = new PayloadMemory();
    for (const length of taken) memory.take(length);
    const allocated: number[] = [];
    const Counted = class extends Uint8Array {
      constructor(length: number) {
        super(length);
        allocated.push(length);
      }
    };
    vi.stubGlobal('Uint8Array', Counted);
    const refilled = memory.refill();
    vi.unstubAllGlobals();
    memory.free();
    await refilled;
    return allocated;
  };
  expect(await allocatedAfter(2 ** 25, 1000)).toEqual([Math.ceil(1.05 * 2 ** 25), 1050, 2 ** 26]);
  expect(await allocatedAfter(2 ** 24, 1000)).toEqual([Math.ceil(1.05 * 2 ** 24), 1050]);
});
