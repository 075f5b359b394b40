import { expect, test } from 'vitest';
import { brickBudgetsOf, checkedBrickMiB, defaultBrickMiB } from './brick-budgets.ts';

test('stored budgets of bricks are whole and within limits, and invalid ones become the default', () => {
  expect(checkedBrickMiB({ host: 100.4, compressed: 1, decoded: 1e9 })).toEqual({ host: 100, compressed: 16, decoded: 65_536 });
  for (const wrong of [undefined, null, 7, { host: '5', compressed: Number.NaN }])
    expect(checkedBrickMiB(wrong)).toEqual(defaultBrickMiB);
});

test('each tier in GPU memory gets at most half of the limit for volumes', () => {
  const MiB = 2 ** 20;
  expect(brickBudgetsOf({ host: 512, compressed: 64, decoded: 512 }, 256 * MiB)).toEqual({
    hostBytes: 512 * MiB,
    payloadBytes: 64 * MiB,
    atlasBytes: 128 * MiB,
    textureBytes: 64 * MiB,
  });
});
