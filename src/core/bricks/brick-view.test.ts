import { expect, test } from 'vitest';
import { type BrickKey, brickKey } from './brick.ts';
import { BrickView } from './brick-view.ts';
import type { GpuBricks } from './gpu-bricks.ts';

test.each([0, 45, 60, 75])('the level settles if others want %i of 100 slots', (others) => {
  let held: readonly BrickKey[] = [];
  const room = 100 - others;
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
  const frames = Array.from({ length: 60 }, () => {
    // The number of bricks falls with the square of the voxels' size.
    const seen = Array.from({ length: Math.ceil(300 / view.bias ** 2) }, (_, number) => brickKey({ level: 0, number }));
    const used = seen.filter(bricks.has);
    view.take({ missed: seen.filter((key) => !bricks.has(key)), hasMore: false, used, beside: [] }, [0]);
    return [view.bias, view.isComplete];
  });
  const [bias] = frames.at(-1) as [number, boolean];
  expect(bias).toBeGreaterThan(1);
  expect(frames.slice(-20)).toEqual(Array.from({ length: 20 }, () => [bias, true]));
});
