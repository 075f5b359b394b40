import { expect, test } from 'vitest';
import { type BrickKey, brickKey } from './brick.ts';
import { BrickView } from './brick-view.ts';
import type { GpuBricks } from './gpu-bricks.ts';

/** A view whose rays see `seenAt(bias)` bricks, in an atlas of 100 slots of which others want some. */
function viewOf(others: number, seenAt: (bias: number) => readonly BrickKey[]) {
  let held: readonly BrickKey[] = [];
  let room = 100 - others;
  const bricks = {
    atlas: { slotCount: 100 },
    source: { levels: [{ grid: { chunksPerTimePoint: 1000 } }] },
    faultOf: () => undefined,
    isAwaited: () => false,
    slotsFor: () => room,
    has: (key: BrickKey) => held.includes(key),
    want: (keys: readonly BrickKey[]) => {
      held = keys.slice(0, room);
      return Math.max(0, keys.length - room);
    },
  };
  const view = new BrickView(bricks as unknown as GpuBricks);
  const draw = (count: number) =>
    Array.from({ length: count }, () => {
      const seen = seenAt(view.bias);
      const used = seen.filter(bricks.has);
      view.take({ missed: seen.filter((key) => !bricks.has(key)), hasMore: false, used, beside: [] }, [0]);
      return [view.bias, view.isComplete];
    });
  const leave = (slots: number) => {
    room = slots;
  };
  return { view, draw, leave };
}

const bricksOf = (level: number, count: number) => Array.from({ length: count }, (_, number) => brickKey({ level, number }));

test.each([0, 45, 60, 75])('the level settles if others want %i of 100 slots', (others) => {
  // The number of bricks falls with the square of the voxels' size.
  const frames = viewOf(others, (bias) => bricksOf(0, Math.ceil(300 / bias ** 2))).draw(60);
  const [bias] = frames.at(-1) as [number, boolean];
  expect(bias).toBeGreaterThan(1);
  expect(frames.slice(-20)).toEqual(Array.from({ length: 20 }, () => [bias, true]));
});

test('the level settles if all bricks become finer at once and then do not fit, until the view changes', () => {
  let finer = 192;
  const { view, draw } = viewOf(0, (bias) => (bias < 3 ? bricksOf(0, finer) : bricksOf(1, 24)));
  const frames = draw(60);
  const [bias] = frames.at(-1) as [number, boolean];
  expect(bias).toBeGreaterThan(3);
  expect(frames.slice(-20)).toEqual(Array.from({ length: 20 }, () => [bias, true]));
  finer = 90;
  expect(draw(5).at(-1)).toEqual([bias, true]);
  view.moved();
  expect((draw(20).at(-1) as [number, boolean])[0]).toBeLessThan(3);
  expect(view.isComplete).toBe(true);
});

test('finer bricks are tried again once others leave more slots', () => {
  const { view, draw, leave } = viewOf(60, (bias) => (bias < 3 ? bricksOf(0, 90) : bricksOf(1, 10)));
  expect((draw(30).at(-1) as [number, boolean])[0]).toBeGreaterThan(3);
  leave(100);
  expect((draw(20).at(-1) as [number, boolean])[0]).toBeLessThan(3);
  expect(view.isComplete).toBe(true);
});
