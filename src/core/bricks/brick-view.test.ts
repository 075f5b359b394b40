import { expect, test } from 'vitest';
import { chunkGridOf } from '../format/chunk-grid.ts';
import { testInfo } from '../volume/resident-testing.ts';
import { type BrickKey, brickKey, brickOf } from './brick.ts';
import { BrickView } from './brick-view.ts';
import type { GpuBricks } from './gpu-bricks.ts';

/** Three levels of 10³, 5³ and 3³ bricks. */
const levels = [80, 40, 20].map((side, level) => ({
  grid: chunkGridOf(testInfo([side, side, side, 1], 'u8'), [8, 8, 8]),
  factors: [2 ** level, 2 ** level, 2 ** level] as const,
}));

/** The brick of the next level around a brick. */
function around(key: BrickKey): BrickKey {
  const { level, number } = brickOf(key);
  const [finer, coarser] = [levels[level]?.grid, levels[level + 1]?.grid];
  if (!finer || !coarser) throw new Error(`nothing is coarser than level ${level}`);
  const [x, y, z] = finer.box(number).origin.map((voxel) => Math.floor(voxel / 2)) as [number, number, number];
  return brickKey({ level: level + 1, number: coarser.numberAt([x, y, z, 0]) });
}

/**
 * A view whose rays see `seenAt(bias)` bricks, in an atlas of 100 slots of which others want some.
 * @param drawsCoarser whether the next coarser brick is drawn where one is missing
 */
function viewOf(others: number, seenAt: (bias: number) => readonly BrickKey[], drawsCoarser = false) {
  let held: readonly BrickKey[] = [];
  const wants: (readonly BrickKey[])[] = [];
  let room = 100 - others;
  const bricks = {
    atlas: { slotCount: 100 },
    source: { levels },
    faultOf: () => undefined,
    isAwaited: () => false,
    slotsFor: () => room,
    has: (key: BrickKey) => held.includes(key),
    want: (keys: readonly BrickKey[]) => {
      wants.push(keys);
      held = keys.slice(0, room);
      return Math.max(0, keys.length - room);
    },
  };
  const view = new BrickView(bricks as unknown as GpuBricks);
  const draw = (count: number) =>
    Array.from({ length: count }, () => {
      const seen = seenAt(view.bias);
      const missed = seen.filter((key) => !bricks.has(key));
      const instead = drawsCoarser ? missed.map(around) : [];
      const used = [...new Set([...seen, ...instead].filter(bricks.has))];
      view.take({ missed, hasMore: false, used, beside: [] }, [0]);
      return [view.bias, view.isComplete];
    });
  const leave = (slots: number) => {
    room = slots;
  };
  return { view, draw, leave, wants };
}

const bricksOf = (level: number, count: number) => Array.from({ length: count }, (_, number) => brickKey({ level, number }));

/** The bricks of a view that fit at a bias of 2.44. */
const large = (bias: number) => bricksOf(1, Math.min(125, Math.ceil(400 / bias ** 2)));

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

test('a view at rest draws finer bricks after a larger view, if all of them fit', () => {
  const coarse = bricksOf(1, 40);
  // Only two of the coarse bricks are near enough to be replaced, each by at most eight.
  const near = bricksOf(0, 1000).filter((key) => coarse.slice(0, 2).includes(around(key)));
  expect(near.length).toBe(16);
  let isLarge = true;
  const { view, draw } = viewOf(0, (bias) => (isLarge ? large(bias) : bias < 1.5 ? [...near, ...coarse.slice(2)] : coarse), true);
  draw(30);
  const { bias } = view;
  expect(bias).toBeGreaterThan(1.5);
  isLarge = false;
  view.moved();
  draw(2);
  const seen = draw(30).map(([of]) => of as number);
  expect([view.bias, view.isComplete]).toEqual([1, true]);
  // It never became coarser on the way.
  expect(seen).toEqual(seen.toSorted((a, b) => b - a));
});

test('a view at rest tries finer bricks once, and requests none if those behind the missed ones would not fit', () => {
  const coarse = bricksOf(1, 40);
  // A ray misses only the first fine brick in each coarse one. Seven more may follow in each.
  const first = [...new Map(bricksOf(0, 1000).map((key) => [around(key), key])).values()].filter((key) =>
    coarse.includes(around(key)),
  );
  expect(first.length).toBe(40);
  let isLarge = true;
  const { view, draw, wants } = viewOf(0, (bias) => (isLarge ? large(bias) : bias < 2 ? first : coarse), true);
  draw(30);
  const { bias } = view;
  expect(bias).toBeGreaterThan(2);
  isLarge = false;
  draw(5);
  view.moved();
  const from = wants.length;
  const frames = draw(20);
  expect(frames.slice(0, 5)).toEqual([[bias, false], [bias / 1.25, false], [bias, false], [bias, true], [bias, true]]); // biome-ignore format: one line
  expect(frames.at(-1)).toEqual([bias, true]);
  expect(new Set(wants.slice(from).flat())).toEqual(new Set(coarse));
});

test('a view that moves while finer bricks are tried draws the coarser ones', () => {
  const { view, draw } = viewOf(0, (bias) => (bias < 3 ? bricksOf(0, 192) : bricksOf(1, 40)));
  draw(60);
  const { bias } = view;
  view.moved();
  draw(2);
  expect(view.bias).toBeLessThan(bias);
  view.moved();
  expect(view.bias).toBe(bias);
});

test('finer bricks that were all loaded when they were tried are kept when the view moves, and requested again if they are lost', () => {
  const coarse = bricksOf(1, 40);
  let lost: BrickKey[] = [];
  let isLarge = true;
  const { view, draw, wants } = viewOf(0, (bias) => (isLarge ? large(bias) : [...coarse, ...lost]), true);
  draw(30);
  isLarge = false;
  view.moved();
  draw(30);
  expect([view.bias, view.isComplete]).toEqual([1, true]);
  // One brick in each coarse one: with all that may lie behind them they would not fit.
  lost = [...new Map(bricksOf(0, 1000).map((key) => [around(key), key])).values()].filter((key) => coarse.includes(around(key)));
  draw(1);
  expect(view.bias).toBe(1);
  expect(wants.at(-1)).toEqual(expect.arrayContaining(lost));
  draw(5);
  view.moved();
  expect([view.bias, view.isComplete]).toEqual([1, true]);
});

test('feedback of a frame that was recorded before the resolution changed does not change it again', () => {
  const { view, draw } = viewOf(0, (bias) => bricksOf(0, Math.ceil(150 / bias ** 2)));
  const { frame } = view;
  draw(1);
  expect(view.bias).toBe(1.25);
  // A second frame was in flight, in which as many bricks were seen.
  const seen = bricksOf(0, 150);
  view.take({ missed: seen.slice(100), hasMore: false, used: seen.slice(0, 100), beside: [] }, [0], frame);
  expect([view.bias, view.isComplete]).toEqual([1.25, false]);
  expect(draw(2).at(-1)).toEqual([1.25, true]);
});

test('a trial of finer bricks is judged by its own frame, and not by one that was in flight', () => {
  const coarse = bricksOf(1, 40);
  const first = [...new Map(bricksOf(0, 1000).map((key) => [around(key), key])).values()].filter((key) =>
    coarse.includes(around(key)),
  );
  let isLarge = true;
  const { view, draw, wants } = viewOf(0, (bias) => (isLarge ? large(bias) : bias < 2 ? first : coarse), true);
  draw(30);
  isLarge = false;
  draw(5);
  view.moved();
  const { bias, frame } = view;
  draw(2);
  expect(view.bias).toBe(bias / 1.25);
  const from = wants.length;
  view.take({ missed: [], hasMore: false, used: coarse, beside: [] }, [0], frame);
  expect([view.bias, view.isComplete]).toEqual([bias / 1.25, false]);
  // The trial's own frame misses bricks that would not fit, so none of them is requested.
  expect(draw(5).at(-1)).toEqual([bias, true]);
  expect(new Set(wants.slice(from).flat())).toEqual(new Set(coarse));
});

test('a view rests only after frames that were recorded since it moved', () => {
  const { view } = viewOf(0, () => bricksOf(1, 40));
  const feedback = { missed: [], hasMore: false, used: bricksOf(1, 40), beside: [] };
  for (let at = 0; at < 2; at++) view.take({ ...feedback, missed: bricksOf(0, 150) }, [0]);
  const { bias, frame } = view;
  expect(bias).toBeGreaterThan(1);
  view.moved();
  view.take(feedback, [0], frame);
  view.take(feedback, [0]);
  expect(view.bias).toBe(bias);
  view.take(feedback, [0]);
  expect(view.bias).toBeLessThan(bias);
});
