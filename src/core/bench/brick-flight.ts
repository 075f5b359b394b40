import type { BrickSource } from '../bricks/brick-source.ts';
import { ComputedBricks } from '../bricks/computed-bricks.ts';
import { HalvedBricks } from '../bricks/halved-bricks.ts';
import type { PagedLook } from '../bricks/paged-uniform.ts';
import type { CodecDefinition } from '../codec/codec.ts';
import { codecByName, codecs } from '../codecs/registry.ts';
import { FramePacing } from '../draw/frame-pacing.ts';
import type { Projection, RayView } from '../draw/ray-pass.ts';
import { ContainerReader } from '../format/container-reader.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { integerRanges, volumeBytes } from '../shared/volume.ts';
import { longFrames } from './brick-frames.ts';
import { BrickStage, type StageLimits } from './brick-stage.ts';
import type { BenchContext, BenchHost } from './harness/context.ts';
import { inFlight, runFor } from './harness/frames.ts';
import { GarbageLog } from './harness/garbage-log.ts';
import type { BenchCase, BrickFrameParts } from './harness/result.ts';
import { type Spread, spreadOf } from './harness/statistics.ts';
import { targetOf } from './view.ts';
import { type FrameSize, halfHeight, turned } from './view-turning.ts';

/** The number of bricks along each side of a volume of at least 1 TiB of 8-bit voxels. */
const terabyteBricks = 162;
/** How many of the longest frames are listed with their parts. */
const keptFrames = 10;
/** Frames that take longer are counted: they are visible as a jerk. */
const longMs = 33;
/** Durations of a turn and of a flight along the whole curve, and the minimum number of frames. A software GPU stops at these. */
export const turnMs = 3000;
export const flightMs = 6000;
const leastFrames = 3;
interface Way {
  readonly projection: Projection;
  readonly method: string;
}
const ways: readonly [Way, Way] = [
  { projection: 'composite', method: 'compositing, lit' },
  { projection: 'mip', method: 'maximum' },
];
/** A software GPU takes seconds to compile a shader, longest for compositing, so it draws only the maximum. */
export const waysOn = ({ isSoftware }: Gpu): readonly [Way, ...Way[]] => (isSoftware ? [ways[1]] : ways);

/** Codecs that `auto` chooses for images on the GPU. Decoding bricks of some other codecs takes milliseconds, however few there are. */
const fastCodecs = ['rice', 'rle', 'predict'] as const;

/** Turns and flies through a volume of 1 TiB whose chunks are computed. A smaller request scales the volume and the budgets down. */
export async function benchTerabyte(context: BenchContext): Promise<void> {
  const [first, ...others] = waysOn(context.gpu);
  await benchComputed(context, undefined, 'by fast codecs', [first, ...others], true);
  if (!context.gpu.isSoftware) await benchComputed(context, codecs, 'by every codec', [first], false);
}

/**
 * Turns and flies through the volume of a .stria. Voxels are shown over the whole range of their type; floats
 * from 0 to 1. @throws StriaError `not-readable`, `corrupt`, `unsupported`
 */
export async function benchFile(context: BenchContext, { source, pool }: NonNullable<BenchHost['file']>): Promise<void> {
  const { name } = source;
  const bricks = await HalvedBricks.open(await ContainerReader.open(source), pool);
  const { type, dims } = bricks.info;
  const window = type === 'f32' || type === 'f64' ? ([0, 1] as const) : integerRanges[type];
  context.begin(name);
  await benchStage(
    context,
    { subject: `${name}: ${dims.slice(0, 3).join(' × ')} ${type}`, bricks, window, limits: limitsFor(1) },
    '',
    {
      turning: waysOn(context.gpu),
      isFlown: true,
    },
  );
}

async function benchComputed(
  context: BenchContext,
  coders: readonly CodecDefinition[] | undefined,
  coded: string,
  turning: readonly [Way, ...Way[]],
  isFlown: boolean,
): Promise<void> {
  const { gpu, request } = context;
  const part = Math.min(1, request.size / 512);
  const bricks = computedVolume(part, coders);
  context.begin(`a computed volume, ${coded}`);
  if (!gpu.isSoftware) bricks.computeAll();
  const subject = `computed ${bricks.info.dims[0]}³ u8, ${coded}`;
  const suffix = isFlown ? '' : `, ${coded}`;
  await benchStage(context, { subject, bricks, window: [0, 180], limits: limitsFor(part) }, suffix, { turning, isFlown });
}

/** A volume of 1 TiB whose chunks are computed. @param part scales its sides */
export function computedVolume(part: number, coders: readonly CodecDefinition[] = fastCodecs.map(codecByName)): ComputedBricks {
  return new ComputedBricks(64 * Math.ceil(terabyteBricks * part), 64, undefined, coders);
}

/** Budgets that do not exceed the app's defaults. @param part the sides of the volume, relative to those of 1 TiB */
export function limitsFor(part: number): StageLimits {
  return {
    hostBytes: Math.round(Math.max(2 ** 24, 2 ** 29 * part ** 3)),
    gpu: {
      payloadBytes: Math.max(2 ** 24, 3 * 2 ** 27 * part ** 3),
      atlasBytes: Math.max(2 ** 25, 2 ** 29 * part ** 3),
      // A fifth more than the atlas for the aprons of bricks, and room for slots that stay empty.
      textureBytes: Math.max(2 ** 26, 5 * 2 ** 27 * part ** 3),
    },
  };
}

interface Staged {
  readonly subject: string;
  readonly bricks: BrickSource;
  readonly window: PagedLook['window'];
  readonly limits: StageLimits;
}

/** @param suffix distinguishes turns of several volumes */
async function benchStage(
  context: BenchContext,
  { subject, bricks, window, limits }: Staged,
  suffix: string,
  { turning, isFlown }: { readonly turning: readonly [Way, ...Way[]]; readonly isFlown: boolean },
): Promise<void> {
  const { gpu, request } = context;
  const size = targetOf(request.size);
  using scope = gpu.scope('bench.bricks');
  const stage = new BrickStage(gpu, scope, bricks, window, size, limits);
  try {
    const [first] = turning;
    const completeMs = await stage.settle(first.projection, turned(0, size));
    const complete = completeMs === undefined ? 'not complete' : `complete after ${Math.round(completeMs)} ms`;
    const note = `first picture after ${Math.round(stage.firstPictureMs ?? Number.NaN)} ms, with the compilation of shaders; ${complete}`;
    const common = { subject, size, inputBytes: volumeBytes(bricks.info), stage };
    for (const { projection, method } of turning) {
      const x = `turn ${projection}${suffix}`;
      const turn = { ...common, x, method: `${method}, turning`, projection, ms: turnMs, view: (at: number) => turned(at, size) };
      await measure(context, { ...turn, note: () => note });
      if (projection === 'composite' && isFlown) await measurePaced(context, turn);
    }
    if (isFlown) {
      const method = `${first.method}, flying through`;
      const flight = {
        ...common,
        x: 'fly',
        method,
        projection: first.projection,
        ms: flightMs,
        view: (at: number) => flown(at, size),
      };
      await measure(context, flight);
      if (first.projection === 'composite') {
        await measureDrafts(context, flight);
        await measurePaced(context, flight);
      }
    }
  } finally {
    stage.close();
  }
}

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
  /** Called before each frame, and after it; `after` also for those that are drawn before the measurement. */
  readonly before?: () => void;
  readonly after?: (frame: BrickFrameParts) => void;
}

/** Measures with every pixel, but otherwise as the app draws while the view moves, if the GPU is too slow for every sample. */
async function measureDrafts(context: BenchContext, flight: Flight): Promise<void> {
  const { stage } = flight;
  const still = stage.sharpness;
  stage.sharpness = { scale: 1, step: 2 * still.step, isDraft: true };
  await measure(context, { ...flight, x: `${flight.x}, drafts`, method: `${flight.method}, drafts with every pixel` });
  stage.sharpness = still;
}

/** Measures as the app draws while the view moves: with longer steps, or fewer pixels, if the GPU is too slow for all of them. */
export async function measurePaced(context: BenchContext, flight: Flight): Promise<void> {
  const { gpu } = context;
  const { stage, size } = flight;
  const still = stage.sharpness;
  const pixels = size.width * size.height;
  const pacing = new FramePacing(gpu.isSoftware, gpu.hasTimestamps);
  await measure(context, {
    ...flight,
    x: `${flight.x}, paced`,
    method: `${flight.method}, paced as in the app`,
    before: () => {
      const step = pacing.movingStep(pixels, stage.bias);
      const scale = pacing.movingScale(pixels, step);
      stage.sharpness = { scale, step, isDraft: step > still.step };
    },
    after: ({ drawMs, scale, step }) => drawMs !== undefined && pacing.measured(pixels * scale ** 2, drawMs, step),
  });
  stage.sharpness = still;
}

export async function measure(
  context: BenchContext,
  { stage, view, projection, size, before = () => {}, after = () => {}, ...flight }: Flight,
): Promise<void> {
  const { gpu, meter } = context;
  context.begin(`${flight.subject}, ${flight.method}`);
  const completeMs = await stage.settle(projection, view(0), after);
  await meter.raiseClocks();
  const useBefore = stage.bricks.use;
  const drawn: BrickFrameParts[] = [];
  const garbage = new GarbageLog();
  const start = performance.now();
  const { intervals, seconds } = await runFor(context, gpu.isSoftware ? 1 : flight.ms, leastFrames, async (at) => {
    before();
    const frame = await stage.draw(projection, view(at));
    after(frame);
    drawn.push(frame);
  }).finally(() => garbage.end());
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
    `${Math.round(intervals.length / seconds)} frames a second over ${intervals.length} frames, ${inFlight} in flight; the longest took ${spread.max.toFixed(1)} ms`,
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
    note: notes.join('; '),
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

/** The view on a closed curve in the cube, looking ahead. @param at position on the curve, 0…1 */
export function flown(at: number, { width, height }: FrameSize): RayView {
  const place = (way: number) => {
    const angle = 2 * Math.PI * way;
    return [0.5 + 0.4 * Math.sin(angle), 0.5 + 0.3 * Math.sin(2 * angle + 1), 0.5 + 0.4 * Math.cos(angle)] as const;
  };
  const eye = place(at);
  const ahead = normalized(place(at + 1e-3).map((part, axis) => part - (eye[axis] as number)));
  const right = normalized(cross(ahead, [0, 1, 0]));
  const up = cross(right, ahead);
  const across = right.map((part) => (part * halfHeight * width) / height);
  const above = up.map((part) => -part * halfHeight);
  const middle = eye.map((part, axis) => part + (ahead[axis] as number));
  return { toCube: [...across, 0, ...above, 0, 0, 0, 0, 0, ...middle, 1], eye: [...eye, 1], edges: [1, 1, 1] };
}

function normalized(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((part) => part / length);
}

function cross([ax = 0, ay = 0, az = 0]: readonly number[], [bx = 0, by = 0, bz = 0]: readonly number[]): number[] {
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}
