import { canFilterBricks, hasValueTexels } from '../bricks/number-texels.ts';
import type { Projection } from '../draw/ray-pass.ts';
import { rayStackBytes, rayStackFrame } from '../draw/ray-stack.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { StriaError } from '../shared/errors.ts';
import { volumeBytes } from '../shared/volume.ts';
import type { ResidentVolume } from '../volume/resident-volume.ts';
import { measure, turnMs, waysOn } from './brick-flight.ts';
import type { MemoryBricks } from './brick-memory.ts';
import { BrickStage } from './brick-stage.ts';
import type { BenchContext } from './harness/context.ts';
import { benchPagedLayer, type Compare } from './paged-layers.ts';
import { targetOf, ViewStage } from './view.ts';
import { labelsLayer, layerVolume, StackStage, scanLayer, stackedVolumes, stackLook, stackTransfer } from './view-stack.ts';
import { type FrameSize, texelsPerStep, turned } from './view-turning.ts';

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
    const compare: Compare = (of, textures, turn) =>
      expectAlike(of, { pixels: (_, at) => textures.pixels(at) }, 'composite', turn, size);
    for (const kind of [scanLayer, labelsLayer]) await benchPagedLayer(context, stage, volume, kind, size, encode, compare);
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
    for (const turn of [0, 0.37]) {
      await stage.settle(projection, turned(turn, size));
      await expectAlike(stage, texture, projection, turn, size);
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
    const volumes = await stackedVolumes(await volume.displayTexture(0), window, labelsLayer, labels);
    const textures = new StackStage(gpu, scope, volumes, size);
    const transfer = stackTransfer(gpu, scope, volumes);
    const frame = scope.buffer('frame', rayStackBytes(volumes.length), GPUBufferUsage.UNIFORM);
    const inputs = { projection: stackLook.projection, displays: [volumes[1].display], frame, transfer };
    stage.recordStack = (rays, commands, view, target, strip) => {
      gpu.device.queue.writeBuffer(frame, 0, rayStackFrame(volumes, view, stackLook, texelsPerStep, strip));
      rays.recordStack(commands.stage('draw'), inputs, target, strip);
      return undefined;
    };
    for (const turn of [0, 0.37]) {
      await stage.settle('composite', turned(turn, size));
      await expectAlike(stage, { pixels: (_, at) => textures.pixels(at) }, 'composite', turn, size);
    }
    const subject = `phantom and labels ${request.size}³ ${request.type}, turning`;
    const verified = 'two frames compared with rays through two textures, pixel by pixel';
    await measure(context, { subject, size, inputBytes: 2 * volumeBytes(volume.info), stage, x: 'paged composite with labels', method: `${labelsLayer.method}, from bricks`, projection: 'composite', ms: turnMs, verified, view: (at) => turned(at, size) }); // biome-ignore format: one line
  } finally {
    stage.recordStack = undefined;
    labels.destroy();
  }
}

/** @throws StriaError `internal` if more than a few pixels differ */
async function expectAlike(
  stage: BrickStage,
  textures: { pixels(projection: Projection, turn: number): Promise<Uint8Array> },
  projection: Projection,
  turn: number,
  size: FrameSize,
): Promise<void> {
  const [paged, expected] = [await stage.pixels(projection, turned(turn, size)), await textures.pixels(projection, turn)];
  let others = 0;
  for (let at = 0; at < expected.length; at += 4) {
    const isOther = [0, 1, 2, 3].some((channel) => {
      return Math.abs((paged[at + channel] as number) - (expected[at + channel] as number)) > sameWithin;
    });
    if (isOther) others++;
  }
  if (others > (mostOthers * size.width * size.height) / 1000) {
    throw new StriaError('internal', `${projection}: ${others} pixels differ between bricks and a texture`);
  }
}
