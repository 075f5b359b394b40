import { expect, test } from 'vitest';
import { ChunkGrid } from '../../format/chunk-grid.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import type { Dims3 } from '../../shared/volume.ts';
import type { CompressedLayers, LayerSource } from './compressed-layers.ts';
import { CompressedPlane } from './compressed-plane.ts';

function setUp() {
  const tables: { isFreed: boolean }[] = [];
  const scope = {
    scope: () => {
      const one = { isFreed: false, destroy: () => (one.isFreed = true) };
      tables.push(one);
      return one;
    },
  } as unknown as GpuScope;
  const layers = { planSome: () => () => {}, recordBy: () => [], record: () => [] } as unknown as CompressedLayers;
  const source = { grid: new ChunkGrid([40, 40, 40, 2], [8, 8, 8]), type: 'u8' } as unknown as LayerSource;
  const plane = new CompressedPlane(source, [layers, layers, layers], scope);
  const record = (origin: Dims3, timePoint = 1) =>
    plane.record({} as Commands, { origin, right: [1, 0, 0], down: [0, 1, 0.5], width: 8, height: 8 }, timePoint, () => {});
  return { record, freed: () => tables.map(({ isFreed }) => isFreed) };
}

test('another plane at the same time point keeps the tables of earlier planes, which are not submitted yet', () => {
  const { record, freed } = setUp();
  record([0, 0, 4]);
  record([20, 20, 20]);
  record([0, 0, 4]);
  record([0, 0, 4], 0);
  expect(freed()).toEqual([false, false, false]);
});

test('with many planes, the least recently used tables are freed', () => {
  const { record, freed } = setUp();
  const places = Array.from(
    { length: 50 },
    (_, at): Dims3 => [8 * (at % 5), 8 * (Math.floor(at / 5) % 5), 8 * Math.floor(at / 25)],
  );
  for (const place of places) {
    record(place);
    record([36, 36, 36]);
  }
  const all = freed();
  expect(all.filter((isFreed) => !isFreed)).toHaveLength(40);
  // These tables are used again and again, so they are kept.
  expect(all[1]).toBe(false);
  expect(all[0]).toBe(true);
});
