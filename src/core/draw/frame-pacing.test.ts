import { describe, expect, test } from 'vitest';
import { FramePacing, trialScale } from './frame-pacing.ts';

/** The time of a frame on a device in milliseconds, by number of pixels and step between samples. */
type Device = (pixels: number, step: number) => number;

/** A device that draws a canvas of this size at full resolution and steps of 1 in `fullMs`, plus a fixed time per frame. */
const deviceOf =
  (canvasPixels: number, fullMs: number, startMs = 1): Device =>
  (pixels, step) =>
    startMs + (fullMs * pixels) / canvasPixels / step;

/** Draws moving frames like the 3D view. @returns the time of each on the device's clock, in milliseconds */
function move(pacing: FramePacing, canvasPixels: number, frames: number, device: Device, trial?: number): number[] {
  return Array.from({ length: frames }, () => {
    const step = pacing.movingStep(canvasPixels);
    const scale = pacing.movingScale(canvasPixels, step);
    const ms = device(canvasPixels * scale ** 2, step);
    pacing.measured(canvasPixels * scale ** 2, ms, step, false, trial);
    return ms;
  });
}

/** As `move`, but with trials where the pacing wants them. @returns the time of each frame, with its trial's */
function moveTried(pacing: FramePacing, canvasPixels: number, frames: number, device: Device): number[] {
  return Array.from({ length: frames }, () => {
    const step = pacing.movingStep(canvasPixels);
    const scale = pacing.movingScale(canvasPixels, step);
    let [ms, trial]: [number, number | undefined] = [0, undefined];
    if (pacing.needsTrial(scale, step)) {
      const pixels = canvasPixels * trialScale(canvasPixels) ** 2;
      ms = device(pixels, step);
      trial = pacing.tried(pixels, ms, step, canvasPixels * scale ** 2);
    }
    return ms + (move(pacing, canvasPixels, 1, device, trial)[0] as number);
  });
}

const hd = 1920 * 1080;
const ultraHd = 3840 * 2160;

describe('moving frames are short after the first', () => {
  test.each([
    ['a fast GPU', hd, 3],
    ['an integrated GPU', hd, 60],
    ['a slow one', hd, 400],
    ['a slow one on a large screen', ultraHd, 1600],
    ['a very slow one', hd, 3000],
  ])('under 1/60 s on %s', (_, pixels, fullMs) => {
    const [first = 0, ...others] = move(new FramePacing(false), pixels, 60, deviceOf(pixels, fullMs));
    expect(first).toBeCloseTo(fullMs + 1, 6);
    expect(Math.max(...others)).toBeLessThan(1000 / 60);
  });

  test('but a software GPU takes longer for a tenth of the resolution and an eighth of the samples', () => {
    const [, ...others] = move(new FramePacing(false), hd, 60, deviceOf(hd, 36_000));
    expect(Math.max(...others)).toBeCloseTo(1 + 36_000 / 100 / 8, 6);
  });

  test('on a software GPU from the first frame on, if pixels have their usual cost', () => {
    expect(Math.max(...move(new FramePacing(true), 800 * 600, 60, deviceOf(800 * 600, 400)))).toBeLessThan(50);
  });

  test('at full resolution on a fast GPU without timestamps, though the clock also counts a wait of 14 ms', () => {
    const pacing = new FramePacing(false, false);
    move(pacing, hd, 60, deviceOf(hd, 2, 14));
    expect([pacing.movingScale(hd), pacing.movingStep(hd)]).toEqual([1, 1]);
  });

  test('when frame times vary by a third', () => {
    const pacing = new FramePacing(false);
    const device = deviceOf(hd, 300);
    const frames = Array.from({ length: 80 }, (_, index) => {
      const factor = 1 + 0.33 * Math.sin(index * 2.3);
      return move(pacing, hd, 1, (pixels, step) => factor * device(pixels, step))[0] as number;
    });
    expect(Math.max(...frames.slice(1))).toBeLessThan(50);
  });

  test('when a small volume grows to fill the screen: one frame is late, the next is not', () => {
    const pacing = new FramePacing(false);
    move(pacing, hd, 30, deviceOf(hd, 40));
    const [, ...others] = move(pacing, hd, 30, deviceOf(hd, 500));
    expect(Math.max(...others)).toBeLessThan(50);
    // The picture is sharp again soon after the volume becomes small.
    move(pacing, hd, 12, deviceOf(hd, 6));
    expect(pacing.movingScale(hd)).toBe(1);
  });
});

test('a flight whose frames get slower in between stays at the resolution of the slow ones', () => {
  const pacing = new FramePacing(false);
  // Every third frame takes twice as long. Sizes chosen by the two fast ones in between would make it late.
  const costs = Array.from({ length: 60 }, (_, frame) => (frame % 3 === 0 ? 60 : 30));
  const times = costs.map((fullMs) => move(pacing, hd, 1, deviceOf(hd, fullMs, 0))[0] as number);
  expect(Math.max(...times.slice(1))).toBeLessThanOrEqual(11);
});

test('a fast GPU draws every pixel and every sample, moving or not', () => {
  const pacing = new FramePacing(false);
  move(pacing, hd, 10, deviceOf(hd, 8));
  expect([pacing.movingScale(hd), pacing.movingStep(hd), pacing.stillScale(hd, 0.5)]).toEqual([1, 1, 1]);
});

test('with voxels larger than pixels, fewer pixels come before longer steps', () => {
  const pacing = new FramePacing(false);
  pacing.measured(hd, 60);
  expect([1, 1.5, 7].map((voxelPixels) => pacing.movingStep(hd, voxelPixels))).toEqual([2, 1, 1]);
  expect(pacing.movingScale(hd)).toBeCloseTo(0.4, 9);
  // Far fewer pixels would be worse than longer steps.
  pacing.measured(hd, 300);
  expect(pacing.movingStep(hd, 7)).toBe(2);
});

test('with voxels larger than pixels, a slow GPU still takes the longest steps, and its first frame few samples', () => {
  const pacing = new FramePacing(true);
  expect(pacing.movingStep(hd, 7)).toBe(pacing.movingStep(hd));
  pacing.measured(hd, 20_000);
  expect([1, 2, 7].map((voxelPixels) => pacing.movingStep(hd, voxelPixels))).toEqual([8, 8, 8]);
});

describe('with trials', () => {
  /** Pixels of small pictures take longer, because they do not fill the GPU. */
  const unfilled = (device: Device, bias: number): Device => {
    return (pixels, step) => device(pixels, step) * (pixels < hd / 16 ? bias : 1);
  };

  test.each([
    ['eight times longer', 8, 8, 1],
    ['thirty times longer', 4, 30, 1],
    ['a hundred times longer', 2, 100, 1],
    ['ten times longer on a GPU that trials do not fill', 8, 10, 3],
    ['a hundred times longer on such a GPU', 1.5, 100, 3],
  ])('no frame is late when a view takes %s', (_, fullMs, factor, bias) => {
    const pacing = new FramePacing(false);
    moveTried(pacing, hd, 30, unfilled(deviceOf(hd, fullMs, 0), bias));
    expect(Math.max(...moveTried(pacing, hd, 30, unfilled(deviceOf(hd, factor * fullMs, 0), bias)))).toBeLessThan(33);
  });

  // On an H200, a frame of 3.4 ms had trials of about 1 ms.
  test.each([
    [9, 4],
    [3.4, 20],
    [3.4, 30],
  ])('a view of %d ms keeps every pixel, though small pictures take %d times longer for each of theirs', (fullMs, bias) => {
    const pacing = new FramePacing(false);
    moveTried(pacing, hd, 30, unfilled(deviceOf(hd, fullMs, 0), bias));
    expect([pacing.movingScale(hd), pacing.movingStep(hd)]).toEqual([1, 1]);
  });

  test.each([
    ['a quarter of a large screen', hd / 4],
    ['half of it', hd / 2],
    ['all of it', hd],
    ['a larger one', ultraHd],
  ])('short frames keep every pixel on %s, though some of their time does not shrink with them', (_, pixels) => {
    const pacing = new FramePacing(false);
    const largeGpu: Device = (drawn, step) => (8 * (0.05 * hd + 0.95 * drawn)) / (0.05 * hd + 0.95 * pixels) / step;
    const scales = Array.from({ length: 30 }, () => {
      moveTried(pacing, pixels, 1, largeGpu);
      return pacing.movingScale(pixels, pacing.movingStep(pixels));
    });
    // Until the first trials have been compared with their frames, they count in full.
    expect(Math.min(...scales.slice(6))).toBe(1);
  });

  test('when costs vary by a third and jump back and forth', () => {
    const pacing = new FramePacing(false);
    move(pacing, hd, 5, deviceOf(hd, 2, 0.2));
    const times = Array.from({ length: 200 }, (_, frame) => {
      const fullMs = (frame % 40 < 20 ? 2 : 150) * (1 + 0.33 * Math.sin(frame * 2.3));
      return moveTried(pacing, hd, 1, unfilled(deviceOf(hd, fullMs, 0.2), 3))[0] as number;
    });
    expect(Math.max(...times)).toBeLessThan(33);
  });

  test('a frame with few samples needs none', () => {
    const needsTrial = (fullMs: number) => {
      const pacing = new FramePacing(false);
      pacing.measured(hd, fullMs);
      const step = pacing.movingStep(hd);
      return pacing.needsTrial(pacing.movingScale(hd, step), step);
    };
    expect([1, 8, 15, 60, 400].map(needsTrial)).toEqual([true, true, true, false, false]);
  });

  test('there are none before the first measurement, or without timestamps', () => {
    const clock = new FramePacing(false, false);
    clock.measured(hd, 2);
    expect([new FramePacing(false), clock].map((pacing) => pacing.needsTrial(1, 1))).toEqual([false, false]);
  });
});
