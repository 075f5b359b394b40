import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { BrickTable } from './brick-table.ts';
import { ComputedBricks } from './computed-bricks.ts';

const gpu = await openTestGpu();

test('entries have all changes, the last one of each, however many there are', async () => {
  using scope = gpu.scope('test');
  const source = new ComputedBricks(18 * 64);
  const table = new BrickTable(gpu, scope, source);
  const expected = new Uint32Array(table.count);
  const set = (number: number, slot: number | undefined) => {
    table.setSlot(number, slot);
    expected[number] = slot === undefined ? 0 : slot + 1;
  };
  expect(await gpu.readWords(table.entries())).toEqual(expected);
  // More than one dispatch can change.
  for (let number = 0; number < 5000; number++) set(number, number);
  for (let number = 0; number < 5000; number += 3) set(number, undefined);
  for (let number = 0; number < 5000; number += 6) set(number, 7);
  expect(await gpu.readWords(table.entries())).toEqual(expected);
  set(5001, 1);
  set(5, undefined);
  expect(await gpu.readWords(table.entries())).toEqual(expected);
  expect(await gpu.readWords(table.entries())).toEqual(expected);
});
