import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dims3, Dims4 } from '../shared/volume.ts';
import { ChunkGrid, chunkGridOf, codecElementDims } from './chunk-grid.ts';

const length = fc.integer({ min: 1, max: 9 });
const dims4: fc.Arbitrary<Dims4> = fc.tuple(length, length, length, fc.integer({ min: 1, max: 3 }));
const dims3: fc.Arbitrary<Dims3> = fc.tuple(length, length, length);

test('boxes tile the volume: each element lies in the one chunk that numberAt names', () => {
  fc.assert(
    fc.property(dims4, dims3, (dims, chunkShape) => {
      const grid = new ChunkGrid(dims, chunkShape);
      const owner = new Map<string, number>();
      for (let number = 0; number < grid.count; number++) {
        const { origin, shape, t } = grid.box(number);
        for (let z = origin[2]; z < origin[2] + shape[2]; z++) {
          for (let y = origin[1]; y < origin[1] + shape[1]; y++) {
            for (let x = origin[0]; x < origin[0] + shape[0]; x++) {
              expect(owner.has(`${x},${y},${z},${t}`)).toBe(false);
              owner.set(`${x},${y},${z},${t}`, number);
            }
          }
        }
      }
      expect(owner.size).toBe(dims[0] * dims[1] * dims[2] * dims[3]);
      for (const [key, number] of owner) {
        const [x = -1, y = -1, z = -1, t = -1] = key.split(',').map(Number);
        expect(grid.numberAt([x, y, z, t])).toBe(number);
      }
    }),
    { numRuns: 40 },
  );
});

test('layers are consecutive chunks of one z and t, and their boxes hold their chunks', () => {
  fc.assert(
    fc.property(dims4, dims3, (dims, chunkShape) => {
      const grid = new ChunkGrid(dims, chunkShape);
      let next = 0;
      for (let layer = 0; layer < grid.layerCount; layer++) {
        const { first, count } = grid.chunksOfLayer(layer);
        expect(first).toBe(next);
        next = first + count;
        const slab = grid.layerBox(layer);
        expect(slab.shape.slice(0, 2)).toEqual(dims.slice(0, 2));
        for (let number = first; number < next; number++) {
          const box = grid.box(number);
          expect([box.t, box.origin[2], box.shape[2]]).toEqual([slab.t, slab.origin[2], slab.shape[2]]);
        }
      }
      expect(next).toBe(grid.count);
    }),
  );
});

test('a known grid', () => {
  const grid = new ChunkGrid([130, 64, 65, 2], [64, 64, 64]);
  expect(grid.counts).toEqual([3, 1, 2, 2]);
  expect(grid.count).toBe(12);
  expect(grid.layerCount).toBe(4);
  expect(grid.box(11)).toEqual({ origin: [128, 0, 64], shape: [2, 64, 1], t: 1 });
  expect(grid.chunksOfLayer(3)).toEqual({ first: 9, count: 3 });
});

test('an f64 volume is cut in elements of 4 bytes, and never through a voxel', () => {
  const volume = { dims: [40, 8, 8, 1], type: 'f64' } as const;
  expect(codecElementDims(volume)).toEqual([80, 8, 8, 1]);
  expect(chunkGridOf(volume, [64, 64, 64, 1]).box(1)).toEqual({ origin: [64, 0, 0], shape: [16, 8, 8], t: 0 });
  expect(() => chunkGridOf(volume, [13, 4, 4, 1])).toThrow(/in half/);
});

test.each([
  ['zero', [0, 1, 1, 1], [1, 1, 1]],
  ['negative', [1, -4, 1, 1], [1, 1, 1]],
  ['a fraction', [1, 1, 1.5, 1], [1, 1, 1]],
  ['not a number', [1, 1, 1, Number.NaN], [1, 1, 1]],
  ['a chunk of nothing', [4, 4, 4, 1], [4, 0, 4]],
  ['a billion chunks', [1000, 1000, 1000, 1], [1, 1, 1]],
] as const)('refuses %s', (_, dims, chunkShape) => {
  expect(() => new ChunkGrid(dims, chunkShape)).toThrow(expect.objectContaining({ tag: 'invalid-input' }));
});

test('refuses chunks of more than 256 MiB, of two time points, and numbers outside the grid', () => {
  const volume = { dims: [64, 64, 64, 2], type: 'u8' } as const;
  expect(() => chunkGridOf(volume, [65536, 65536, 1, 1])).toThrow(/larger/);
  expect(() => chunkGridOf(volume, [64, 64, 64, 2])).toThrow(/one time point/);
  const grid = chunkGridOf(volume, [64, 64, 64, 1]);
  expect(() => grid.box(2)).toThrow(/outside/);
  expect(() => grid.chunksOfLayer(-1)).toThrow(/outside/);
});
