import { expect, test } from 'vitest';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { type BrickKey, brickKey, brickOf } from './brick.ts';
import { FeedbackReader } from './brick-feedback.ts';
import type { GpuBricks } from './gpu-bricks.ts';

/** A volume of 4 × 4 × 4 bricks and a level of 2 × 2 × 2. `keys` are in slots, in this order. */
function readerOf(keys: readonly BrickKey[]) {
  const places = { used: 5, asked: 5 + 8, mostMisses: 4 };
  const bricks = {
    source: {
      levels: [
        { grid: new ChunkGrid([32, 32, 32, 1], [8, 8, 8]), factors: [1, 1, 1] },
        { grid: new ChunkGrid([16, 16, 16, 1], [8, 8, 8]), factors: [2, 2, 2] },
      ],
    },
    table: {
      count: 72,
      keyAt: (index: number) => (index < 64 ? index : brickKey({ level: 1, number: index - 64 })),
      indexOf: (key: BrickKey) => (key < 64 ? key : 64 + brickOf(key).number),
    },
    atlas: {
      slotCount: 8,
      keyAt: (slot: number) => keys[slot],
      // Each slot was filled after the one before it.
      isNewerThan: (slot: number, fills: number) => slot >= fills,
      slots: { peek: (key: BrickKey) => (keys.includes(key) ? keys.indexOf(key) : undefined) },
    },
  };
  const reader = new FeedbackReader(bricks as unknown as GpuBricks, places);
  return {
    read: (missed: readonly number[], count: number, met: readonly number[], fills = 8) => {
      const words = new Uint32Array(places.asked);
      words.set([count, ...missed]);
      words.set(met, places.used);
      return reader.read(words, fills);
    },
  };
}

test('missed bricks come coarse ones first, and used bricks in the order of their slots', () => {
  const coarse = brickKey({ level: 1, number: 3 });
  const { read } = readerOf([9, coarse, 21]);
  expect(read([7, 67, 2], 3, [1, 0, 1, 1])).toEqual({ missed: [coarse, 7, 2], hasMore: false, used: [9, 21], beside: [] });
  expect(read([7, 8, 9, 10], 6, []).hasMore).toBe(true);
});

test('bricks beyond the faces that samples crossed are wanted too, once nothing is missed', () => {
  // Brick 21 lies at 1, 1, 1. Bits 1 to 3 stand for its lower faces along x, y and z, bits 4 to 6 for the upper ones.
  const { read } = readerOf([21, 22]);
  expect(read([], 0, [1 | 2]).beside).toEqual([20]);
  expect(read([], 0, [1 | 2 | 4]).beside).toEqual([16, 17, 20]);
  // The brick beyond the upper face along x was used.
  expect(read([], 0, [1 | 16, 1]).beside).toEqual([]);
  expect(read([], 0, [1 | 16]).beside).toEqual([22]);
  expect(read([5], 1, [1 | 2]).beside).toEqual([]);
});

test('a brick that took a slot after the frame was recorded counts as neither used nor met', () => {
  const { read } = readerOf([21, 22]);
  expect(read([], 0, [1 | 16, 1], 2)).toMatchObject({ used: [21, 22], beside: [] });
  expect(read([], 0, [1 | 16, 1], 1)).toMatchObject({ used: [21], beside: [22] });
});
