import type { BrickSource } from '../bricks/brick-source.ts';
import { ComputedBricks } from '../bricks/computed-bricks.ts';
import { HalvedBricks } from '../bricks/halved-bricks.ts';
import type { PagedLook } from '../bricks/paged-uniform.ts';
import type { CodecDefinition } from '../codec/codec.ts';
import { codecByName, codecs } from '../codecs/registry.ts';
import type { Projection } from '../draw/ray-pass.ts';
import { ContainerReader } from '../format/container-reader.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { integerRanges, volumeBytes } from '../shared/volume.ts';
import { measure, measureDrafts, measurePaced } from './brick-measure.ts';
import { BrickStage, type StageLimits } from './brick-stage.ts';
import type { BenchContext, BenchHost } from './harness/context.ts';
import { targetOf } from './view.ts';
import { flown, turned } from './view-turning.ts';

/** The number of bricks along each side of a volume of at least 1 TiB of 8-bit voxels. */
const terabyteBricks = 162;
/** Durations of a turn and of a flight along the whole curve. */
export const turnMs = 3000;
export const flightMs = 6000;

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
