import { describe, expect, test } from 'vitest';
import { FramePacing } from '../../../core/draw/frame-pacing.ts';
import { refineStill } from './still-picture.ts';

const [width, height] = [1600, 900];
const pixels = width * height;
const step = 0.5;

/** A GPU with its own clock. `waits` returns the milliseconds that other work delays a frame started at a given time. */
interface SimulatedGpu {
  /** The time for the whole canvas at steps of one texel, in milliseconds. */
  readonly fullMs: number;
  readonly hasTimestamps: boolean;
  waits(now: number): number;
}

class Simulation {
  now = 0;
  readonly presented: number[] = [];
  /** GPU time of each strip. */
  readonly strips: number[] = [];
  readonly pacing = new FramePacing(false);
  readonly #gpu: SimulatedGpu;

  constructor(gpu: SimulatedGpu) {
    this.#gpu = gpu;
  }

  move(frames: number): void {
    for (let frame = 0; frame < frames; frame++) {
      const movingStep = this.pacing.movingStep(pixels);
      const scale = this.pacing.movingScale(pixels, movingStep);
      const { ms, isBound } = this.#draw(pixels * scale ** 2, movingStep);
      this.pacing.measured(pixels * scale ** 2, ms, movingStep, isBound);
    }
  }

  /** @param stripsUntilStale the number of strips after which something changes */
  async rest(stripsUntilStale = Number.POSITIVE_INFINITY): Promise<void> {
    const shown = this.pacing.movingScale(pixels, this.pacing.movingStep(pixels));
    const canvas = {
      width,
      height,
      step,
      isStale: () => this.strips.length >= stripsUntilStale,
      drawStrip: async (strip: { width: number; count: number }) => {
        const { ms, isBound, passMs } = this.#draw(strip.width * strip.count, step);
        this.strips.push(passMs);
        return isBound ? undefined : ms;
      },
      present: (scale: number) => void this.presented.push(scale),
    };
    await refineStill(this.pacing, canvas, shown);
  }

  #draw(drawn: number, stepped: number) {
    const passMs = 0.5 + (this.#gpu.fullMs * drawn) / pixels / stepped;
    const waitMs = this.#gpu.waits(this.now);
    this.now += passMs + waitMs;
    // Without timestamps, the measurement includes the wait, and is then known to be an upper bound.
    const { hasTimestamps } = this.#gpu;
    return { passMs, ms: hasTimestamps ? passMs : passMs + waitMs, isBound: !hasTimestamps && waitMs > 0 };
  }
}

const never = () => 0;
/** During the first ten seconds, other work takes half a second of each frame. */
const atFirst = (now: number) => (now < 10_000 ? 500 : 0);

describe('a still picture reaches full quality', () => {
  test.each([
    ['a fast GPU', { fullMs: 5, hasTimestamps: true, waits: never }],
    ['a slow GPU', { fullMs: 2000, hasTimestamps: true, waits: never }],
    ['one that is slower than all others', { fullMs: 60_000, hasTimestamps: true, waits: never }],
    ['one that is busy at first', { fullMs: 50, hasTimestamps: true, waits: atFirst }],
    ['one that is busy all the time', { fullMs: 50, hasTimestamps: true, waits: () => 40 }],
    ['a fast GPU without timestamps', { fullMs: 5, hasTimestamps: false, waits: never }],
    ['a slow GPU without timestamps', { fullMs: 2000, hasTimestamps: false, waits: never }],
    ['one without timestamps that is busy at first', { fullMs: 50, hasTimestamps: false, waits: atFirst }],
    ['one without timestamps that is busy all the time', { fullMs: 50, hasTimestamps: false, waits: () => 40 }],
  ] satisfies [string, SimulatedGpu][])('on %s', async (_, gpu) => {
    const simulation = new Simulation(gpu);
    simulation.move(12);
    await simulation.rest();
    const { presented, strips } = simulation;
    expect(presented.at(-1)).toBe(1);
    // Each picture is better than the one before, and there are only a few.
    expect(presented).toEqual([...new Set(presented)].sort((a, b) => a - b));
    expect(presented.length).toBeLessThan(6);
    expect(strips.reduce((sum, ms) => sum + ms)).toBeLessThan((1.6 * gpu.fullMs) / step + 200);
    // The GPU is never occupied for long, except by the minimum number of rows of a strip.
    const rowsMs = (8 / height) * (gpu.fullMs / step);
    expect(Math.max(...strips)).toBeLessThan(Math.max(120, 1.2 * rowsMs));
  });
});

test('frames that waited do not make a fast GPU look slow: still and moving frames keep full resolution', async () => {
  for (const hasTimestamps of [true, false]) {
    const simulation = new Simulation({ fullMs: 5, hasTimestamps, waits: (now) => (now > 100 && now < 3000 ? 700 : 0) });
    simulation.move(60);
    expect(simulation.now).toBeGreaterThan(3000);
    expect(simulation.pacing.movingScale(pixels)).toBe(1);
    await simulation.rest();
    expect(simulation.presented).toEqual([1]);
  }
});

test('one wrong measurement costs only a moment and is forgotten', async () => {
  const simulation = new Simulation({ fullMs: 5, hasTimestamps: true, waits: never });
  simulation.move(5);
  simulation.pacing.measured(pixels, 20_000);
  expect(simulation.pacing.movingScale(pixels)).toBe(0.1);
  await simulation.rest();
  expect(simulation.presented).toEqual([1]);
  expect(simulation.strips.length).toBeLessThan(12);
});

test('several wrong measurements are forgotten, too, since drawing shows how fast the GPU is', async () => {
  const simulation = new Simulation({ fullMs: 20, hasTimestamps: true, waits: never });
  for (let frame = 0; frame < 10; frame++) simulation.pacing.measured(pixels, 20_000);
  await simulation.rest();
  expect(simulation.presented.at(-1)).toBe(1);
  expect(simulation.now).toBeLessThan(500);
});

test('it stops as soon as something changes, and shows no incomplete picture', async () => {
  const simulation = new Simulation({ fullMs: 2000, hasTimestamps: true, waits: never });
  simulation.move(12);
  await simulation.rest(3);
  expect(simulation.presented).toEqual([]);
  expect(simulation.strips).toHaveLength(3);
});
