import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FramePacing, trialScale } from '../../../core/draw/frame-pacing.ts';
import type { Strip } from '../../../core/draw/ray-pass.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { SpaceCanvas } from './space-canvas.ts';
import { type PaintedView, SpacePainter } from './space-painter.ts';

const [width, height] = [800, 600];
const pixels = width * height;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A view on a GPU whose frames take as long as `fullMs` tells, at full resolution and steps of one texel. */
function setUp(fullMs: () => number, hasTimestamps: boolean, isOfBricks = false, isStack = isOfBricks) {
  let endsAt = 0;
  let pending = 0;
  const wait = async () => {
    pending++;
    await new Promise((resolve) => setTimeout(resolve, endsAt - performance.now()));
    pending--;
  };
  const submit = async (part: number, step: number) => {
    const ms = 0.5 + (fullMs() * part) / step;
    times.push(ms);
    endsAt = Math.max(endsAt, performance.now()) + ms;
    await wait();
    return hasTimestamps ? ms : undefined;
  };
  const gpu = {
    get isBusy() {
      return pending > 0;
    },
    device: { queue: { onSubmittedWorkDone: wait } },
  } as unknown as Gpu;
  /** The scale of each picture that was shown, and the time of each submit. */
  const shown: number[] = [];
  const times: number[] = [];
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
      }, 16);
    },
  };
  const painter = new SpacePainter(gpu, canvas, new FramePacing(false, hasTimestamps), view);
  return { painter, view, shown, times };
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
  const moveFor = async (ms: number) => {
    const moving = setInterval(() => view.requestRender(), 5);
    await vi.advanceTimersByTimeAsync(ms);
    clearInterval(moving);
    // Ends the last frame.
    await vi.advanceTimersByTimeAsync(50);
  };
  await moveFor(1000);
  times.length = 0;
  fullMs = 200;
  await moveFor(100);
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
