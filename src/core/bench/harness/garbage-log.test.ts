import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { GarbageLog } from './garbage-log.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

test('collections count in the spans that they overlap', async () => {
  const log = new GarbageLog();
  const from = performance.now();
  collect();
  const to = performance.now();
  await log.end();
  const all = log.msWithin({ from, to }) as number;
  expect(all).toBeGreaterThan(0);
  expect(all).toBeLessThanOrEqual(to - from);
  expect(log.msWithin({ from: to, to: to + 1000 })).toBe(0);
  const middle = (from + to) / 2;
  expect((log.msWithin({ from, to: middle }) as number) + (log.msWithin({ from: middle, to }) as number)).toBeCloseTo(all, 6);
});

test('where collections are not reported, their times are unknown', async () => {
  const { supportedEntryTypes } = PerformanceObserver;
  Object.defineProperty(PerformanceObserver, 'supportedEntryTypes', { configurable: true, value: ['mark'] });
  try {
    const log = new GarbageLog();
    await log.end();
    expect(log.msWithin({ from: 0, to: 1 })).toBeUndefined();
  } finally {
    Object.defineProperty(PerformanceObserver, 'supportedEntryTypes', { configurable: true, value: supportedEntryTypes });
  }
});
