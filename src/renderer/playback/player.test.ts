import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClockSettings } from './frame-clock.ts';
import type { FrameTiming } from './frame-target.ts';
import { Player } from './player.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A player on a simulated 60 Hz screen, which `frames` advances, and a target whose frames are finished at once or by the test. */
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
        // Each frame is slightly late, so that rounding does not matter.
        now = (++frame * 1000) / 60 + 1;
        callback?.(now);
        await vi.advanceTimersByTimeAsync(1000 / 60);
      }
    },
    /** The machine sleeps: its next animation frame comes hours later. */
    sleep(hours: number) {
      frame += hours * 3600 * 60;
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
  it('continues with the next frame after each sleep of the machine, and drops no frames', async () => {
    const { player, asked, frames, sleep } = setUp({ frameCount: 10_000 });
    player.play();
    for (let hours = 1; hours <= 8; hours++) {
      await frames(20);
      sleep(hours);
    }
    await frames(20);
    expect(player.isPlaying).toBe(true);
    expect(asked.every((index, at) => index === at + 1)).toBe(true);
    // After a sleep, the next frame is due one period later.
    expect(asked.length).toBeGreaterThanOrEqual(9 * 20 - 8);
    expect(player.snapshot().figures.dropped).toBe(0);
  });

  it('shows every frame at the display’s rate, and measures the rate from presented frames', async () => {
    const { player, asked, frames } = setUp();
    player.play();
    await frames(90);
    expect(asked).toEqual(Array.from({ length: 90 }, (_, frame) => frame + 1));
    const { figures, isPlaying } = player.snapshot();
    expect(isPlaying).toBe(true);
    expect(figures).toMatchObject({ dropped: 0, decodeMs: 0.5 });
    expect(figures.framesPerSecond).toBeCloseTo(60, 0);
  });

  it('notifies panels a few times a second, and the scrubber with each frame', async () => {
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

  it('keeps at most two frames in flight; beyond that, hold drops frames and every does not', async () => {
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

  it('pauses on the last requested frame, and requests no more', async () => {
    const { player, asked, frames, isLooping } = setUp();
    player.play();
    await frames(5);
    player.pause();
    expect(isLooping()).toBe(false);
    await frames(5);
    expect(asked.at(-1)).toBe(5);
    expect(player.index).toBe(5);
  });

  it('scrubs to the latest position, skipping outdated ones', async () => {
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

  it('steps from the visible frame, and pauses first', async () => {
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

  it('stops at the last frame when playing once, and starts over after that', async () => {
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

  it('starts from where the view was moved', async () => {
    const { player, asked, frames } = setUp();
    player.moved(42);
    expect(asked).toEqual([]);
    player.play();
    await frames(1);
    expect(asked).toEqual([43]);
  });

  it('pauses when a frame fails, and can play again', async () => {
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

  it('does nothing and reports nothing after it was disposed of', async () => {
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
