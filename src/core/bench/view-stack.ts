import { type Projection, type RayLook, type RayView, wholeOf } from '../draw/ray-pass.ts';
import {
  type RayStackLook,
  RayStackPass,
  type RayVolume,
  rayStackBytes,
  rayStackFrame,
  rayStackRows,
} from '../draw/ray-stack.ts';
import { rayTransfer } from '../draw/ray-transfer.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { openSample } from '../samples/sample.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import type { BenchContext } from './harness/context.ts';
import { type FrameSize, measureTurning, oneBrick, TurningTarget, texelsPerStep, turned } from './view-turning.ts';

/** The layers that are drawn with the volume. The volume is opaque below a scan, and translucent with labels. */
const layers = [
  { kind: 'phantom', method: 'compositing of two volumes, lit', seed: 2, opacity: 1, layerOpacity: 0.5 },
  { kind: 'labels', method: 'compositing of a volume and labels, lit', seed: 1, opacity: 0.4, layerOpacity: 1 },
] as const;
export type StackLayer = (typeof layers)[number];
/** The layers that are also drawn over bricks. */
export const [scanLayer, labelsLayer] = layers;

/** How stacks are drawn. */
// biome-ignore format: three ranges
const commonLook = { attenuation: 8, lighting: true, clip: [[0, 1], [0, 1], [0, 1]] } as const;
export const stackLook = { projection: 'composite', ...commonLook } as const;
export const lookOf = (projection: Projection): RayStackLook => ({ projection, ...commonLook });

/** The layer's cube: as large as the volume, turned about its upright axis by 20° and shifted by a fifth of its edge. */
const [cos, sin] = [Math.cos(Math.PI / 9), Math.sin(Math.PI / 9)];
const shift = 0.2;
// biome-ignore format: a matrix, column by column
const toUnit = [cos, 0, sin, 0, 0, 1, 0, 0, -sin, 0, cos, 0, 0.5 - 0.5 * (cos - sin) + shift, 0, 0.5 - 0.5 * (cos + sin), 1];
// biome-ignore format: a matrix
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

export interface TexturedVolume extends RayVolume {
  readonly display: DisplayTexture;
}

/** Cases of suite `view` with two volumes of the same size and type, each in its own place, drawn in one pass. */
export async function benchViewStack(
  context: BenchContext,
  display: DisplayTexture,
  window: RayLook['window'],
  target: FrameSize,
  bytes: number,
): Promise<void> {
  const { gpu, request } = context;
  const { size, type } = request;
  for (const layer of layers) {
    const { kind, method } = layer;
    const volume = await layerVolume(context, layer);
    using scope = gpu.scope('bench.stack');
    try {
      const stage = new StackStage(gpu, scope, await stackedVolumes(display, window, [{ kind: layer, volume }]), target);
      const subject = `phantom and ${kind} ${size}³ ${type}, turning`;
      await measureTurning(context, { x: `composite with ${kind}`, method, subject, bytes: 2 * bytes, copy: undefined, target, check: () => stage.check(), draw: (turn, onTimes) => stage.draw(turn, onTimes) }); // biome-ignore format: one line
    } finally {
      volume.destroy();
    }
  }
}

/** The voxels of a layer. The caller destroys them. */
export async function layerVolume(context: BenchContext, { kind, seed }: StackLayer): Promise<ResidentVolume> {
  const { gpu, request, job } = context;
  const { size, type } = request;
  context.begin(kind);
  const sample = openSample({ kind, dims: [size, size, size], type, seed });
  const volume = await ResidentVolume.create(gpu, sample.info, { chunkShape: [64, 64, 64] });
  try {
    for await (const piece of sample.voxels(job)) volume.append(piece);
  } catch (error) {
    volume.destroy();
    throw error;
  }
  return volume;
}

/** A volume and the layers over it, as rays cross them. The volume is as opaque as the most transparent layer wants it. */
export async function stackedVolumes(
  base: DisplayTexture,
  window: RayLook['window'],
  over: readonly { readonly kind: StackLayer; readonly volume: ResidentVolume }[],
): Promise<readonly TexturedVolume[]> {
  const opacity = Math.min(...over.map(({ kind }) => kind.opacity));
  const shown = over.map(async ({ kind, volume }) => {
    const { window: own, min, max } = await volume.statistics();
    const display = await volume.displayTexture(0);
    return { ...layerOver(display, kind.kind === 'labels' ? [min, max] : own, kind), display };
  });
  return [{ ...baseVolume(base, window, opacity), display: base }, ...(await Promise.all(shown))];
}

// biome-ignore format: one line
const common = { extent: [1, 1, 1], outside: ['clamp', 'clamp'], level: 0.35, blending: 'over', smooth: true, isFloorOpaque: false } as const;

/** The volume below layers. */
export function baseVolume(display: RayVolume['display'], window: RayLook['window'], opacity: number): RayVolume {
  return { ...common, display, toUnit: identity, window, opacity, isCategorical: false };
}

/** A layer in its place over the volume. */
export function layerOver(
  display: RayVolume['display'],
  window: RayLook['window'],
  { kind, layerOpacity }: StackLayer,
): RayVolume {
  return { ...common, display, toUnit, window, opacity: layerOpacity, isCategorical: kind === 'labels' };
}

/** Volumes that are drawn in one pass, from any direction. */
export class StackStage {
  readonly #gpu: Gpu;
  readonly #volumes: readonly TexturedVolume[];
  readonly #unskipped: readonly TexturedVolume[];
  readonly #pass: RayStackPass;
  readonly #target: TurningTarget;
  readonly #frame: GPUBuffer;
  readonly #transfer: GPUTexture;

  /** @param scope owns the target */
  constructor(gpu: Gpu, scope: GpuScope, volumes: readonly TexturedVolume[], size: FrameSize) {
    this.#gpu = gpu;
    this.#volumes = volumes;
    this.#unskipped = volumes.map((volume) => ({
      ...volume,
      display: { ...volume.display, bricks: oneBrick(gpu, scope, volume.display) },
    }));
    this.#pass = new RayStackPass(gpu);
    this.#target = new TurningTarget(gpu, scope, size);
    this.#frame = scope.buffer('frame', rayStackBytes(volumes.length), GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    this.#transfer = stackTransfer(gpu, scope, volumes);
  }

  check(): Promise<void> {
    return this.#target.check('two volumes', (commands, turn, isSkipping) =>
      this.#record(commands, isSkipping ? this.#volumes : this.#unskipped, 'composite', turned(turn, this.#target.size)),
    );
  }

  async draw(turn: number, onTimes: NonNullable<Commands['onTimes']>): Promise<void> {
    const commands = this.#gpu.commands('frame', onTimes);
    this.#record(commands, this.#volumes, 'composite', turned(turn, this.#target.size));
    await commands.submit();
  }

  /** The pixels of a frame. Rows are padded to multiples of 256 bytes. */
  pixels(projection: Projection, view: RayView): Promise<Uint8Array> {
    return this.#target.pixels((commands) => this.#record(commands, this.#volumes, projection, view));
  }

  #record(commands: Commands, volumes: readonly TexturedVolume[], projection: Projection, view: RayView): void {
    const { size, texture } = this.#target;
    const strip = wholeOf(size);
    const parameters = rayStackFrame(volumes, view, lookOf(projection), texelsPerStep, strip);
    this.#gpu.device.queue.writeBuffer(this.#frame, 0, parameters);
    const displays = volumes.map(({ display }) => display);
    const areLabels = volumes.map(({ isCategorical }) => isCategorical);
    const inputs = { projection, displays, frame: this.#frame, transfer: this.#transfer, areLabels };
    this.#pass.record(commands.stage('draw'), inputs, texture, strip);
  }
}

/** The transfer functions of volumes: the first is gray, a scan over it reddish, and each label has its own colour. */
export function stackTransfer(gpu: Gpu, scope: GpuScope, volumes: readonly RayVolume[]): GPUTexture {
  const texels: number[] = [];
  for (const [at, volume] of volumes.entries()) {
    const part = at === 0 ? [1, 1, 1] : volume.isCategorical ? [0.4, 0.9, 0.6] : [1, 0.6, 0.3];
    const colors = Uint8Array.from({ length: 768 }, (_, index) => {
      const place = Math.floor(index / 3);
      return (part[index % 3] as number) * (volume.isCategorical ? 80 + ((place * 89) % 176) : place);
    });
    const rows = rayTransfer(colors, (place) => (volume.isCategorical ? Math.sign(place) : Math.max(0, place - 0.1)));
    const row = rows.subarray(0, 1024);
    if (!volume.isCategorical) texels.push(...rows);
    else for (let count = 0; count < rayStackRows(volume); count++) texels.push(...row);
  }
  const height = texels.length / 1024;
  const transfer = scope.texture('transfer', texels.length, {
    size: [256, height],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  gpu.device.queue.writeTexture({ texture: transfer }, new Uint8Array(texels), { bytesPerRow: 1024 }, [256, height]);
  return transfer;
}
