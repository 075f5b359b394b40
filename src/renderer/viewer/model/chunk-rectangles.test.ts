import { describe, expect, test } from 'vitest';
import { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import { checksum } from '../../../core/format/checksum.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { chunkPicture, chunkRectangles } from './chunk-rectangles.ts';
import { placeSlice, positionAt, type SlicePlacement } from './slice-geometry.ts';

const decodedChecksum = checksum(new Uint8Array(4));
const constant: EncodedChunk = { kind: 'constant', element: Uint8Array.of(7), decodedChecksum };
const raw: EncodedChunk = {
  kind: 'coded',
  stages: [{ codecId: 1, parameters: new Uint8Array(0) }],
  payload: new Uint8Array(3),
  encodedChecksum: decodedChecksum,
  decodedChecksum,
};

// 10×6×4 voxels in chunks of 4×4×2, so 3×2×2 chunks. Chunks 1 and 6 are raw.
const chunks = Array.from({ length: 12 }, (_, number) => (number === 1 || number === 6 ? raw : constant));
const map = new ChunkMap({ dims: [10, 6, 4, 1], type: 'u8' }, [4, 4, 2], chunks);
const placement: SlicePlacement = {
  frame: { across: 2, right: { axis: 0, sign: 1 }, down: { axis: 1, sign: 1 }, letters: undefined },
  dims: [10, 6, 4],
  spacing: [1, 1, 1],
  width: 120,
  height: 80,
  index: 0,
  camera: { zoom: 1, center: undefined },
  margin: 10,
};

describe('the chunks that a slice cuts', () => {
  test('are its rectangles, side by side, with their ways', () => {
    expect(chunkRectangles(map, placement, 0)).toEqual([
      { left: 10, top: 10, right: 50, bottom: 50, way: 0 },
      { left: 50, top: 10, right: 90, bottom: 50, way: 1 },
      { left: 90, top: 10, right: 110, bottom: 50, way: 0 },
      { left: 10, top: 50, right: 50, bottom: 70, way: 0 },
      { left: 50, top: 50, right: 90, bottom: 70, way: 0 },
      { left: 90, top: 50, right: 110, bottom: 70, way: 0 },
    ]);
    const ways = (index: number) => chunkRectangles(map, { ...placement, index }, 0).map(({ way }) => way);
    expect(ways(1)).toEqual([0, 1, 0, 0, 0, 0]);
    expect(ways(2)).toEqual([1, 0, 0, 0, 0, 0]);
  });

  test('contain the centre of each of their pixels, for any camera and orientation', () => {
    const turned = { ...placement.frame, right: { axis: 1, sign: -1 }, down: { axis: 0, sign: 1 } } as const;
    const place = { ...placement, frame: turned, camera: { zoom: 1.37, center: [2.3, 3.1] as const } };
    const canvas = placeSlice(place);
    const rectangles = chunkRectangles(map, place, 0);
    for (let y = 0; y < place.height; y += 3) {
      for (let x = 0; x < place.width; x += 3) {
        const [vx, vy] = positionAt(canvas, [x + 0.5, y + 0.5]).map(Math.floor) as [number, number, number];
        const inside = vx >= 0 && vx < 10 && vy >= 0 && vy < 6;
        const found = rectangles.filter(({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom);
        expect(found.map(({ way }) => way)).toEqual(inside ? [map.chunkAt(vx, vy, 0, 0).way] : []);
      }
    }
  });

  test('are left out if they are off the canvas', () => {
    expect(chunkRectangles(map, { ...placement, camera: { zoom: 20, center: [1, 1] } }, 0)).toHaveLength(1);
  });

  test('are half as many voxels wide for doubles', () => {
    const doubles = new ChunkMap({ dims: [10, 6, 4, 1], type: 'f64' }, [8, 4, 2], chunks);
    expect(chunkRectangles(doubles, placement, 0)).toEqual(chunkRectangles(map, placement, 0));
  });
});

test('the key changes with the rectangles, and stays the same between slices of one layer of chunks', () => {
  const keyOf = (change: Partial<SlicePlacement>, timePoint = 0) => chunkPicture(map, { ...placement, ...change }, timePoint).key;
  expect(keyOf({ index: 1 })).toBe(keyOf({}));
  const others = [
    keyOf({ index: 2 }),
    keyOf({}, 1),
    keyOf({ camera: { zoom: 2, center: undefined } }),
    keyOf({ width: 121 }),
    chunkPicture(new ChunkMap({ dims: [10, 6, 4, 1], type: 'u8' }, [4, 4, 2], chunks), placement, 0).key,
  ];
  expect(new Set([keyOf({}), ...others]).size).toBe(6);
});
