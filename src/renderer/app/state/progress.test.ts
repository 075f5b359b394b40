import { describe, expect, it } from 'vitest';
import type { Progress } from '../../../core/shared/job.ts';
import { fraction, nextProgress, pace, startProgress, throttleProgress } from './progress.ts';

describe('progress', () => {
  it('gives rate and time left once they can be estimated', () => {
    const start = startProgress('Reading', 1000, 0);
    expect(pace(start)).toBeUndefined();
    const half = nextProgress(start, { stage: 'Reading', done: 500, total: 1000 }, 1000);
    expect(fraction(half)).toBe(0.5);
    expect(pace(half)).toEqual({ bytesPerSecond: 500, leftMs: 1000 });
  });

  it('restarts the clock with a new stage', () => {
    const reading = nextProgress(startProgress('Reading', 10, 0), { stage: 'Reading', done: 10, total: 10 }, 5000);
    expect(nextProgress(reading, { stage: 'Checking', done: 1, total: 10 }, 6000).startedAt).toBe(6000);
  });

  it('has no fraction without a total', () => {
    expect(fraction({ stage: 'Reading', done: 5, total: undefined })).toBeUndefined();
    expect(fraction({ stage: 'Reading', done: 0, total: 0 })).toBeUndefined();
  });

  it('is throttled, but never loses the start or end of a stage', () => {
    const seen: Progress[] = [];
    const report = throttleProgress((progress) => seen.push(progress), 1e9);
    for (let done = 0; done <= 100; done++) report({ stage: 'Reading', done, total: 100 });
    report({ stage: 'Checking', done: 0, total: 100 });
    expect(seen.map(({ stage, done }) => `${stage} ${done}`)).toEqual(['Reading 0', 'Reading 100', 'Checking 0']);
  });
});
