import { describe, expect, it } from 'vitest';
import { FrameStatistics } from './frame-statistics.ts';

function figuresOf(times: readonly number[], decodeMs: readonly (number | undefined)[] = []) {
  const statistics = new FrameStatistics();
  for (const [index, presentedAt] of times.entries()) statistics.presented({ presentedAt, decodeMs: decodeMs[index] });
  return statistics.figures();
}

describe('frame statistics', () => {
  it('are undefined before there are two frames', () => {
    expect(figuresOf([]).framesPerSecond).toBeUndefined();
    expect(figuresOf([5]).framesPerSecond).toBeUndefined();
  });

  it('count frames by presentation time, over the last second', () => {
    expect(figuresOf([0, 20, 40]).framesPerSecond).toBeCloseTo(50);
    // A slow start is no longer counted.
    const slowThenFast = [0, 500, ...Array.from({ length: 101 }, (_, index) => 1000 + 10 * index)];
    expect(figuresOf(slowThenFast).framesPerSecond).toBeCloseTo(100);
  });

  it('work at one frame per second and less', () => {
    expect(figuresOf([0, 1000, 2000, 3000]).framesPerSecond).toBeCloseTo(1);
    expect(figuresOf([0, 4000, 8000]).framesPerSecond).toBeCloseTo(0.25);
  });

  it('average the known decoding times', () => {
    expect(figuresOf([0, 10, 20], [1, undefined, 3]).decodeMs).toBe(2);
    expect(figuresOf([0, 10]).decodeMs).toBeUndefined();
  });

  it('add up dropped frames, and can be reset', () => {
    const statistics = new FrameStatistics();
    statistics.presented({ presentedAt: 1, decodeMs: 1 });
    statistics.dropped(2);
    statistics.dropped(1);
    expect(statistics.figures().dropped).toBe(3);
    statistics.reset();
    expect(statistics.figures()).toEqual({ framesPerSecond: undefined, dropped: 0, decodeMs: undefined });
  });
});
