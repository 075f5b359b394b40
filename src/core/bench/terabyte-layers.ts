import type { BrickFeedback } from '../bricks/brick-feedback.ts';
import { BrickLayers } from '../bricks/brick-layers.ts';
import type { BrickSource } from '../bricks/brick-source.ts';
import { BrickView, type ViewedFrame } from '../bricks/brick-view.ts';
import { GpuBricks } from '../bricks/gpu-bricks.ts';
import { HostBricks } from '../bricks/host-bricks.ts';
import { type BrickLayer, brickTexels } from '../bricks/layer-uniform.ts';
import { checkBudgets } from '../bricks/looking-around.ts';
import { detailOf } from '../bricks/paged-uniform.ts';
import type { RayView } from '../draw/ray-pass.ts';
import { type RayGrid, type RayVolume, rayStackBytes, rayStackFrame } from '../draw/ray-stack.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { nextTurn } from '../shared/turn.ts';
import { type Dims3, integerRanges, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { computedVolume, flightMs, limitsFor, turnMs } from './brick-flight.ts';
import { measure, measurePaced } from './brick-measure.ts';
import { BrickStage, type StageLimits } from './brick-stage.ts';
import type { BenchContext } from './harness/context.ts';
import { targetOf } from './view.ts';
import { baseVolume, labelsLayer, layerOver, type StackLayer, scanLayer, stackLook, stackTransfer } from './view-stack.ts';
import { type FrameSize, flown, turned } from './view-turning.ts';

/** The windows of the volume and of the scan, and of labels, in values. */
const [window, allLabels] = [[0, 180], integerRanges.u8] as const;
/** The edge in voxels of the texture that is drawn where a layer's bricks are missing. */
const coarseEdge = 8;
/** The longest wait for the bricks of the first view, in milliseconds. */
const settleMs = 3000;
const edges: Dims3 = [1, 1, 1];

/**
 * Turns and flies through a computed volume of 1 TiB under a scan and labels of the same size. All three come from bricks and are drawn
 * in one pass. Each layer has a quarter of the volume's budgets.
 */
export async function benchTerabyteLayers(context: BenchContext): Promise<void> {
  const { gpu, request } = context;
  // A software GPU takes minutes for these shaders.
  if (gpu.isSoftware) return;
  const size = targetOf(request.size);
  const part = Math.min(1, request.size / 512);
  const source = computedVolume(part);
  context.begin('a computed volume with two layers');
  source.computeAll();
  using scope = gpu.scope('bench.terabyte-layers');
  const limits = limitsFor(part);
  const stage = new BrickStage(gpu, scope, source, window, size, limits);
  const coarse = await emptyTexture(gpu, source.info);
  const layers = new BrickLayers(gpu);
  const [scan, labels] = [scanLayer, labelsLayer].map(
    (kind) => new ComputedLayer(gpu, source, coarse.display, kind, quarterOf(limits)),
  ) as [ComputedLayer, ComputedLayer];
  try {
    const volumes = [baseVolume(gridOf(source), window, labelsLayer.opacity), scan.volume, labels.volume];
    const areLabels = volumes.map(({ isCategorical }) => isCategorical);
    const transfer = stackTransfer(gpu, scope, volumes);
    const frame = scope.buffer('frame', rayStackBytes(volumes.length), GPUBufferUsage.UNIFORM);
    stage.layerBricks = [scan.bricks, labels.bricks];
    stage.recordStack = (rays, commands, view, target, strip) => {
      const { step, isDraft } = stage.sharpness;
      gpu.device.queue.writeBuffer(frame, 0, rayStackFrame(volumes, view, stackLook, step, strip, isDraft));
      const drawn = [scan, labels].map((layer) => layer.begin(view, size));
      const layerBricks = layers.begin(commands, [undefined, ...drawn], edges);
      const displays = [coarse.display, coarse.display];
      const inputs = { projection: stackLook.projection, displays, frame, transfer, layerBricks, areLabels };
      rays.recordStack(commands.stage('draw'), inputs, target, strip);
      const feedback = layers.end(commands);
      const frames = [scan.frame, labels.frame] as const;
      return () => {
        const [ofScan, ofLabels] = feedback() as [BrickFeedback, BrickFeedback];
        scan.take(ofScan, frames[0]);
        labels.take(ofLabels, frames[1]);
      };
    };
    const start = performance.now();
    do {
      await stage.draw(stackLook.projection, turned(0, size));
      await nextTurn();
    } while (!(scan.isComplete && labels.isComplete) && performance.now() - start < settleMs);
    const subject = `computed ${source.info.dims[0]}³ u8 with a scan and labels of that size, all from bricks`;
    const common = { subject, size, stage, inputBytes: 3 * volumeBytes(source.info), projection: stackLook.projection };
    const ways = [
      { x: 'turn with layers', does: 'turning', ms: turnMs, view: (at: number) => turned(at, size) },
      { x: 'fly with layers', does: 'flying through', ms: flightMs, view: (at: number) => flown(at, size) },
    ];
    for (const { does, ...way } of ways) {
      const decoded = () => [scan, labels].map(({ bricks }) => bricks.use.decoded);
      let before = decoded();
      const flight = {
        ...common,
        ...way,
        method: `compositing, lit, ${does}`,
        note: () => {
          const [ofScan, ofLabels] = decoded().map((count, at) => count - (before[at] as number));
          before = decoded();
          const biases = [scan, labels].map(({ bias }) => bias.toFixed(2)).join(' and ');
          return `of the layers, ${ofScan} and ${ofLabels} bricks decoded; their voxels × ${biases}`;
        },
      };
      await measure(context, flight);
      await measurePaced(context, flight);
    }
  } finally {
    for (const layer of [scan, labels]) layer.close();
    layers.destroy();
    coarse.destroy();
    stage.close();
  }
}

/** A layer whose bricks are computed. */
class ComputedLayer {
  readonly bricks: GpuBricks;
  readonly volume: RayVolume;
  readonly #host: HostBricks;
  readonly #limits: StageLimits;
  readonly #view: BrickView;
  readonly #texture: DisplayTexture['texture'];

  /** @param coarse is drawn where bricks are missing */
  constructor(gpu: Gpu, source: BrickSource, coarse: DisplayTexture, kind: StackLayer, limits: StageLimits) {
    this.#limits = limits;
    this.#host = new HostBricks(source, { bytes: limits.hostBytes });
    this.bricks = new GpuBricks(gpu, this.#host, limits.gpu);
    this.#view = new BrickView(this.bricks, kind.kind, true);
    this.#texture = coarse.texture;
    const own = layerOver(coarse, kind === labelsLayer ? allLabels : window, kind);
    this.volume = { ...own, bricks: { grid: gridOf(source), texels: brickTexels(source.info.type) } };
  }

  get bias(): number {
    return this.#view.bias;
  }

  get isComplete(): boolean {
    return this.#view.isComplete && this.bricks.isSettled;
  }

  begin(view: RayView, size: FrameSize): BrickLayer {
    const { toUnit, isCategorical } = this.volume;
    const look = { timePoint: 0, window: this.volume.window, isCategorical, numbers: [-Infinity, Infinity] } as const;
    const detail = { edges, detail: detailOf(view, size) * this.#view.bias };
    return { bricks: this.bricks, look, texture: this.#texture, toUnit, detail };
  }

  /** See `BrickView`. */
  get frame(): ViewedFrame {
    return this.#view.frame;
  }

  take(met: BrickFeedback, frame: ViewedFrame): void {
    this.#view.take(met, [0], frame);
    checkBudgets(this.#host, this.bricks, { host: { bytes: this.#limits.hostBytes }, gpu: this.#limits.gpu });
  }

  close(): void {
    this.bricks.close();
    this.#host.close();
  }
}

function gridOf({ info: { dims } }: BrickSource): RayGrid {
  const [low, high] = integerRanges.u8;
  return { dims: [dims[0], dims[1], dims[2]], low, high, texture: { format: 'r8unorm' }, bricks: { size: coarseEdge } };
}

function quarterOf({ hostBytes, gpu: { payloadBytes, atlasBytes, textureBytes } }: StageLimits): StageLimits {
  const gpu = { payloadBytes: payloadBytes / 4, atlasBytes: atlasBytes / 4, textureBytes: textureBytes / 4 };
  return { hostBytes: hostBytes / 4, gpu };
}

/** The texture of a small volume of zeros. */
async function emptyTexture(gpu: Gpu, info: VolumeInfo): Promise<{ readonly display: DisplayTexture; destroy(): void }> {
  const dims = [coarseEdge, coarseEdge, coarseEdge, 1] as const;
  const volume = await ResidentVolume.create(gpu, { ...info, dims }, { chunkShape: [coarseEdge, coarseEdge, coarseEdge] });
  volume.append(new Uint8Array(volumeBytes(volume.info)));
  return { display: await volume.displayTexture(0), destroy: () => volume.destroy() };
}
