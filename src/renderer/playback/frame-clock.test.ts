import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atEnds, type ClockSettings, FrameClock } from './frame-clock.ts';

const settings = (change: Partial<ClockSettings> = {}): ClockSettings => ({ rate: 10, pace: 'hold', atEnd: 'loop', ...change });

function shown(due: ReturnType<FrameClock['due']>): string {
  if (!due) return '-';
  return due.dropped > 0 ? `${due.index}(${due.dropped} dropped)` : String(due.index);
}

/** The frames due at these times; '-' for none. */
function asked(clock: FrameClock, times: readonly number[]): string {
  return times.map((now) => shown(clock.due(now))).join(' ');
}

function played(clock: FrameClock, times: readonly number[]): string {
  clock.play(0);
  return asked(clock, times);
}

const beats = (count: number, periodMs = 100) => Array.from({ length: count }, (_, index) => periodMs * (index + 1));

describe('frames are due', () => {
  it('once each, one period after the previous, or a few milliseconds early', () => {
    expect(played(new FrameClock(9, settings()), [16, 90, 97, 103, 190, 200, 216, 310])).toBe('- - 1 - - 2 - 3');
  });

  it('on every second animation frame at half the display’s rate, without drops from jitter', () => {
    const times = Array.from({ length: 12 }, (_, frame) => (1000 / 60) * (frame + 1) + (frame % 3) - 1);
    expect(played(new FrameClock(99, settings({ rate: 30 })), times)).toBe('- 1 - 2 - 3 - 4 - 5 - 6');
  });

  it('not while paused, and not twice for two clicks on play', () => {
    const clock = new FrameClock(9, settings());
    expect(asked(clock, [100, 200])).toBe('- -');
    clock.play(200);
    clock.play(290);
    expect(asked(clock, [300])).toBe('1');
    clock.pause();
    expect(asked(clock, [400, 500])).toBe('- -');
    clock.play(550);
    expect(asked(clock, [600, 650])).toBe('- 2');
  });
});

describe('at the end', () => {
  it.each([
    ['loop', '1 2 3 0 1 2 3 0 1'],
    ['bounce', '1 2 3 2 1 0 1 2 3'],
    ['once', '1 2 3 - - - - - -'],
  ] as const)('%s', (atEnd, expected) => {
    expect(played(new FrameClock(4, settings({ atEnd })), beats(9))).toBe(expected);
  });

  it('dropped frames are counted across the end of a loop, but not beyond the end otherwise', () => {
    const late = [100, 400, 500, 900];
    expect(played(new FrameClock(4, settings()), late)).toBe('1 0(2 dropped) 1 1(3 dropped)');
    expect(played(new FrameClock(4, settings({ atEnd: 'bounce' })), late)).toBe('1 2(2 dropped) 1 3(3 dropped)');
    expect(played(new FrameClock(4, settings({ atEnd: 'once' })), late)).toBe('1 3(1 dropped) - -');
  });

  it('of a loop that is to play once, playback stops without a negative number of dropped frames', () => {
    const clock = new FrameClock(3, settings(), 1);
    expect(played(clock, [100])).toBe('2');
    clock.set({ atEnd: 'once' }, 150);
    expect([clock.due(200), clock.isPlaying]).toEqual([{ index: 2, dropped: 0 }, false]);
  });

  it('playing again starts over', () => {
    const clock = new FrameClock(3, settings({ atEnd: 'once' }), 2);
    clock.play(0);
    expect(clock.index).toBe(0);
    expect(asked(clock, beats(3))).toBe('1 2 -');
    expect(clock.isPlaying).toBe(false);
  });

  it('stacks of one or two frames play too', () => {
    for (const atEnd of ['loop', 'bounce'] as const) {
      expect(played(new FrameClock(2, settings({ atEnd })), beats(4))).toBe('1 0 1 0');
      expect(played(new FrameClock(1, settings({ atEnd })), beats(3))).toBe('0 0 0');
    }
  });

  it('playback that runs backwards continues forwards from there when bouncing is switched off', () => {
    const clock = new FrameClock(5, settings({ atEnd: 'bounce' }), 3);
    expect(played(clock, beats(2))).toBe('4 3');
    clock.set({ atEnd: 'loop' }, 200);
    expect(asked(clock, [300, 400, 500])).toBe('4 0 1');
  });
});

describe('with slow frames', () => {
  it('hold keeps the rate and drops frames', () => {
    expect(played(new FrameClock(99, settings()), [250, 500, 750, 1000])).toBe(
      '2(1 dropped) 5(2 dropped) 7(1 dropped) 10(2 dropped)',
    );
  });

  it('every slows down, and does not catch up', () => {
    const clock = new FrameClock(99, settings({ pace: 'every' }));
    expect(played(clock, [350, 700, 716, 750, 800, 890, 900, 1000])).toBe('1 2 - - 3 - 4 5');
  });

  it('no frame is due while none can be shown, and frames that would have been due count as dropped', () => {
    const clock = new FrameClock(99, settings());
    clock.play(0);
    expect(clock.due(100, false)).toBeUndefined();
    expect(clock.due(200, false)).toBeUndefined();
    expect(clock.due(310)).toEqual({ index: 3, dropped: 2 });
  });

  it('a hidden tab drops no frames and continues where it was', () => {
    const clock = new FrameClock(99, settings());
    expect(played(clock, [100, 200])).toBe('1 2');
    expect(asked(clock, [3_600_250, 3_600_300, 3_600_350, 3_600_450])).toBe('- - 3 4');
  });
});

describe('changes during playback', () => {
  it('of the rate stretch the rest of the current frame', () => {
    const clock = new FrameClock(99, settings());
    expect(played(clock, [100, 150])).toBe('1 -');
    clock.set({ rate: 5 }, 150);
    expect(asked(clock, [200, 250, 450])).toBe('- 2 3');
    clock.set({ rate: 20 }, 450);
    expect(asked(clock, [500, 550])).toBe('4 5');
  });

  it('of the rate are limited', () => {
    for (const [rate, kept] of [
      [0, 1],
      [-5, 1],
      [1e9, 120],
      [Number.NaN, 60],
    ] as const) {
      const clock = new FrameClock(9, settings({ rate }));
      expect(clock.settings.rate).toBe(kept);
      clock.set({ rate: 30 }, 0);
      clock.set({ rate }, 0);
      expect(clock.settings.rate).toBe(kept);
    }
  });

  it('of the position keep the beat and the direction', () => {
    const clock = new FrameClock(9, settings({ atEnd: 'bounce' }));
    expect(played(clock, [100, 150])).toBe('1 -');
    clock.seek(7);
    expect(clock.index).toBe(7);
    expect(asked(clock, [190, 200, 300, 400])).toBe('- 8 7 6');
    clock.seek(3);
    expect(asked(clock, [500])).toBe('2');
    clock.seek(0);
    expect(asked(clock, [600])).toBe('1');
  });

  it('steps wrap around in a loop, and stop at the ends otherwise', () => {
    expect(new FrameClock(5, settings(), 4).stepped(1)).toBe(0);
    expect(new FrameClock(5, settings(), 0).stepped(-1)).toBe(4);
    expect(new FrameClock(5, settings({ atEnd: 'bounce' }), 4).stepped(1)).toBe(4);
    expect(new FrameClock(5, settings({ atEnd: 'once' }), 1).stepped(-3)).toBe(0);
  });

  it('a position outside the stack becomes its nearest frame', () => {
    const clock = new FrameClock(5, settings(), 77);
    expect(clock.index).toBe(4);
    clock.seek(-3);
    expect(clock.index).toBe(0);
  });
});

describe('at arbitrary times', () => {
  const gaps = fc.array(fc.double({ min: 0, max: 900, noNaN: true }), { minLength: 1, maxLength: 60 });
  const rate = fc.integer({ min: 1, max: 120 });
  const frameCount = fc.integer({ min: 2, max: 50 });
  const timesOf = (all: readonly number[]) => all.map((_, index) => all.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0));

  it('hold is never late by a whole period, never early by more than 4 ms, and counts dropped frames', () => {
    fc.assert(
      fc.property(gaps, rate, frameCount, fc.constantFrom('loop', 'bounce'), (all, perSecond, count, atEnd) => {
        const clock = new FrameClock(count, settings({ rate: perSecond, atEnd }));
        clock.play(0);
        const cycle = atEnd === 'loop' ? count : 2 * (count - 1);
        let given = 0;
        for (const now of timesOf(all)) {
          const due = clock.due(now);
          if (due) given += 1 + due.dropped;
          const wanted = (now * perSecond) / 1000;
          expect(given).toBeGreaterThan(wanted - 1 - 1e-6);
          expect(given).toBeLessThanOrEqual(((now + 4) * perSecond) / 1000 + 1e-6);
          const place = given % cycle;
          expect(clock.index).toBe(place < count ? place : cycle - place);
        }
      }),
    );
  });

  it('every drops no frame, and is never faster than the rate', () => {
    fc.assert(
      fc.property(gaps, rate, frameCount, fc.constantFrom(...atEnds), (all, perSecond, count, atEnd) => {
        const clock = new FrameClock(count, settings({ rate: perSecond, atEnd, pace: 'every' }));
        clock.play(0);
        let given = 0;
        for (const now of timesOf(all)) {
          const before = clock.index;
          const due = clock.due(now);
          if (!due) continue;
          given++;
          expect(due.dropped).toBe(0);
          expect([1, count - 1]).toContain(Math.abs(due.index - before));
          expect(given).toBeLessThanOrEqual(((now + 4) * perSecond) / 1000 + 1e-6);
        }
      }),
    );
  });
});
