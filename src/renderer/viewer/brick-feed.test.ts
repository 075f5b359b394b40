import { expect, test } from 'vitest';
import type { HostBricks } from '../../core/bricks/host-bricks.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { BrickFeed, partOf } from './brick-feed.ts';
import type { ShownVolume } from './display-feed.ts';
import type { BrickFile } from './draw/brick-space.ts';

const coarse = { info: { dims: [64, 64, 64, 1] }, display: { dims: [32, 32, 32] } } as unknown as ShownVolume;
const budgets = { limits: { atlasBytes: 1, payloadBytes: 1, textureBytes: 0 }, hostBytes: 1 };

function feedOf(file: BrickFile) {
  let changes = 0;
  const feed = new BrickFeed({ isLost: false } as Gpu, () => [0, 255], {
    arrived: () => {},
    changed: () => {
      changes++;
    },
  });
  feed.set(file);
  return { feed, changes: () => changes };
}

test('pictures can wait for bricks that are being opened, even if that fails', async () => {
  let fail: (error: StriaError) => void = () => {};
  const opening = new Promise<HostBricks>((_, reject) => {
    fail = reject;
  });
  const { feed, changes } = feedOf({ ...budgets, open: () => opening });
  await feed.opened();
  feed.follow(feed.needs(coarse, false));
  expect(feed.told()).toEqual({ fault: undefined, unread: undefined, isLoading: true });
  let isOpen = false;
  const opened = feed.opened().then(() => {
    isOpen = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOpen).toBe(false);
  fail(new StriaError('not-readable', 'the disk is away'));
  await opened;
  expect(feed.told()).toMatchObject({ fault: 'the disk is away', isLoading: false });
  expect(changes()).toBe(1);
});

test('pictures do not wait for bricks that are closed while they are being opened', async () => {
  const { feed, changes } = feedOf({ ...budgets, open: () => new Promise(() => {}) });
  feed.follow(feed.needs(coarse, false));
  feed.close();
  await feed.opened();
  expect([feed.isBusy, feed.told(), changes()]).toEqual([false, undefined, 0]);
});

test('the levels of the open file are told as they are made, for the time point that is shown', async () => {
  const shown: number[] = [];
  const file: BrickFile = { ...budgets, open: () => new Promise(() => {}), show: (timePoint) => void shown.push(timePoint) };
  const { feed, changes } = feedOf(file);
  feed.show(2);
  feed.follow(feed.needs(coarse, false));
  const other: BrickFile = { ...file, levels: { kind: 'making', percent: 7 } };
  feed.set(other);
  feed.follow(feed.needs(coarse, false));
  const before = changes();
  other.onLevels?.();
  expect(feed.told()).toMatchObject({ levels: { kind: 'making', percent: 7 } });
  expect([shown, changes() - before, file.onLevels]).toEqual([[2], 1, undefined]);
});

test('volumes share the budgets equally, and those that need a texture get one within the same sum', () => {
  const limits = { atlasBytes: 600, payloadBytes: 600, textureBytes: 300 };
  expect(partOf(limits, 3, false)).toEqual({ atlasBytes: 200, payloadBytes: 200, textureBytes: 100 });
  expect(partOf({ ...limits, textureBytes: 900 }, 3, true)).toEqual({ atlasBytes: 200, payloadBytes: 200, textureBytes: 300 });
  const part = partOf(limits, 3, true);
  expect(part.textureBytes).toBeGreaterThan(1.4 * part.atlasBytes);
  expect(part.atlasBytes).toBeGreaterThan(100);
  expect(part.atlasBytes + part.payloadBytes + part.textureBytes).toBeLessThanOrEqual(500);
});

test('bricks that could not be opened are tried again, and memory is shared anew, when others share the budgets', async () => {
  const shares: number[] = [];
  const host = { setShare: (share: number) => void shares.push(share) } as unknown as HostBricks;
  let opened = 0;
  // The GPU bricks cannot be made from this host, as with too small a part of the budgets.
  const open = async () => {
    opened++;
    return host;
  };
  const { feed } = feedOf({ ...budgets, open });
  const follow = async (isNeeded: boolean, sharers: number) => {
    feed.follow(isNeeded, sharers);
    await feed.opened();
  };
  await follow(true, 2);
  await follow(true, 2);
  expect([opened, shares, feed.told()?.fault !== undefined]).toEqual([1, [0.5], true]);
  await follow(true, 1);
  expect([opened, shares.at(-1)]).toEqual([2, 1]);
  await follow(false, 4);
  expect(shares.at(-1)).toBe(0.25);
});
