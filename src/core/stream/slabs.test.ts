import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatherChunk } from '../chunks/boxes.ts';
import { checkChunkShape, chunkShapeOf, defaultChunkShape, maxLayerBytes } from '../chunks/chunk-shape.ts';
import { type CodecElementBytes, rowBytes } from '../codec/codec.ts';
import { ChunkGrid, chunkGridOf } from '../format/chunk-grid.ts';
import { type Dims3, type Dims4, elementBytes, elementTypes } from '../shared/volume.ts';
import { boxesOf, largestSlabBytes, putBox, ReusedBytes, slabsOf } from './slabs.ts';

const length = (max: number) => fc.integer({ min: 1, max });
const cuts = fc.record({
  dims: fc.tuple(length(13), length(9), length(7), length(3)) as fc.Arbitrary<Dims4>,
  chunkShape: fc.tuple(fc.constantFrom(4, 8), length(5), length(4)) as fc.Arbitrary<Dims3>,
  elementBytes: fc.constantFrom<CodecElementBytes>(1, 2, 4),
  target: fc.integer({ min: 1, max: 600 }),
  maxBoxBytes: fc.integer({ min: 1, max: 300 }),
});

test('slabs and boxes hold each chunk once, in order, at its byte offset in the volume', () => {
  fc.assert(
    fc.property(cuts, ({ dims, chunkShape, elementBytes, target, maxBoxBytes }) => {
      const grid = new ChunkGrid(dims, chunkShape);
      let nextChunk = 0;
      let byteOffset = 0;
      for (const slab of slabsOf(grid, elementBytes, target)) {
        expect(slab.firstChunk).toBe(nextChunk);
        expect(slab.byteLength).toBeLessThanOrEqual(largestSlabBytes(grid, elementBytes, target));
        slab.chunks.forEach(({ origin, shape }, at) => {
          const box = grid.box(slab.firstChunk + at);
          expect(shape).toEqual(box.shape);
          const inVolume =
            (((box.t * dims[2] + box.origin[2]) * dims[1] + box.origin[1]) * dims[0] + box.origin[0]) * elementBytes;
          const inSlab = ((origin[2] * slab.dims[1] + origin[1]) * slab.dims[0] + origin[0]) * elementBytes;
          expect(byteOffset + inSlab).toBe(inVolume);
        });
        const boxes = boxesOf(slab, elementBytes, maxBoxBytes);
        let inSlab = 0;
        for (const box of boxes) {
          expect(box.firstChunk).toBe(slab.firstChunk + inSlab);
          const bytes = rowBytes(box.dims[0], elementBytes) * box.dims[1] * box.dims[2];
          expect(bytes <= maxBoxBytes || box.chunks.length === 1).toBe(true);
          let filled = 0;
          box.chunks.forEach(({ origin, shape }, at) => {
            const place = slab.chunks[inSlab + at];
            expect(shape).toEqual(place?.shape);
            expect(origin.map((value, axis) => value + (box.origin[axis] as number))).toEqual(place?.origin);
            filled += shape[0] * shape[1] * shape[2];
          });
          expect(filled).toBe(box.dims[0] * box.dims[1] * box.dims[2]);
          inSlab += box.chunks.length;
        }
        expect(inSlab).toBe(slab.chunks.length);
        nextChunk += slab.chunks.length;
        byteOffset += slab.byteLength;
      }
      expect(nextChunk).toBe(grid.count);
      expect(byteOffset).toBe(dims[0] * dims[1] * dims[2] * dims[3] * elementBytes);
    }),
    { numRuns: 500 },
  );
});

test('a slab stays within its target if one chunk row does', () => {
  const sizes = [...slabsOf(new ChunkGrid([100, 100, 1, 1], [64, 8, 1]), 1, 1000)].map(({ byteLength }) => byteLength);
  expect(sizes).toEqual([...Array.from({ length: 12 }, () => 800), 400]);
  const lines = [...slabsOf(new ChunkGrid([1000, 1, 1, 1], [64, 1, 1]), 1, 256)].map(({ byteLength }) => byteLength);
  expect(lines).toEqual([256, 256, 256, 232]);
});

test('boxes are taken out of a slab and put back', () => {
  const dims: Dims3 = [6, 5, 4];
  const slab = { bytes: Uint8Array.from({ length: 120 }, (_, at) => at), dims, elementBytes: 1 } as const;
  const range = [...slabsOf(new ChunkGrid([...dims, 1], [4, 2, 4]), 1, 1000)][0];
  if (!range) throw new Error('no slab');
  const back = { ...slab, bytes: new Uint8Array(120) };
  const boxes = boxesOf(range, 1, 64);
  expect(boxes.length).toBe(3);
  for (const box of boxes) {
    const bytes = gatherChunk(slab, { origin: box.origin, shape: box.dims });
    putBox(box, { bytes, dims: box.dims, elementBytes: 1 }, back);
  }
  expect(back.bytes).toEqual(slab.bytes);
});

test('the default chunk shape: cubes of 64, clipped; flat chunks are wider; layers fit in memory', () => {
  expect(defaultChunkShape({ dims: [512, 512, 512, 1], type: 'u8' })).toEqual([64, 64, 64, 1]);
  expect(defaultChunkShape({ dims: [512, 512, 512, 1], type: 'f64' })).toEqual([64, 64, 64, 1]);
  expect(defaultChunkShape({ dims: [65, 30, 1000, 9], type: 'u16' })).toEqual([65, 30, 128, 1]);
  expect(defaultChunkShape({ dims: [2048, 2048, 1024, 1], type: 'u8' })).toEqual([64, 64, 64, 1]);
  expect(defaultChunkShape({ dims: [2048, 2048, 1024, 1], type: 'u16' })).toEqual([128, 64, 32, 1]);
  expect(defaultChunkShape({ dims: [2048, 2048, 1, 1], type: 'u8' })).toEqual([512, 512, 1, 1]);
  expect(defaultChunkShape({ dims: [1, 1, 1, 1], type: 'f64' })).toEqual([2, 1, 1, 1]);
  // 2^24 chunks of 64×64×64 would not suffice.
  expect(defaultChunkShape({ dims: [2 ** 15, 2 ** 15, 2 ** 14, 1], type: 'u8' })).toEqual([1024, 1024, 1, 1]);
});

test('small volumes of a series share a chunk, and so do small pictures', () => {
  expect(defaultChunkShape({ dims: [16, 16, 1, 2 ** 22], type: 'u8' })).toEqual([16, 16, 1, 1024]);
  expect(defaultChunkShape({ dims: [16, 16, 2 ** 22, 1], type: 'u8' })).toEqual([16, 16, 1024, 1]);
  expect(defaultChunkShape({ dims: [1, 1, 1, 1000], type: 'f64' })).toEqual([2, 1, 1, 1000]);
  expect(defaultChunkShape({ dims: [100, 100, 30, 9], type: 'u16' })).toEqual([100, 64, 30, 1]);
  expect(chunkShapeOf({ dims: [16, 16, 2 ** 22, 1], type: 'u8' }, true)).toEqual([16, 16, 64, 1]);
  expect(chunkShapeOf({ dims: [300, 20, 9, 3], type: 'u8' }, true)).toEqual([300, 20, 2, 1]);
  expect(chunkShapeOf({ dims: [16, 16, 4, 300], type: 'u8' }, true)).toEqual([16, 16, 4, 16]);
});

test('the chunk shape of a stack of pictures: one slice deep, small, larger if there would be too many', () => {
  expect(chunkShapeOf({ dims: [2048, 1536, 240, 1], type: 'u8' }, true)).toEqual([128, 128, 1, 1]);
  expect(chunkShapeOf({ dims: [100, 100, 9, 3], type: 'f64' }, true)).toEqual([128, 100, 1, 1]);
  expect(chunkShapeOf({ dims: [100_000, 40_000, 1000, 1], type: 'u8' }, true)).toEqual([512, 512, 1, 1]);
  for (const volume of [
    { dims: [2048, 2048, 1, 3], type: 'u8' },
    { dims: [2 ** 22, 200, 2, 1], type: 'u8' },
  ] as const) {
    expect(chunkShapeOf(volume, true)).toEqual(defaultChunkShape(volume));
    expect(chunkGridOf(volume, chunkShapeOf(volume, true)).count).toBeGreaterThan(0);
  }
  expect(chunkShapeOf({ dims: [512, 512, 512, 1], type: 'u8' }, false)).toEqual([64, 64, 64, 1]);
});

test('every default shape suits the container, the GPU and the memory limit', () => {
  const anyLength = fc.oneof(length(3), length(100), length(5000), length(100_000));
  const anyTime = fc.oneof(fc.constant(1), length(100), length(2 ** 31));
  fc.assert(
    fc.property(
      fc.tuple(anyLength, anyLength, anyLength, anyTime),
      fc.constantFrom(...elementTypes),
      fc.boolean(),
      ([x, y, z, t], type, arePictures) => {
        const volume = { dims: [x, y, z, t] as const, type };
        const shape = chunkShapeOf(volume, arePictures);
        expect(shape).toEqual(checkChunkShape(volume, shape));
        const bytes = elementBytes(type);
        // A stack has at most 2^18 pictures.
        if (x * y * z * t * bytes >= 2 ** 43 || (arePictures && z * t > 2 ** 18)) return;
        expect(chunkGridOf(volume, shape).count).toBeGreaterThan(0);
        const layer = x * bytes * (shape[2] * shape[3] > 1 ? y * shape[2] * shape[3] : shape[1]);
        expect(layer <= maxLayerBytes || (shape[1] === 1 && shape[2] === 1)).toBe(true);
        if (x * y * z * t * bytes < 2 ** 40) expect(shape[0] * shape[1] * shape[2] * shape[3]).toBeLessThanOrEqual(64 ** 3);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a chunk width that would not start at a word is refused', () => {
  expect(() => checkChunkShape({ dims: [100, 1, 1, 1], type: 'u8' }, [6, 1, 1])).toThrow(/whole words/);
  expect(checkChunkShape({ dims: [6, 1, 1, 1], type: 'u8' }, [6, 1, 1])).toEqual([6, 1, 1]);
});

test.each([false, true])('memory that grows is doubled, so that it grows only a few times; shared: %s', (isShared) => {
  const memory = new ReusedBytes(isShared);
  const first = memory.take(1000);
  const second = memory.take(1001);
  expect([first.byteLength, second.byteLength]).toEqual([1000, 1001]);
  expect(second.buffer).not.toBe(first.buffer);
  expect(memory.take(2000).buffer).toBe(second.buffer);
  expect(memory.take(2001).buffer).not.toBe(second.buffer);
  const large = new ReusedBytes(isShared);
  large.take(2 ** 26 + 8);
  expect(large.take(2 ** 26 + 16).buffer.byteLength).toBe(2 ** 26 + 16);
});
