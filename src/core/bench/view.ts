import {
  type Projection,
  type RayLook,
  RayPass,
  type RayView,
  rayFrame,
  rayFrameBytes,
  rayParameters,
  wholeOf,
} from '../draw/ray-pass.ts';
import { rayTransfer, rayTransferBytes, rayTransferSize } from '../draw/ray-transfer.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { openSample } from '../samples/sample.ts';
import { volumeBytes } from '../shared/volume.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import type { BenchContext } from './harness/context.ts';
import { benchViewStack } from './view-stack.ts';
import { type FrameSize, measureTurning, oneBrick, TurningTarget, texelsPerStep, turned } from './view-turning.ts';

const looks: readonly { readonly projection: Projection; readonly method: string }[] = [
  { projection: 'composite', method: 'compositing, lit' },
  { projection: 'mip', method: 'maximum' },
  { projection: 'isosurface', method: 'isosurface, lit' },
];

/** The target texture in pixels: a screen of 1920 × 1080 from 512³ on, and less for smaller volumes. */
export const targetOf = (size: number): FrameSize => {
  const part = Math.min(1, size / 512);
  return { width: Math.round(1920 * part), height: Math.round(1080 * part) };
};

/**
 * Suite `view`: the phantom turns once around its vertical axis, seen from the initial camera of the app's 3D view. The same
 * shader draws it into a texture, repeatedly, as fast as possible. Then it turns with a layer: see view-stack.ts.
 */
export async function benchView(context: BenchContext): Promise<void> {
  const { gpu, request, job, meter } = context;
  const { size, type } = request;
  context.begin('phantom');
  const sample = openSample({ kind: 'phantom', dims: [size, size, size], type, seed: 1 });
  const volume = await ResidentVolume.create(gpu, sample.info, { chunkShape: [64, 64, 64] });
  using scope = gpu.scope('bench.view');
  try {
    for await (const piece of sample.voxels(job)) volume.append(piece);
    const { window } = await volume.statistics();
    const display = await volume.displayTexture(0);
    const target = targetOf(size);
    const stage = new ViewStage(gpu, scope, display, window, target);
    const bytes = volumeBytes(sample.info);
    const copy = bytes <= gpu.maxBindingBytes ? await meter.copyOf(scope.storage('copied', bytes)) : undefined;
    for (const { projection, method } of looks) {
      await measureTurning(context, {
        x: projection,
        method,
        subject: `phantom ${size}³ ${type}, turning`,
        bytes,
        copy,
        target,
        check: () => stage.check(projection),
        draw: (turn, onTimes) => stage.draw(projection, turn, onTimes),
      });
    }
    await benchViewStack(context, display, window, target, bytes);
  } finally {
    volume.destroy();
  }
}

/** The look of all volumes, except projection, window and level. */
export const plainLook: Omit<RayLook, 'projection' | 'window' | 'level'> = {
  attenuation: 8,
  lighting: true,
  outside: ['clamp', 'clamp'],
  clip: [
    [0, 1],
    [0, 1],
    [0, 1],
  ],
};

/** A transfer texture of gray values in which the lowest tenth of the window is transparent. */
export function grayTransfer(gpu: Gpu, scope: GpuScope): GPUTexture {
  const texture = scope.texture('transfer', rayTransferBytes, {
    size: [...rayTransferSize],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  const gray = Uint8Array.from({ length: 768 }, (_, at) => Math.floor(at / 3));
  const texels = rayTransfer(gray, (place) => Math.max(0, place - 0.1));
  gpu.device.queue.writeTexture({ texture }, texels, { bytesPerRow: 1024 }, rayTransferSize);
  return texture;
}

/** A volume that is drawn from any direction. */
export class ViewStage {
  readonly #gpu: Gpu;
  readonly #display: DisplayTexture;
  readonly #unskipped: DisplayTexture;
  readonly #window: RayLook['window'];
  readonly #pass: RayPass;
  readonly #target: TurningTarget;
  readonly #transfer: GPUTexture;
  readonly #frame: GPUBuffer;

  constructor(gpu: Gpu, scope: GpuScope, display: DisplayTexture, window: RayLook['window'], size: FrameSize) {
    this.#gpu = gpu;
    this.#display = display;
    this.#window = window;
    this.#pass = new RayPass(gpu);
    this.#target = new TurningTarget(gpu, scope, size);
    this.#transfer = grayTransfer(gpu, scope);
    this.#frame = scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    this.#unskipped = { ...display, bricks: oneBrick(gpu, scope, display) };
  }

  /**
   * Draws a frame. Resolves when the GPU is done.
   * @param turn the volume's rotation, 0…1 for a full turn
   * @param before records work that comes before the rays
   */
  async draw(
    projection: Projection,
    turn: number,
    onTimes: NonNullable<Commands['onTimes']>,
    before: (commands: Commands) => void = () => {},
  ): Promise<void> {
    const commands = this.#gpu.commands('frame', onTimes);
    before(commands);
    this.#record(commands, this.#display, projection, turned(turn, this.#target.size));
    await commands.submit();
  }

  /** @throws StriaError `internal` if skipping changes the picture, or if the picture is empty */
  check(projection: Projection): Promise<void> {
    return this.#target.check(projection, (commands, turn, isSkipping) =>
      this.#record(commands, isSkipping ? this.#display : this.#unskipped, projection, turned(turn, this.#target.size)),
    );
  }

  /** The pixels of a frame. Rows are padded to multiples of 256 bytes. */
  pixels(projection: Projection, view: RayView): Promise<Uint8Array> {
    return this.#target.pixels((commands) => this.#record(commands, this.#display, projection, view));
  }

  #record(commands: Commands, display: DisplayTexture, projection: Projection, view: RayView): void {
    const [low, high] = this.#window;
    const look = { ...plainLook, projection, window: this.#window, level: low + 0.35 * (high - low) };
    const parameters = rayParameters(display, look, { isCategorical: false, isFloorOpaque: false }, texelsPerStep);
    const { texture, size } = this.#target;
    const strip = wholeOf(size);
    this.#gpu.device.queue.writeBuffer(this.#frame, 0, rayFrame(display, view, parameters, strip));
    const inputs = { projection, display, frame: this.#frame, transfer: this.#transfer };
    this.#pass.record(commands.stage('draw'), inputs, texture, strip);
  }
}
