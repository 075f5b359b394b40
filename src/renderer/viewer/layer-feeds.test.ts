import { expect, test } from 'vitest';
import type { HostBricks } from '../../core/bricks/host-bricks.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { ShownVolume } from './display-feed.ts';
import type { BrickFile } from './draw/brick-space.ts';
import { LayerFeeds } from './layer-feeds.ts';

const coarse = { info: { dims: [64, 64, 64, 1] }, display: { dims: [32, 32, 32] } } as unknown as ShownVolume;
const whole = { info: { dims: [64, 64, 64, 1] }, display: { dims: [64, 64, 64] } } as unknown as ShownVolume;

function file() {
  const shares: number[] = [];
  const host = { setShare: (share: number) => void shares.push(share) } as unknown as HostBricks;
  let opened = 0;
  const brickFile: BrickFile = {
    limits: { atlasBytes: 1, payloadBytes: 1, textureBytes: 0 },
    hostBytes: 1,
    open: async () => {
      opened++;
      return host;
    },
  };
  return { file: brickFile, shares, opened: () => opened };
}

function feedsOf(files: ReadonlyMap<string, BrickFile>) {
  const listener = { arrived: () => {}, changed: () => {}, levelsMade: () => {} };
  const feeds = new LayerFeeds({ isLost: false } as Gpu, () => [0, 255], listener);
  feeds.set(files);
  return feeds;
}

test('bricks are opened only for layers that the 3D view draws at a lower resolution, each with its part of the budget', async () => {
  const [a, b, c] = [file(), file(), file()] as const;
  const feeds = feedsOf(new Map([['a', a.file], ['b', b.file], ['c', c.file]])); // biome-ignore format: one line
  const needed = feeds.needed(new Map([['a', coarse], ['b', whole]])); // biome-ignore format: one line
  expect([...needed]).toEqual(['a']);
  feeds.follow(needed, 4);
  expect(feeds.isBusy).toBe(true);
  await feeds.opened();
  expect([a, b, c].map(({ opened }) => opened())).toEqual([1, 0, 0]);
  expect(a.shares).toEqual([0.25]);
});

test('pictures do not wait for the bricks of a layer that is removed while they are being opened', async () => {
  const feeds = feedsOf(new Map([['a', { ...file().file, open: () => new Promise<HostBricks>(() => {}) }]]));
  feeds.follow(new Set(['a']), 1);
  expect(feeds.told(undefined, true)).toMatchObject({ isLoading: true });
  feeds.set(new Map());
  await feeds.opened();
  expect([feeds.isBusy, feeds.size, feeds.told(undefined, true)]).toEqual([false, 0, undefined]);
});

test('a resolution of the open volume that bricks cannot raise is told before the bricks of layers', () => {
  const feeds = feedsOf(new Map([['a', file().file]]));
  feeds.follow(new Set(['a']), 1);
  const failed = { fault: 'the disk is away', unread: undefined, isLoading: false, levels: undefined };
  expect([feeds.told(failed, false), feeds.told(undefined, false)]).toEqual([failed, undefined]);
});
