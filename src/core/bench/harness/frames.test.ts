import { expect, test } from 'vitest';
import { StriaError } from '../../shared/errors.ts';
import type { BenchContext } from './context.ts';
import { runFor, runFrames } from './frames.ts';

const contextOf = (signal: AbortSignal) => ({ job: { signal } }) as BenchContext;

test('frames that are in flight when the job is aborted end before the run does', async () => {
  const controller = new AbortController();
  let ended = 0;
  const draw = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    ended++;
    throw new Error('the device was destroyed');
  };
  const run = runFor(contextOf(controller.signal), 1000, 1, async () => ({ done: draw() }));
  await expect(run).rejects.toThrow();
  expect(ended).toBe(2);
});

test('a frame is submitted only after the one before it, however long that takes, and both are drawn at once', async () => {
  const heard: string[] = [];
  let frames = 0;
  await runFor(contextOf(new AbortController().signal), 1, 3, async () => {
    const frame = frames++;
    heard.push(`prepares ${frame}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    heard.push(`submits ${frame}`);
    const done = new Promise<void>((resolve) => setTimeout(resolve, 8)).then(() => void heard.push(`drew ${frame}`));
    return { done };
  });
  expect(heard.slice(0, 5)).toEqual(['prepares 0', 'submits 0', 'prepares 1', 'submits 1', 'drew 0']);
});

test('the warm-up round is left out of the times', async () => {
  const drawn: number[] = [];
  const { intervals, times } = await runFrames(contextOf(new AbortController().signal), 3, 2, async (frame, onTimes) => {
    drawn.push(frame);
    onTimes({ stages: [] } as never);
  });
  expect(drawn).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2]);
  expect([intervals.length, times.length]).toEqual([6, 6]);
});

test('a frame that fails before the one ahead of it has ended fails the run, and nothing else', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const run = runFrames(contextOf(new AbortController().signal), 4, 1, async (frame) => {
      if (frame === 1) throw new StriaError('device-lost', 'the GPU is gone');
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    await expect(run).rejects.toMatchObject({ tag: 'device-lost' });
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
});
