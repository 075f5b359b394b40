import { expect, test } from 'vitest';
import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import { FittingBatches } from './fitting-batches.ts';

const gpu = {
  checkAlive() {},
  device: { pushErrorScope() {}, popErrorScope: async () => null },
  spare: { free() {} },
} as unknown as Gpu;

test('if even the smallest batches lack memory, something else takes it: later work begins with large ones', async () => {
  const batches = new FittingBatches(gpu, { bytes: 2 ** 26, atOnce: 2 });
  const sizes: number[] = [];
  let isFull = true;
  const work = async ({ bytes }: { readonly bytes: number }) => {
    sizes.push(bytes);
    if (isFull) throw new StriaError('out-of-memory', 'no memory, says the test');
  };
  await expect(batches.run(work)).rejects.toMatchObject({ tag: 'out-of-memory' });
  expect([sizes[0], sizes.at(-1)]).toEqual([2 ** 26, 2 ** 18]);
  // What took it has been freed, such as payloads that were read back.
  isFull = false;
  sizes.length = 0;
  await batches.run(work);
  expect(sizes).toEqual([2 ** 26]);
});
