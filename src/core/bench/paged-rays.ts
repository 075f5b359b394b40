import { canFilterBricks, hasValueTexels } from '../bricks/number-texels.ts';
import type { Projection, RayView } from '../draw/ray-pass.ts';
import { rayStackBytes, rayStackFrame } from '../draw/ray-stack.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { StriaError } from '../shared/errors.ts';
import { volumeBytes } from '../shared/volume.ts';
import type { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { turnMs, waysOn } from './brick-flight.ts';
import { measure } from './brick-measure.ts';
import type { MemoryBricks } from './brick-memory.ts';
import { BrickStage } from './brick-stage.ts';
import type { BenchContext } from './harness/context.ts';
import { benchPagedLayers, type StackCheck } from './paged-layers.ts';
import { targetOf, ViewStage } from './view.ts';
import { labelsLayer, layerVolume, StackStage, scanLayer, stackedVolumes, stackLook, stackTransfer } from './view-stack.ts';
import { type FrameSize, flown, texelsPerStep, turned } from './view-turning.ts';

/** Where on the flight pictures are compared: inside the volume, with much of the phantom in sight. */
export const comparedFlight = 0.12;
/** The tolerance against a texture, in levels of 255, and how many pixels in a thousand may exceed it: samples are rounded differently. */
const [sameWithin, mostOthers] = [8, 1];
const unfilteredSuffix = 'without a texture';

/**
 * Draws the volume of suite `view` from bricks, all of them decoded, and compares the pictures with rays through its texture.
 * @param texelBytes the result of `compareStoredTexels` @param encode encodes a volume as `source` is encoded
 */
export async function benchPagedRays(
  context: BenchContext,
  source: MemoryBricks,
  volume: ResidentVolume,
  texelBytes: number,
  encode: (volume: ResidentVolume) => Promise<readonly EncodedChunk[]>,
): Promise<void> {
  const { gpu, request } = context;
  const size = targetOf(request.size);
  using scope = gpu.scope('bench.paged');
  const bytes = volumeBytes(source.info);
  const { window } = await volume.statistics();
  const limits = {
    hostBytes: 2 * bytes + 2 ** 24,
    gpu: { payloadBytes: 2 * bytes + 2 ** 24, atlasBytes: bytes, textureBytes: 2 * bytes + 2 ** 26 },
  };
  context.begin('rays through bricks');
  const stage = new BrickStage(gpu, scope, source, window, size, limits);
  try {
    const texture = new ViewStage(gpu, scope, await volume.displayTexture(0), window, size);
    const textures = texelBytes > 0 ? `; ${texelBytes} bytes of textures that kernels write equal copied ones` : '';
    const isUsed = stage.bricks.atlas.filtered.isUsed && canFilterBricks(gpu, source.info.type);
    await measureAlone(context, stage, texture, size, textures, isUsed ? undefined : unfilteredSuffix);
    // Devices that cannot filter such texels read the atlas instead.
    if (isUsed && hasValueTexels(source.info.type)) {
      const unfiltered = new BrickStage(gpu, scope, source, window, size, { ...limits, gpu: { ...limits.gpu, textureBytes: 0 } });
      await measureAlone(context, unfiltered, texture, size, '', unfilteredSuffix).finally(() => unfiltered.close());
    }
    if (gpu.isSoftware) return;
    await measureWithLabels(context, stage, volume, size);
    const turns = turnsOf(size);
    const looks = turns.map((turn) => ({ projection: 'composite', ...turn }) as const);
    const compare: StackCheck['compare'] = (of, textures, look) => expectAlike(of, textures, look.projection, look, size);
    for (const kind of [scanLayer, labelsLayer]) {
      await benchPagedLayers(context, stage, volume, [kind], size, encode, { looks, compare });
    }
    const views = [...turns, { view: flown(comparedFlight, size), name: 'in a flight' }];
    const every = waysOn(gpu).flatMap(({ projection }) => views.map((view) => ({ projection, ...view })));
    await benchPagedLayers(context, stage, volume, [scanLayer, labelsLayer], size, encode, { looks: every, compare });
  } finally {
    stage.close();
    volume.releaseDisplay();
  }
}

/** @param checked what else was compared @param suffix distinguishes several ways to read bricks */
async function measureAlone(
  context: BenchContext,
  stage: BrickStage,
  texture: ViewStage,
  size: FrameSize,
  checked: string,
  suffix?: string,
): Promise<void> {
  const { gpu, request } = context;
  const [before, after] = suffix === undefined ? ['', ''] : [`, ${suffix}`, ` ${suffix}`];
  for (const { projection, method } of waysOn(gpu)) {
    for (const look of turnsOf(size)) {
      await stage.settle(projection, look.view);
      await expectAlike(stage, texture, projection, look, size);
    }
    await measure(context, {
      stage,
      size,
      projection,
      subject: `phantom ${request.size}³ ${request.type}, turning`,
      inputBytes: volumeBytes(stage.bricks.source.info),
      x: `paged ${projection}${after}`,
      method: `${method}, from bricks${before}`,
      ms: turnMs,
      verified: `two frames compared with rays through a texture, pixel by pixel${checked}`,
      view: (at) => turned(at, size),
    });
  }
}

/** Draws the bricks with labels over them, and compares the pictures with rays through the textures of both volumes. */
async function measureWithLabels(
  context: BenchContext,
  stage: BrickStage,
  volume: ResidentVolume,
  size: FrameSize,
): Promise<void> {
  const { gpu, request } = context;
  const labels = await layerVolume(context, labelsLayer);
  using scope = gpu.scope('bench.paged-stack');
  try {
    const { window } = await volume.statistics();
    const volumes = await stackedVolumes(await volume.displayTexture(0), window, [{ kind: labelsLayer, volume: labels }]);
    const textures = new StackStage(gpu, scope, volumes, size);
    const transfer = stackTransfer(gpu, scope, volumes);
    const frame = scope.buffer('frame', rayStackBytes(volumes.length), GPUBufferUsage.UNIFORM);
    const displays = volumes.slice(1).map(({ display }) => display);
    const areLabels = volumes.map(({ isCategorical }) => isCategorical);
    const inputs = { projection: stackLook.projection, displays, frame, transfer, areLabels };
    stage.recordStack = (rays, commands, view, target, strip) => {
      gpu.device.queue.writeBuffer(frame, 0, rayStackFrame(volumes, view, stackLook, texelsPerStep, strip));
      rays.recordStack(commands.stage('draw'), inputs, target, strip);
      return undefined;
    };
    for (const look of turnsOf(size)) {
      await stage.settle('composite', look.view);
      await expectAlike(stage, textures, 'composite', look, size);
    }
    const subject = `phantom and labels ${request.size}³ ${request.type}, turning`;
    const verified = 'two frames compared with rays through two textures, pixel by pixel';
    await measure(context, { subject, size, inputBytes: 2 * volumeBytes(volume.info), stage, x: 'paged composite with labels', method: `${labelsLayer.method}, from bricks`, projection: 'composite', ms: turnMs, verified, view: (at) => turned(at, size) }); // biome-ignore format: one line
  } finally {
    stage.recordStack = undefined;
    labels.destroy();
  }
}

interface Look {
  readonly view: RayView;
  readonly name: string;
}

const turnsOf = (size: FrameSize): readonly Look[] =>
  [0, 0.37].map((turn) => ({ view: turned(turn, size), name: `turned by ${turn}` }));

/** @returns how many pixels differ, in words @throws StriaError `internal` if more than a few differ much, or if the pictures are plain */
async function expectAlike(
  stage: BrickStage,
  textures: { pixels(projection: Projection, view: RayView): Promise<Uint8Array> },
  projection: Projection,
  { view, name }: Look,
  size: FrameSize,
): Promise<string> {
  const [paged, expected] = [await stage.pixels(projection, view), await textures.pixels(projection, view)];
  if (isPlain(expected)) throw new StriaError('internal', `${projection} ${name} shows too little to compare`);
  let [slightly, much, most] = [0, 0, 0];
  for (let at = 0; at < expected.length; at += 4) {
    const differences = [0, 1, 2, 3].map((channel) =>
      Math.abs((paged[at + channel] as number) - (expected[at + channel] as number)),
    );
    const difference = Math.max(...differences);
    if (difference > 1) slightly++;
    if (difference > sameWithin) much++;
    most = Math.max(most, difference);
  }
  const found = `${projection} ${name}: ${slightly} pixels differ by more than 1 of 255 levels, the most by ${most}`;
  if (much > (mostOthers * size.width * size.height) / 1000) {
    throw new StriaError('internal', `bricks and textures differ, ${found}; ${much} by more than ${sameWithin}`);
  }
  return found;
}

/** Whether all pixels are the same within the tolerance, so that a comparison would prove little. */
export function isPlain(pixels: Uint8Array): boolean {
  return [0, 1, 2, 3].every((channel) => {
    let [least, greatest] = [255, 0];
    for (let at = channel; at < pixels.length; at += 4) {
      least = Math.min(least, pixels[at] as number);
      greatest = Math.max(greatest, pixels[at] as number);
    }
    return greatest - least <= sameWithin;
  });
}
