import { describe, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { exclusiveScan } from './scan.ts';
import { spreadDispatches } from './spread-testing.ts';

const gpu = await openTestGpu();

function scanOnCpu(values: Uint32Array): { scanned: Uint32Array; total: number } {
  const scanned = new Uint32Array(values.length);
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    scanned[i] = sum;
    sum = (sum + (values[i] as number)) >>> 0;
  }
  return { scanned, total: sum };
}

async function scanOnGpu(values: Uint32Array<ArrayBuffer>, length = values.length) {
  using scope = gpu.scope('test');
  const buffer = scope.storage('values', values.byteLength, values);
  const commands = gpu.commands('test').stage('scan');
  const total = exclusiveScan(gpu, commands, scope, buffer, length);
  await commands.submit();
  return { scanned: (await gpu.readWords(buffer)).slice(0, values.length), total: (await gpu.readWords(total))[0] };
}

function sameWords(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

/** Lengths with one, two and three levels. The last one is slow on a software GPU, so it runs once. */
const lengths = [0, 1, 2, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 100_000, 5_000_000];

describe.each(['default dispatches', 'spread dispatches'])('exclusive scan, %s', (way) => {
  const isSpread = way === 'spread dispatches';
  if (isSpread) spreadDispatches(gpu);
  test.each(isSpread ? lengths : lengths.slice(0, -1))('%i words', async (length) => {
    const before = gpu.memory.liveBytes();
    // Full 32-bit words, so that sums wrap around many times.
    const values = Uint32Array.from({ length }, (_value, i) => Math.imul(i + 1, 0x9e3779b1));
    const expected = scanOnCpu(values);
    const actual = await scanOnGpu(values);
    expect(sameWords(actual.scanned, expected.scanned)).toBe(true);
    expect(actual.total).toBe(expected.total);
    expect(gpu.memory.liveBytes()).toBe(before);
  });

  test('sums wrap around at 2^32', async () => {
    const { scanned, total } = await scanOnGpu(Uint32Array.of(0xffffffff, 2, 0x80000000, 0x80000000));
    expect([...scanned]).toEqual([0, 0xffffffff, 1, 0x80000001]);
    expect(total).toBe(1);
  });

  test('words behind the length stay as they are', async () => {
    const { scanned, total } = await scanOnGpu(
      Uint32Array.from({ length: 3000 }, () => 1),
      2500,
    );
    expect(scanned[2499]).toBe(2499);
    expect([...scanned.slice(2500)].every((word) => word === 1)).toBe(true);
    expect(total).toBe(2500);
  });
});
