import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dims3, Dims4 } from '../shared/volume.ts';
import { ChunkGrid, type ChunkShape, chunkGridOf, codecElementDims, maxChunkBytes, mostChunks } from './chunk-grid.ts';

const length = fc.integer({ min: 1, max: 9 });
const dims4: fc.Arbitrary<Dims4> = fc.tuple(length, length, length, fc.integer({ min: 1, max: 3 }));
const dims3: fc.Arbitrary<Dims3> = fc.tuple(length, length, length);
/** A volume with chunks of parts of a time point, of several whole ones, or of several interleaved ones. */
const cut: fc.Arbitrary<readonly [Dims4, ChunkShape]> = fc.oneof(
  fc.tuple(dims4, dims3),
  fc.tuple(dims4, dims3, fc.integer({ min: 2, max: 4 })).map(([[x, y, z, t], [moreX, moreY, moreZ], timePoints]) => {
    const shape: ChunkShape = [x + moreX - 1, y + moreY - 1, z + moreZ - 1, timePoints];
    return [[x, y, z, 3 * t] as const, shape] as const;
  }),
  fc.tuple(dims4, dims3, fc.integer({ min: 2, max: 4 })).map(([[x, y, z, t], [width, height, depth], timePoints]) => {
    return [[x, y, z, 3 * t] as const, [width, height, depth, timePoints, 'interleaved'] as ChunkShape] as const;
  }),
);

test('boxes tile the volume: each element lies in the one chunk that numberAt names', () => {
  fc.assert(
    fc.property(cut, ([dims, chunkShape]) => {
      const grid = new ChunkGrid(dims, chunkShape);
      const owner = new Map<string, number>();
      for (let number = 0; number < grid.count; number++) {
        const { origin, shape, t, timePoints, plane } = grid.box(number);
        expect(plane).toBe(grid.planeAt(origin[2], t));
        if (!grid.isInterleaved) expect(plane).toBe(t * dims[2] + origin[2]);
        if (timePoints > 1 && !grid.isInterleaved) expect([origin[2], shape[2]]).toEqual([0, timePoints * dims[2]]);
        for (let at = plane; at < plane + shape[2]; at++) {
          const place = grid.placeOfPlane(at);
          for (let y = origin[1]; y < origin[1] + shape[1]; y++) {
            for (let x = origin[0]; x < origin[0] + shape[0]; x++) {
              const key = `${x},${y},${place.z},${place.t}`;
              if (owner.has(key)) throw new Error(`${key} lies in two chunks`);
              owner.set(key, number);
            }
          }
        }
      }
      expect(owner.size).toBe(dims[0] * dims[1] * dims[2] * dims[3]);
      for (const [key, number] of owner) {
        const [x = -1, y = -1, z = -1, t = -1] = key.split(',').map(Number);
        const box = grid.box(number);
        const plane = grid.planeAt(z, t);
        const found = [grid.numberAt([x, y, z, t]), box.plane + grid.planeInChunk(z, t), grid.layerOfPlane(plane)];
        const expected = [number, plane, Math.floor(number / grid.chunksPerLayer)];
        if (`${found}` !== `${expected}`) expect(found, key).toEqual(expected);
      }
    }),
    { numRuns: 40 },
  );
});

test('layers are consecutive chunks of one z and t, and their boxes hold their chunks', () => {
  fc.assert(
    fc.property(cut, ([dims, chunkShape]) => {
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
          expect([box.t, box.plane, box.shape[2]]).toEqual([slab.t, slab.plane, slab.shape[2]]);
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
  expect(grid.box(11)).toEqual({ origin: [128, 0, 64], shape: [2, 64, 1], t: 1, timePoints: 1, plane: 129 });
  expect(grid.chunksOfLayer(3)).toEqual({ first: 9, count: 3 });
});

test('an f64 volume is cut into elements of 4 bytes, and never through a voxel', () => {
  const volume = { dims: [40, 8, 8, 1], type: 'f64' } as const;
  expect(codecElementDims(volume)).toEqual([80, 8, 8, 1]);
  expect(chunkGridOf(volume, [64, 64, 64, 1]).box(1)).toMatchObject({ origin: [64, 0, 0], shape: [16, 8, 8] });
  expect(() => chunkGridOf(volume, [13, 4, 4, 1])).toThrow(/would split/);
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

test('a chunk of several time points holds the whole of each, stacked along z', () => {
  const grid = chunkGridOf({ dims: [16, 8, 3, 10], type: 'u8' }, [16, 8, 3, 4]);
  expect(grid.counts).toEqual([1, 1, 1, 3]);
  expect(grid.box(1)).toEqual({ origin: [0, 0, 0], shape: [16, 8, 12], t: 4, timePoints: 4, plane: 12 });
  expect(grid.box(2)).toEqual({ origin: [0, 0, 0], shape: [16, 8, 6], t: 8, timePoints: 2, plane: 24 });
  expect(grid.numberAt([15, 7, 2, 9])).toBe(2);
  expect(grid.planeInChunk(2, 9)).toBe(5);
  expect(() => chunkGridOf({ dims: [16, 8, 3, 10], type: 'u8' }, [8, 8, 3, 4])).toThrow(/without holding each/);
});

test('a chunk that interleaves time points has all of them at each z', () => {
  const grid = chunkGridOf({ dims: [16, 8, 5, 10], type: 'u8' }, [8, 8, 3, 4, 'interleaved']);
  expect(grid.counts).toEqual([2, 1, 2, 3]);
  expect(grid.box(0)).toEqual({ origin: [0, 0, 0], shape: [8, 8, 12], t: 0, timePoints: 4, plane: 0 });
  expect(grid.box(3)).toEqual({ origin: [8, 0, 3], shape: [8, 8, 8], t: 0, timePoints: 4, plane: 12 });
  expect(grid.box(8)).toEqual({ origin: [0, 0, 0], shape: [8, 8, 6], t: 8, timePoints: 2, plane: 40 });
  expect([0, 1, 2, 3, 4, 5, 19, 20].map((plane) => Object.values(grid.placeOfPlane(plane)))).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 0],
    [1, 1],
    [4, 3],
    [0, 4],
  ]);
  expect(grid.planeInChunk(4, 2)).toBe(6);
  expect(grid.planeInChunk(1, 9)).toBe(3);
});

test('refuses far more chunks than the data needs', () => {
  const tags = (run: () => void) => expect(run).toThrow(expect.objectContaining({ tag: 'invalid-input' }));
  tags(() => chunkGridOf({ dims: [4096, 4096, 1, 1], type: 'u8' }, [1, 1, 1, 1]));
  tags(() => chunkGridOf({ dims: [9, 2 ** 26, 1, 1], type: 'u8' }, [8, 8, 1, 1]));
  expect(chunkGridOf({ dims: [16, 16, 16, 1], type: 'u8' }, [1, 1, 1, 1]).count).toBe(4096);
  tags(() => chunkGridOf({ dims: [17, 16, 16, 1], type: 'u8' }, [1, 1, 1, 1]));
  expect(chunkGridOf({ dims: [16, 16, 1, 2 ** 22], type: 'u8' }, [16, 16, 1, 16]).count).toBe(2 ** 18);
  tags(() => chunkGridOf({ dims: [16, 16, 1, 2 ** 22], type: 'u8' }, [16, 16, 1, 15]));
  expect(mostChunks([4096, 4096, 16, 1])).toBe(65536);
  expect(mostChunks([2 ** 20, 2 ** 20, 1, 1])).toBe(2 ** 24);
});

test('refuses chunks of more than 16 MiB, and numbers outside the grid', () => {
  const volume = { dims: [64, 64, 64, 2], type: 'u8' } as const;
  expect(() => chunkGridOf({ dims: [8192, 8192, 1, 1], type: 'u8' }, [8192, 2049, 1, 1])).toThrow(/exceed/);
  expect(chunkGridOf({ dims: [8192, 8192, 1, 1], type: 'u8' }, [8192, 2048, 1, 1]).count * maxChunkBytes).toBe(2 ** 26);
  const grid = chunkGridOf(volume, [64, 64, 64, 1]);
  expect(() => grid.box(2)).toThrow(/outside/);
  expect(() => grid.chunksOfLayer(-1)).toThrow(/outside/);
});
