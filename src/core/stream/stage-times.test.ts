import { expect, test, vi } from 'vitest';
import { Stopwatch } from './stage-times.ts';

test('a timeline shows overlap, and joins spans that follow closely', async () => {
  let now = 100;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  try {
    const stopwatch = new Stopwatch(['read', 'encode']);
    const takes = (ms: number) => async () => {
      now += ms;
    };
    await stopwatch.time('read', takes(10), 7);
    let end = () => {};
    const encoding = stopwatch.time(
      'encode',
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
      7,
    );
    await stopwatch.time('read', takes(5), 2);
    end();
    await encoding;
    now += 20;
    await stopwatch.time('read', takes(1), 1);
    expect(stopwatch.timeline()).toEqual([
      { stage: 'read', startMs: 0, endMs: 15, bytes: 9 },
      { stage: 'encode', startMs: 10, endMs: 15, bytes: 7 },
      { stage: 'read', startMs: 35, endMs: 36, bytes: 1 },
    ]);
    expect(stopwatch.times()).toEqual({ read: 16, encode: 5, total: 36 });
    // Two threads: this span began earlier and was reported later.
    stopwatch.add('encode', 120, 130, 1);
    stopwatch.add('encode', 118, 125, 2);
    expect(stopwatch.timeline().at(-2)).toEqual({ stage: 'encode', startMs: 18, endMs: 30, bytes: 3 });
  } finally {
    vi.restoreAllMocks();
  }
});
