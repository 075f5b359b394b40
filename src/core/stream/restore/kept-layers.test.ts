import { expect, test } from 'vitest';
import { KeptLayers } from './kept-layers.ts';

test('layers are kept until others were used after them', async () => {
  const kept = new KeptLayers(2);
  const filled: number[] = [];
  const get = (layer: number) =>
    kept.get(layer, 4, async (bytes) => {
      filled.push(layer);
      bytes.fill(layer);
    });
  for (const layer of [1, 2, 1, 3, 1, 2]) expect([...(await get(layer))]).toEqual(Array(4).fill(layer));
  expect(filled).toEqual([1, 2, 3, 2]);
  const failing = kept.get(4, 4, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  await get(4);
  expect(filled.at(-1)).toBe(4);
});
