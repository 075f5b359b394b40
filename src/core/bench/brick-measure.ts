import { FramePacing, trialScale } from '../draw/frame-pacing.ts';
import { FramesInFlight } from '../draw/frames-in-flight.ts';
import type { Projection, RayView } from '../draw/ray-pass.ts';
import { nextTurn } from '../shared/turn.ts';
import { longFrames } from './brick-frames.ts';
import type { BrickStage } from './brick-stage.ts';
import type { BenchContext } from './harness/context.ts';
import { inFlight as mostInFlight, runFor } from './harness/frames.ts';
import { GarbageLog } from './harness/garbage-log.ts';
import type { BenchCase, BrickFrameParts } from './harness/result.ts';
import { type Spread, spreadOf } from './harness/statistics.ts';
import type { FrameSize } from './view-turning.ts';

/** How many of the longest frames are listed with their parts. */
const keptFrames = 10;
/** Frames that take longer are counted: they are visible as a jerk. */
const longMs = 33;
/** The minimum number of frames. A software GPU stops at these. */
const leastFrames = 3;

/** A turn or a flight to measure. */
interface Flight {
  readonly subject: string;
  readonly x: string;
  readonly method: string;
  readonly size: FrameSize;
  readonly inputBytes: number;
  readonly stage: BrickStage;
  readonly projection: Projection;
  readonly ms: number;
  /** @param at 0…1 */
  view(at: number): RayView;
  /** Called after the measurement. */
  readonly note?: () => string;
  readonly verified?: string;
  readonly pace?: Pace;
}

/** Decides when and how sharply frames are drawn. */
interface Pace {
  /** Called before the frames of the first view, which are not measured, and after each of them. */
  readonly settles: (frame: BrickFrameParts) => void;
  /** Resolves when a frame may be submitted. @returns must be called once it is submitted; that returns what to call when it is drawn */
  readonly begin: (view: RayView) => Promise<() => (frame: BrickFrameParts | undefined) => void>;
}

/** Measures with every pixel, but otherwise as the app draws while the view moves, if the GPU is too slow for every sample. */
export async function measureDrafts(context: BenchContext, flight: Flight): Promise<void> {
  const { stage } = flight;
  const still = stage.sharpness;
  stage.sharpness = { scale: 1, step: 2 * still.step, isDraft: true };
  await measure(context, { ...flight, x: `${flight.x}, drafts`, method: `${flight.method}, drafts with every pixel` });
  stage.sharpness = still;
}

/**
 * Measures as the app draws while the view moves: with fewer pixels or longer steps if the GPU is too slow for all of them, with trials, and
 * with the next frame prepared while the GPU draws one.
 */
export async function measurePaced(context: BenchContext, flight: Flight): Promise<void> {
  const { gpu } = context;
  const { stage, size, projection } = flight;
  const still = stage.sharpness;
  const pixels = size.width * size.height;
  const pacing = new FramePacing(gpu.isSoftware, gpu.hasTimestamps);
  const inFlight = new FramesInFlight(gpu);
  const plan = () => {
    const step = pacing.movingStep(pixels, stage.bias);
    stage.sharpness = { scale: pacing.movingScale(pixels, step), step, isDraft: step > still.step };
    return stage.sharpness;
  };
  const take = ({ drawMs, scale, step }: BrickFrameParts, trial?: number) => {
    if (drawMs !== undefined) pacing.measured(pixels * scale ** 2, drawMs, step, false, trial);
  };
  let trials = 0;
  /** As in the app, only rays through several volumes have trials. @returns its time for `FramePacing.measured` */
  const tryFirst = async (view: RayView): Promise<number | undefined> => {
    const { scale, step } = plan();
    if (!stage.recordStack || !pacing.needsTrial(scale, step)) return undefined;
    trials++;
    const part = trialScale(pixels);
    const ms = await stage.tried(projection, view, part);
    const trial = ms === undefined ? undefined : pacing.tried(pixels * part ** 2, ms, step, pixels * scale ** 2);
    plan();
    return trial;
  };
  await measure(context, {
    ...flight,
    x: `${flight.x}, paced`,
    method: `${flight.method}, paced as in the app`,
    pace: {
      settles: take,
      begin: async (view) => {
        while (!inFlight.mayBegin(performance.now(), pacing.isMeasured)) await nextTurn();
        const trial = await tryFirst(view);
        return () => {
          inFlight.submitted(performance.now());
          return (frame) => {
            inFlight.ended(performance.now());
            if (frame) take(frame, trial);
          };
        };
      },
    },
    note: () => [...(stage.recordStack ? [`${trials} trials`] : []), ...(flight.note ? [flight.note()] : [])].join('; '),
  });
  stage.sharpness = still;
}

export async function measure(context: BenchContext, { stage, view, projection, size, pace, ...flight }: Flight): Promise<void> {
  const { gpu, meter } = context;
  context.begin(`${flight.subject}, ${flight.method}`);
  const completeMs = await stage.settle(projection, view(0), pace?.settles);
  await meter.raiseClocks();
  const useBefore = stage.bricks.use;
  const drawn: BrickFrameParts[] = [];
  const garbage = new GarbageLog();
  const start = performance.now();
  const draw = async (at: number) => {
    const submitted = await pace?.begin(view(at));
    const done = stage.draw(projection, view(at));
    const ended = submitted?.();
    done.then(ended, () => ended?.(undefined));
    return { done: done.then((frame) => void drawn.push(frame)) };
  };
  const { intervals, seconds } = await runFor(context, gpu.isSoftware ? 1 : flight.ms, leastFrames, draw).finally(() =>
    garbage.end(),
  );
  const frames = drawn.map((frame): BrickFrameParts => {
    const { ms, atMs: to = start } = frame;
    return { ...frame, atMs: to - start, garbageMs: garbage.msWithin({ from: to - ms, to }) };
  });
  const { decoded, slots } = stage.bricks.use;
  const stages = stagesOf(frames);
  const spread = spreadOf(intervals);
  const whole = frames.filter(({ scale }) => scale === 1).length;
  const steps = [...new Set(frames.map(({ step }) => step))].sort((a, b) => a - b);
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  const pixelBytes = 4 * size.width * size.height;
  const notes = [
    `${Math.round(intervals.length / seconds)} frames a second over ${intervals.length} frames, at most ${mostInFlight} in flight; the longest took ${spread.max.toFixed(1)} ms`,
    `above ${longMs} ms: ${longFrames(frames.slice(1), longMs)}`,
    `${Math.round((decoded - useBefore.decoded) / seconds)} bricks decoded a second; ${slots} slots; voxels × ${stage.bias.toFixed(2)}`,
    `its first view was ${completeMs === undefined ? 'not complete' : `complete after ${Math.round(completeMs)} ms`}`,
    `at most ${mebibytes(stage.mostGpuBytes)} of GPU memory and ${mebibytes(stage.mostHostBytes)} of host memory`,
    `every pixel in ${whole} of ${frames.length} frames; a sample every ${steps.join(' or ')} voxels of the drawn level`,
    ...(flight.note === undefined ? [] : [flight.note()]),
  ];
  const found: BenchCase = {
    table: 'bricks',
    subject: flight.subject,
    x: flight.x,
    method: `${flight.method}, into ${size.width} × ${size.height}`,
    operation: 'draw',
    processor: 'gpu',
    inputBytes: flight.inputBytes,
    outputBytes: pixelBytes,
    movedBytes: pixelBytes,
    movedBytesAre: 'least',
    gpuMs: stages.draw,
    wallMs: spread,
    stages,
    longestFrames: frames
      .slice(1)
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, keptFrames),
    copyMs: undefined,
    timesCopy: undefined,
    verified: flight.verified ?? 'budgets are checked after each frame; pictures by tests',
    note: notes.filter((note) => note !== '').join('; '),
  };
  context.add(found);
}

/** The spreads of the parts of frames, as far as they are known. */
function stagesOf(frames: readonly BrickFrameParts[]): Record<string, Spread> & { readonly draw?: Spread } {
  const parts = {
    draw: 'drawMs',
    decode: 'decodeMs',
    texture: 'textureMs',
    copy: 'copyMs',
    host: 'hostMs',
    wait: 'waitMs',
    garbage: 'garbageMs',
  } as const;
  const found: Record<string, Spread> = {};
  for (const [name, part] of Object.entries(parts)) {
    const known = frames.map((frame) => frame[part]).filter((ms) => ms !== undefined);
    if (known.length > 0) found[name] = spreadOf(known);
  }
  return found;
}
