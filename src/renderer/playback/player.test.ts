import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClockSettings } from './frame-clock.ts';
import type { FrameTiming } from './frame-target.ts';
import { Player } from './player.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A player on a screen of 60 Hz whose time goes on by `frames`, and a target whose frames the test ends by hand, or at once. */
function setUp(change: Partial<ClockSettings> & { index?: number; frameCount?: number; isPrompt?: boolean } = {}) {
  const { index = 0, frameCount = 100, isPrompt = true, ...settings } = change;
  let now = 0;
  let frame = 0;
  let callback: ((now: number) => void) | undefined;
  const asked: number[] = [];
  const waiting: { resolve: (report: FrameTiming) => void; reject: (error: Error) => void }[] = [];
  const faults: unknown[] = [];
  const report = () => ({ presentedAt: now, decodeMs: 0.5 });
  const player = new Player({
    frameCount,
    index,
    settings: { rate: 60, pace: 'hold', atEnd: 'loop', ...settings },
    loop: {
      now: () => now,
      request: (next) => {
        callback = next;
        return 1;
      },
      cancel: () => {
        callback = undefined;
      },
    },
    target: {
      showFrame: (frame) => {
        asked.push(frame);
        if (isPrompt) return Promise.resolve(report());
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
    },
    onFault: (error) => faults.push(error),
  });
  return {
    player,
    asked,
    faults,
    isLooping: () => callback !== undefined,
    async frames(count: number) {
      for (const end = frame + count; frame < end; ) {
        // A little late each, so that nothing hangs on how sums are rounded.
        now = (++frame * 1000) / 60 + 1;
        callback?.(now);
        await vi.advanceTimersByTimeAsync(1000 / 60);
      }
    },
    async finish() {
      waiting.shift()?.resolve(report());
      await vi.advanceTimersByTimeAsync(0);
    },
    async fail(message: string) {
      waiting.shift()?.reject(new Error(message));
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

describe('the player', () => {
  it('shows every frame at the display’s rate, and measures it by what was presented', async () => {
    const { player, asked, frames } = setUp();
    player.play();
    await frames(90);
    expect(asked).toEqual(Array.from({ length: 90 }, (_, frame) => frame + 1));
    const { figures, isPlaying } = player.snapshot();
    expect(isPlaying).toBe(true);
    expect(figures).toMatchObject({ dropped: 0, decodeMs: 0.5 });
    expect(figures.framesPerSecond).toBeCloseTo(60, 0);
  });

  it('tells panels a few times a second, and the scrubber each time', async () => {
    const { player, frames } = setUp();
    const told = { panels: 0, scrubber: 0 };
    player.subscribe(() => told.panels++);
    player.onIndex(() => told.scrubber++);
    player.play();
    await frames(120);
    expect(told.scrubber).toBe(120);
    expect(told.panels).toBeGreaterThanOrEqual(6);
    expect(told.panels).toBeLessThanOrEqual(10);
  });

  it('has two frames in flight at most; hold then drops, every frame does not', async () => {
    for (const pace of ['hold', 'every'] as const) {
      const { player, asked, frames, finish } = setUp({ pace, isPrompt: false });
      player.play();
      await frames(10);
      expect(asked).toEqual([1, 2]);
      await finish();
      await frames(1);
      expect(asked).toEqual(pace === 'hold' ? [1, 2, 11] : [1, 2, 3]);
      player.pause();
      expect(player.snapshot().figures.dropped).toBe(pace === 'hold' ? 8 : 0);
    }
  });

  it('pauses on the frame that was asked for last, and asks for no more', async () => {
    const { player, asked, frames, isLooping } = setUp();
    player.play();
    await frames(5);
    player.pause();
    expect(isLooping()).toBe(false);
    await frames(5);
    expect(asked.at(-1)).toBe(5);
    expect(player.index).toBe(5);
  });

  it('scrubs to the latest place, leaving out those that were overtaken', async () => {
    const { player, asked, finish } = setUp({ isPrompt: false });
    for (const index of [10, 20, 30, 40, 50]) player.seek(index);
    expect(asked).toEqual([10, 20]);
    expect(player.index).toBe(50);
    await finish();
    await finish();
    await finish();
    expect(asked).toEqual([10, 20, 50]);
    expect(player.isIdle).toBe(true);
  });

  it('steps from the frame that is seen, and pauses first', async () => {
    const { player, asked, frames } = setUp({ frameCount: 4 });
    player.play();
    await frames(2);
    for (const by of [1, 1, -2]) {
      player.step(by);
      await frames(1);
    }
    expect(asked).toEqual([1, 2, 3, 0, 2]);
    expect(player.isPlaying).toBe(false);
  });

  it('ends with the last frame where it plays once, and then begins with the first', async () => {
    const { player, asked, frames, isLooping } = setUp({ atEnd: 'once', index: 97 });
    player.play();
    await frames(5);
    expect(asked).toEqual([98, 99]);
    expect(isLooping()).toBe(false);
    expect(player.snapshot().isPlaying).toBe(false);
    player.play();
    await frames(1);
    expect(asked).toEqual([98, 99, 0, 1]);
  });

  it('begins where the view was moved to', async () => {
    const { player, asked, frames } = setUp();
    player.moved(42);
    expect(asked).toEqual([]);
    player.play();
    await frames(1);
    expect(asked).toEqual([43]);
  });

  it('pauses where a frame fails, and can be played again', async () => {
    const { player, faults, asked, frames, fail } = setUp({ isPrompt: false });
    player.play();
    await frames(1);
    await fail('no memory');
    expect(faults).toEqual([new Error('no memory')]);
    expect(player.snapshot().isPlaying).toBe(false);
    player.play();
    await frames(1);
    expect(asked).toEqual([1, 2]);
  });

  it('does and tells nothing once it is disposed of', async () => {
    const { player, asked, faults, frames, fail, finish, isLooping } = setUp({ isPrompt: false });
    let told = 0;
    player.play();
    await frames(2);
    player.subscribe(() => told++);
    player.seek(9);
    player.dispose();
    const before = told;
    await finish();
    await fail('gone');
    await frames(5);
    player.seek(1);
    player.play();
    expect(asked).toEqual([1, 2]);
    expect({ told, faults, isLooping: isLooping() }).toEqual({ told: before, faults: [], isLooping: false });
  });
});
