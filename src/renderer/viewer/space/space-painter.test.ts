import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FramePacing, trialScale } from '../../../core/draw/frame-pacing.ts';
import type { Strip } from '../../../core/draw/ray-pass.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { SpaceCanvas } from './space-canvas.ts';
import { type PaintedView, SpacePainter } from './space-painter.ts';

const [width, height] = [800, 600];
const pixels = width * height;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * A view on a GPU whose frames take as long as `fullMs` tells, at full resolution and steps of one texel.
 * @param displayMs from one animation frame to the next
 */
function setUp(fullMs: () => number, hasTimestamps: boolean, isOfBricks = false, isStack = isOfBricks, displayMs = 16) {
  let endsAt = 0;
  let pending = 0;
  let isLost = false;
  const wait = async () => {
    pending++;
    await new Promise((resolve) => setTimeout(resolve, endsAt - performance.now()));
    pending--;
    if (isLost) throw new Error('the device was lost');
  };
  let submits = 0;
  const submit = async (part: number, step: number) => {
    const ms = 0.5 + (fullMs() * part) / step;
    times.push(ms);
    inFlight.push(++submits);
    endsAt = Math.max(endsAt, performance.now()) + ms;
    await wait().catch(() => undefined);
    submits--;
    return hasTimestamps && !isLost ? ms : undefined;
  };
  const gpu = {
    hasTimestamps,
    isSoftware: false,
    get isBusy() {
      return pending > 0;
    },
    device: { queue: { onSubmittedWorkDone: wait } },
  } as unknown as Gpu;
  /** The scale of each picture that was shown, and the time of each submit. */
  const shown: number[] = [];
  const times: number[] = [];
  /** With each submit, how many of them the GPU had not finished. */
  const inFlight: number[] = [];
  const canvas = {
    fixedScale: undefined,
    pixelCount: pixels,
    resolution: { width, height },
    setGround() {},
    draw: (frame: { step: number }, scale: number) => {
      shown.push(scale);
      return submit(scale ** 2, frame.step);
    },
    drawStrip: (frame: { step: number }, strip: Strip) => submit((strip.width * strip.count) / pixels, frame.step),
    drawTrial: (frame: { step: number }, scale: number) => submit(scale ** 2, frame.step),
    presentStrips: (scale: number) => void shown.push(scale),
  } as unknown as SpaceCanvas;
  let isRequested = false;
  const view: PaintedView = {
    canDraw: true,
    stillStep: 0.5,
    scene: { isOfBricks } as never,
    isStack,
    frame: {} as never,
    shader: '',
    requestRender() {
      if (isRequested) return;
      isRequested = true;
      setTimeout(() => {
        isRequested = false;
        painter.draw();
      }, displayMs);
    },
  };
  const painter = new SpacePainter(gpu, canvas, new FramePacing(false, hasTimestamps), view);
  const lose = () => {
    isLost = true;
  };
  return { painter, view, canvas, shown, times, inFlight, lose };
}

/** Moves the view for some milliseconds. */
async function moveFor(view: PaintedView, ms: number): Promise<void> {
  const moving = setInterval(() => view.requestRender(), 2);
  await vi.advanceTimersByTimeAsync(ms);
  clearInterval(moving);
}

const moment = fc.record({
  what: fc.constantFrom('move' as const, 'bricks' as const, 'picture' as const),
  afterMs: fc.nat({ max: 400 }),
  /** How long frames take from then on. */
  fullMs: fc.constantFrom(2, 20, 200, 3000),
});

test('a view at rest becomes sharp, however slow drawing was in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(moment, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      fc.boolean(),
      async (moments, hasTimestamps, isOfBricks) => {
        let fullMs = 10;
        const { painter, view, shown } = setUp(() => fullMs, hasTimestamps, isOfBricks);
        view.requestRender();
        for (const { what, afterMs, fullMs: next } of moments) {
          await vi.advanceTimersByTimeAsync(afterMs);
          fullMs = next;
          if (what === 'move') view.requestRender();
          else if (what === 'bricks') painter.refresh();
          else painter.drawPromptly();
        }
        await vi.advanceTimersByTimeAsync(60_000);
        expect([painter.isBusy, painter.isSharp, shown.at(-1)]).toEqual([false, true, 1]);
        painter.dispose();
      },
    ),
    { numRuns: 100 },
  );
});

/** Moves for a while through cheap views, and then through ones that take long. @returns the times of all submits since then */
async function jump(hasTimestamps: boolean, isOfBricks: boolean, isStack = true): Promise<readonly number[]> {
  let fullMs = 2;
  const { painter, view, times } = setUp(() => fullMs, hasTimestamps, isOfBricks, isStack);
  await moveFor(view, 1000);
  // Ends the last frame.
  await vi.advanceTimersByTimeAsync(50);
  times.length = 0;
  fullMs = 200;
  await moveFor(view, 100);
  await vi.advanceTimersByTimeAsync(50);
  painter.dispose();
  return times;
}

test('no frame of bricks is late, though one view takes a hundred times longer than the one before it', async () => {
  const [trial = 0, frame = 0, ...others] = await jump(true, true);
  expect(trial).toBeCloseTo(0.5 + 200 * trialScale(pixels) ** 2, 6);
  expect(Math.max(frame, ...others)).toBeLessThan(33);
});

test.each([
  ['without bricks', true, false, true],
  ['without other volumes', true, true, false],
  ['without timestamps', false, true, true],
])('%s there are no trials, so the first such frame is late', async (_, hasTimestamps, isOfBricks, isStack) => {
  const [first] = await jump(hasTimestamps, isOfBricks, isStack);
  expect(first).toBeCloseTo(200.5, 6);
});

describe('two frames in flight', () => {
  test('while the GPU draws a frame, the next one is submitted, and no third one', async () => {
    const { painter, view, inFlight } = setUp(() => 40, true, false, false, 4);
    await moveFor(view, 2000);
    expect(new Set(inFlight)).toEqual(new Set([1, 2]));
    // The GPU never waits for the thread: it draws the whole time, 11 ms a frame or less.
    expect(inFlight.length).toBeGreaterThan(2000 / 11);
    expect(inFlight.filter((count) => count === 2).length).toBeGreaterThan(0.9 * inFlight.length);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([painter.isBusy, painter.isSharp]).toEqual([false, true]);
    painter.dispose();
  });

  test('a view that was just opened has one until its time is known, so that only two frames are large', async () => {
    const { painter, view, times } = setUp(() => 400, true, false, false, 4);
    await moveFor(view, 2000);
    expect(times.filter((ms) => ms > 33)).toHaveLength(2);
    painter.dispose();
  });

  test('without timestamps there is one', async () => {
    const { painter, view, inFlight } = setUp(() => 40, false, false, false, 4);
    await moveFor(view, 2000);
    expect(Math.max(...inFlight)).toBe(1);
    painter.dispose();
  });

  test('no frame begins behind one that takes long, so the next one is short', async () => {
    let fullMs = 8;
    const { painter, view, times } = setUp(() => fullMs, true, false, false, 24);
    await moveFor(view, 1000);
    times.length = 0;
    fullMs = 200;
    await moveFor(view, 400);
    expect(times[0]).toBeGreaterThan(200);
    expect(Math.max(...times.slice(1))).toBeLessThan(1000 / 60);
    painter.dispose();
  });

  test('a trial is drawn behind a frame in flight, and its frame once both have ended', async () => {
    const { painter, view, inFlight, shown } = setUp(() => 8, true, true, true, 4);
    await moveFor(view, 1000);
    const before = shown.length;
    await moveFor(view, 1000);
    // Trials are a submit of their own.
    expect(Math.max(...inFlight)).toBe(2);
    expect(shown.slice(before).every((scale) => scale === 1)).toBe(true);
    painter.dispose();
  });

  test('the time of a frame of another volume does not count', async () => {
    let fullMs = 2000;
    const { painter, view, shown } = setUp(() => fullMs, true, false, false, 4);
    await moveFor(view, 10_000);
    expect(shown.at(-1)).toBeLessThan(0.3);
    fullMs = 2;
    painter.forget();
    await moveFor(view, 500);
    expect(shown.at(-1)).toBe(1);
    painter.dispose();
  });

  test('frames that are in flight when the canvas becomes smaller count for the size that they were drawn with', async () => {
    let fullMs = 40;
    const { painter, view, canvas, inFlight, shown } = setUp(() => fullMs, true, false, false, 4);
    await moveFor(view, 1000);
    while (inFlight.at(-1) !== 2) await vi.advanceTimersByTimeAsync(1);
    Object.assign(canvas, { pixelCount: pixels / 16 });
    fullMs /= 16;
    const before = shown.length;
    await moveFor(view, 200);
    expect(Math.min(...shown.slice(before))).toBe(1);
    painter.dispose();
  });

  test('after the device is lost meanwhile, no frame is left in flight', async () => {
    const { painter, view, inFlight, lose } = setUp(() => 40, true, false, false, 4);
    await moveFor(view, 500);
    while (inFlight.at(-1) !== 2) await vi.advanceTimersByTimeAsync(1);
    lose();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(painter.isBusy).toBe(false);
    painter.dispose();
  });

  test('after the view is closed meanwhile, nothing is drawn or told', async () => {
    const { painter, view, inFlight } = setUp(() => 40, true, false, false, 4);
    await moveFor(view, 500);
    while (inFlight.at(-1) !== 2) await vi.advanceTimersByTimeAsync(1);
    let told = 0;
    painter.onMeasured = () => told++;
    Object.assign(view, { canDraw: false, requestRender: () => told++ });
    painter.dispose();
    const count = inFlight.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect([inFlight.length, told]).toEqual([count, 0]);
  });
});
