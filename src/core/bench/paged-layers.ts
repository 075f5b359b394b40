import type { BrickFeedback } from '../bricks/brick-feedback.ts';
import { BrickLayers } from '../bricks/brick-layers.ts';
import { BrickView } from '../bricks/brick-view.ts';
import { GpuBricks } from '../bricks/gpu-bricks.ts';
import { HostBricks } from '../bricks/host-bricks.ts';
import { brickTexels } from '../bricks/layer-uniform.ts';
import { detailOf } from '../bricks/paged-uniform.ts';
import { type RayVolume, rayStackBytes, rayStackFrame } from '../draw/ray-stack.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { StriaError } from '../shared/errors.ts';
import { nextTurn } from '../shared/turn.ts';
import { type Dims3, volumeBytes } from '../shared/volume.ts';
import { ResidentVolume } from '../volume/resident-volume.ts';
import { measure, turnMs } from './brick-flight.ts';
import { MemoryBricks } from './brick-memory.ts';
import type { BrickStage } from './brick-stage.ts';
import type { BenchContext } from './harness/context.ts';
import { layerVolume, type StackLayer, StackStage, stackedVolumes, stackLook, stackTransfer } from './view-stack.ts';
import { type FrameSize, texelsPerStep, turned } from './view-turning.ts';

/** The longest wait for the last bricks of the layer, in milliseconds. */
const settleMs = 10_000;
/** The edge in voxels of the layer's own texture, which is drawn where bricks are missing. */
const coarseEdge = 8;

/** Compares a frame of the stage with expected pixels. */
export type Compare = (stage: BrickStage, textures: StackStage, turn: number) => Promise<void>;

/**
 * Draws the bricks of the stage with a layer whose voxels come from bricks of their own, and compares the pictures with rays through the
 * textures of both volumes. @param encode encodes the voxels of the layer's bricks
 */
export async function benchPagedLayer(
  context: BenchContext,
  stage: BrickStage,
  volume: ResidentVolume,
  kind: StackLayer,
  size: FrameSize,
  encode: (volume: ResidentVolume) => Promise<readonly EncodedChunk[]>,
  compare: Compare,
): Promise<void> {
  const { gpu, request } = context;
  const layer = await layerVolume(context, kind);
  using scope = gpu.scope('bench.paged-layer');
  const bytes = volumeBytes(layer.info);
  const host = new HostBricks(new MemoryBricks(layer.info, await encode(layer)), { bytes: 2 * bytes + 2 ** 24 });
  const limits = { payloadBytes: 2 * bytes + 2 ** 24, atlasBytes: bytes, textureBytes: 2 * bytes + 2 ** 26 };
  const bricks = new GpuBricks(gpu, host, limits);
  const coarse = await ResidentVolume.create(
    gpu,
    { ...layer.info, dims: [coarseEdge, coarseEdge, coarseEdge, 1] },
    { chunkShape: [8, 8, 8] },
  );
  coarse.append(new Uint8Array(volumeBytes(coarse.info)));
  const layers = new BrickLayers(gpu);
  try {
    const { window } = await volume.statistics();
    const volumes = await stackedVolumes(await volume.displayTexture(0), window, kind, layer);
    const textures = new StackStage(gpu, scope, volumes, size);
    const transfer = stackTransfer(gpu, scope, volumes);
    const frame = scope.buffer('frame', rayStackBytes(volumes.length), GPUBufferUsage.UNIFORM);
    const display = await coarse.displayTexture(0);
    const paged: RayVolume = {
      ...volumes[1],
      display,
      bricks: { grid: volumes[1].display, texels: brickTexels(layer.info.type) },
    };
    const demand = new BrickView(bricks, 'layer', true);
    let feedback: (() => readonly BrickFeedback[]) | undefined;
    // Measured frames overlap, so the feedback of the last one may not be there yet. They need no further bricks.
    let isLoading = true;
    stage.recordStack = (rays, commands, view, target, strip) => {
      const [met] = (isLoading && feedback?.()) || [];
      if (met) demand.take(met, [0]);
      if (isLoading) bricks.update();
      gpu.device.queue.writeBuffer(frame, 0, rayStackFrame([volumes[0], paged], view, stackLook, texelsPerStep, strip));
      const { toUnit, window: own, isCategorical } = paged;
      const edges: Dims3 = [1, 1, 1];
      const look = { timePoint: 0, window: own, isCategorical, numbers: layer.numbers };
      const detail = { edges, detail: detailOf(view, size) * demand.bias };
      const layerBricks = layers.begin(commands, [undefined, { bricks, look, texture: display.texture, toUnit, detail }], edges);
      const inputs = { projection: stackLook.projection, displays: [display], frame, transfer, layerBricks };
      rays.recordStack(commands.stage('draw'), inputs, target, strip);
      feedback = layers.end(commands);
      return undefined;
    };
    for (const turn of [0, 0.37]) {
      const start = performance.now();
      do {
        await stage.settle('composite', turned(turn, size));
        // Takes the feedback of the last frame.
        await stage.draw('composite', turned(turn, size));
        if (performance.now() - start > settleMs) throw new StriaError('internal', 'bricks of the layer never arrived');
        await nextTurn();
      } while (!demand.isComplete || !bricks.isSettled);
      await compare(stage, textures, turn);
    }
    isLoading = false;
    const subject = `phantom and ${kind.kind} ${request.size}³ ${request.type}, both from bricks, turning`;
    const verified = 'two frames compared with rays through two textures, pixel by pixel';
    await measure(context, {
      subject,
      size,
      inputBytes: 2 * bytes,
      stage,
      x: `paged composite with paged ${kind.kind}`,
      method: `${kind.method}, both from bricks`,
      projection: 'composite',
      ms: turnMs,
      verified,
      view: (at) => turned(at, size),
    });
  } finally {
    stage.recordStack = undefined;
    layers.destroy();
    bricks.close();
    host.close();
    coarse.destroy();
    layer.destroy();
  }
}
