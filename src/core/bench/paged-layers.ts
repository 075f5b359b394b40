import type { BrickFeedback } from '../bricks/brick-feedback.ts';
import { BrickLayers } from '../bricks/brick-layers.ts';
import { BrickView } from '../bricks/brick-view.ts';
import { GpuBricks } from '../bricks/gpu-bricks.ts';
import { HostBricks } from '../bricks/host-bricks.ts';
import { type BrickLayer, brickTexels } from '../bricks/layer-uniform.ts';
import { detailOf } from '../bricks/paged-uniform.ts';
import type { Projection, RayView } from '../draw/ray-pass.ts';
import { type RayVolume, rayStackBytes, rayStackFrame } from '../draw/ray-stack.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import { nextTurn } from '../shared/turn.ts';
import { type Dims3, volumeBytes } from '../shared/volume.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { turnMs } from './brick-flight.ts';
import { measure } from './brick-measure.ts';
import { MemoryBricks } from './brick-memory.ts';
import type { BrickStage } from './brick-stage.ts';
import type { BenchContext } from './harness/context.ts';
import {
  layerVolume,
  lookOf,
  type StackLayer,
  StackStage,
  stackedVolumes,
  stackTransfer,
  type TexturedVolume,
} from './view-stack.ts';
import { type FrameSize, texelsPerStep, turned } from './view-turning.ts';

/** The longest wait for the last bricks of the layers, in milliseconds. */
const settleMs = 10_000;
/** The edge in voxels of a layer's own texture, which is drawn where bricks are missing. */
const coarseEdge = 8;
const edges: Dims3 = [1, 1, 1];

/** What of a stack of bricks is compared with textures, and how. */
export interface StackCheck {
  readonly looks: readonly { readonly projection: Projection; readonly view: RayView; readonly name: string }[];
  /** @returns what was found, in words @throws StriaError `internal` if the pictures differ too much */
  compare(stage: BrickStage, textures: StackStage, look: StackCheck['looks'][number]): Promise<string>;
}

/**
 * Draws the bricks of the stage with layers whose voxels come from bricks of their own, compares the pictures with rays through the
 * textures of all volumes, and measures a turn. @param encode encodes the voxels of a layer's bricks
 */
export async function benchPagedLayers(
  context: BenchContext,
  stage: BrickStage,
  volume: ResidentVolume,
  kinds: readonly StackLayer[],
  size: FrameSize,
  encode: (volume: ResidentVolume) => Promise<readonly EncodedChunk[]>,
  check: StackCheck,
): Promise<void> {
  const { gpu, request } = context;
  using scope = gpu.scope('bench.paged-layers');
  const opened: PagedLayer[] = [];
  const drawing = new BrickLayers(gpu);
  try {
    for (const kind of kinds) {
      const layer = await layerVolume(context, kind);
      opened.push(await PagedLayer.open(gpu, kind, layer, await encode(layer)));
    }
    const { window } = await volume.statistics();
    const [base, ...over] = (await stackedVolumes(await volume.displayTexture(0), window, opened)) as [
      TexturedVolume,
      ...TexturedVolume[],
    ];
    const textures = new StackStage(gpu, scope, [base, ...over], size);
    const volumes = [base, ...opened.map((layer, at) => layer.over(over[at] as TexturedVolume))];
    const transfer = stackTransfer(gpu, scope, volumes);
    const frame = scope.buffer('frame', rayStackBytes(volumes.length), GPUBufferUsage.UNIFORM);
    const displays = opened.map(({ coarse }) => coarse);
    const areLabels = volumes.map(({ isCategorical }) => isCategorical);
    let projection: Projection = check.looks[0]?.projection ?? 'composite';
    let feedback: (() => readonly BrickFeedback[]) | undefined;
    // Measured frames overlap, so the feedback of the last one may not be there yet. They need no further bricks.
    let isLoading = true;
    stage.recordStack = (rays, commands, view, target, strip) => {
      const met = isLoading ? feedback?.() : undefined;
      met?.forEach((found, at) => void opened[at]?.demand.take(found, [0]));
      if (isLoading) for (const { bricks } of opened) bricks.update();
      gpu.device.queue.writeBuffer(frame, 0, rayStackFrame(volumes, view, lookOf(projection), texelsPerStep, strip));
      const drawn = opened.map((layer, at) => layer.begin(volumes[at + 1] as RayVolume, view, size));
      const layerBricks = drawing.begin(commands, [undefined, ...drawn], edges);
      const inputs = { projection, displays, frame, transfer, layerBricks, areLabels };
      rays.recordStack(commands.stage('draw'), inputs, target, strip);
      feedback = drawing.end(commands);
      return undefined;
    };
    const found: string[] = [];
    for (const look of check.looks) {
      projection = look.projection;
      const start = performance.now();
      do {
        await stage.settle(projection, look.view);
        // Takes the feedback of the last frame.
        await stage.draw(projection, look.view);
        if (performance.now() - start > settleMs) throw new StriaError('internal', 'bricks of a layer never arrived');
        await nextTurn();
      } while (!opened.every(({ isComplete }) => isComplete));
      found.push(await check.compare(stage, textures, look));
    }
    isLoading = false;
    projection = 'composite';
    const names = kinds.map(({ kind }) => kind).join(' and ');
    await measure(context, {
      subject: `phantom and ${names} ${request.size}³ ${request.type}, all from bricks, turning`,
      size,
      inputBytes: (1 + kinds.length) * volumeBytes(volume.info),
      stage,
      x: `paged composite with paged ${names}`,
      method:
        kinds.length > 1
          ? 'compositing of a volume, a scan and labels, lit, all from bricks'
          : `${kinds[0]?.method}, both from bricks`,
      projection,
      ms: turnMs,
      verified: `compared with rays through textures, pixel by pixel: ${found.join('; ')}`,
      view: (at) => turned(at, size),
    });
  } finally {
    stage.recordStack = undefined;
    drawing.destroy();
    for (const layer of opened) layer.close();
  }
}

/** A layer whose voxels come from encoded chunks in memory. */
class PagedLayer {
  readonly kind: StackLayer;
  readonly volume: ResidentVolume;
  readonly bricks: GpuBricks;
  readonly demand: BrickView;
  /** Its own texture, of zeros. */
  readonly coarse: DisplayTexture;
  readonly #host: HostBricks;
  readonly #coarse: ResidentVolume;

  /** @param volume is destroyed with the layer */
  static async open(gpu: Gpu, kind: StackLayer, volume: ResidentVolume, chunks: readonly EncodedChunk[]): Promise<PagedLayer> {
    const dims = [coarseEdge, coarseEdge, coarseEdge, 1] as const;
    const coarse = await ResidentVolume.create(
      gpu,
      { ...volume.info, dims },
      { chunkShape: [coarseEdge, coarseEdge, coarseEdge] },
    );
    coarse.append(new Uint8Array(volumeBytes(coarse.info)));
    return new PagedLayer(gpu, kind, volume, chunks, coarse, await coarse.displayTexture(0));
  }

  private constructor(
    gpu: Gpu,
    kind: StackLayer,
    volume: ResidentVolume,
    chunks: readonly EncodedChunk[],
    coarse: ResidentVolume,
    display: DisplayTexture,
  ) {
    const bytes = volumeBytes(volume.info);
    this.kind = kind;
    this.volume = volume;
    this.#coarse = coarse;
    this.coarse = display;
    this.#host = new HostBricks(new MemoryBricks(volume.info, chunks), { bytes: 2 * bytes + 2 ** 24 });
    const limits = { payloadBytes: 2 * bytes + 2 ** 24, atlasBytes: bytes, textureBytes: 2 * bytes + 2 ** 26 };
    this.bricks = new GpuBricks(gpu, this.#host, limits);
    this.demand = new BrickView(this.bricks, kind.kind, true);
  }

  get isComplete(): boolean {
    return this.demand.isComplete && this.bricks.isSettled;
  }

  /** The layer as rays cross its bricks. @param textured as they cross its texture */
  over(textured: TexturedVolume): RayVolume {
    return { ...textured, display: this.coarse, bricks: { grid: textured.display, texels: brickTexels(this.volume.info.type) } };
  }

  begin({ toUnit, window, isCategorical }: RayVolume, view: RayView, size: FrameSize): BrickLayer {
    const look = { timePoint: 0, window, isCategorical, numbers: this.volume.numbers };
    const detail = { edges, detail: detailOf(view, size) * this.demand.bias };
    return { bricks: this.bricks, look, texture: this.coarse.texture, toUnit, detail };
  }

  close(): void {
    this.bricks.close();
    this.#host.close();
    this.#coarse.destroy();
    this.volume.destroy();
  }
}
