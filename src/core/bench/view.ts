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
import { StriaError } from '../shared/errors.ts';
import { volumeBytes } from '../shared/volume.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { ResidentVolume } from '../volume/resident-volume.ts';
import { type BenchContext, caseOf } from './harness/context.ts';
import { inFlight, runFrames } from './harness/frames.ts';
import { spreadOf } from './harness/statistics.ts';

/** Frames of a full turn, and the number of turns. A software GPU takes far longer for each. */
const turnsOf = ({ isSoftware }: Gpu) => (isSoftware ? { frameCount: 8, rounds: 1 } : { frameCount: 120, rounds: 4 });
/** Texels between samples, as in the app while the volume is being rotated. */
const texelsPerStep = 1;
/** Angles at which a frame is drawn again without skipping and compared. */
const checked = [0, 0.37];
/** The tolerance, of 255, and how many pixels in a thousand may exceed it, because samples differ by rounding errors. */
const sameWithin = 8;
const mostOthers = 1;

const looks: readonly { readonly projection: Projection; readonly method: string }[] = [
  { projection: 'composite', method: 'compositing, lit' },
  { projection: 'mip', method: 'maximum' },
  { projection: 'isosurface', method: 'isosurface, lit' },
];

/** Pixels of the target texture: a screen of 1920 × 1080 from 512³ on. */
const targetOf = (size: number) => {
  const part = Math.min(1, size / 512);
  return { width: Math.round(1920 * part), height: Math.round(1080 * part) };
};

/**
 * Suite `view`: the phantom turns once around its vertical axis, seen from the initial camera of the app's 3D view. The same
 * shader draws it into a texture, repeatedly, as fast as possible.
 */
export async function benchView(context: BenchContext): Promise<void> {
  const { gpu, request, job, meter } = context;
  const { size, type } = request;
  const { frameCount, rounds } = turnsOf(gpu);
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
      context.begin(method);
      await stage.check(projection);
      await meter.raiseClocks();
      const { intervals, times, seconds } = await runFrames(context, frameCount, rounds, (frame, onTimes) =>
        stage.draw(projection, frame / frameCount, onTimes),
      );
      const drawn = gpu.hasTimestamps ? times.map(({ stages }) => stages[0]?.gpuMs ?? Number.NaN) : undefined;
      const timing = {
        gpuMs: drawn && spreadOf(drawn),
        wallMs: spreadOf(intervals),
        stages: drawn ? { draw: spreadOf(drawn) } : {},
      };
      const pixelBytes = 4 * target.width * target.height;
      context.add(
        caseOf(
          {
            table: 'view',
            subject: `phantom ${size}³ ${type}, turning`,
            x: projection,
            method: `${method}, by compute shaders into ${target.width} × ${target.height}`,
            operation: 'draw',
            processor: 'gpu',
            inputBytes: bytes,
            outputBytes: pixelBytes,
            movedBytes: pixelBytes,
            movedBytesAre: 'least',
            verified: `${checked.length} frames compared, pixel by pixel, with frames drawn without skipping empty space`,
            note:
              `${Math.round(intervals.length / seconds)} frames a second over ${intervals.length} frames, ${inFlight} in flight; ` +
              `a sample every ${texelsPerStep === 1 ? 'texel' : `${texelsPerStep} texels`} (at least 192 along the longest edge)`,
          },
          timing,
          copy,
        ),
      );
    }
  } finally {
    volume.destroy();
  }
}

/** A texture of screen size into which a volume is drawn from any direction. */
export class ViewStage {
  readonly #gpu: Gpu;
  readonly #display: DisplayTexture;
  readonly #unskipped: DisplayTexture;
  readonly #window: RayLook['window'];
  readonly #pass: RayPass;
  readonly #target: GPUTexture;
  readonly #transfer: GPUTexture;
  readonly #frame: GPUBuffer;
  readonly #readback: GPUBuffer;
  readonly #pitch: number;

  constructor(
    gpu: Gpu,
    scope: GpuScope,
    display: DisplayTexture,
    window: RayLook['window'],
    { width, height }: { width: number; height: number },
  ) {
    this.#gpu = gpu;
    this.#display = display;
    this.#window = window;
    this.#pass = new RayPass(gpu);
    this.#target = scope.texture('target', 4 * width * height, {
      size: [width, height],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
    });
    this.#transfer = scope.texture('transfer', rayTransferBytes, {
      size: [...rayTransferSize],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    const gray = Uint8Array.from({ length: 768 }, (_, at) => Math.floor(at / 3));
    const texels = rayTransfer(gray, (place) => Math.max(0, place - 0.1));
    gpu.device.queue.writeTexture({ texture: this.#transfer }, texels, { bytesPerRow: 1024 }, rayTransferSize);
    this.#frame = scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    this.#pitch = Math.ceil((4 * width) / 256) * 256;
    this.#readback = scope.buffer('pixels', this.#pitch * height, GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST);
    this.#unskipped = { ...display, bricks: oneBrick(gpu, scope, display) };
  }

  /** Draws a frame. Resolves when the GPU is done. @param turn the volume's rotation, 0…1 for a full turn */
  async draw(projection: Projection, turn: number, onTimes: NonNullable<Commands['onTimes']>): Promise<void> {
    const commands = this.#gpu.commands('frame', onTimes);
    this.#record(commands, this.#display, projection, turn);
    await commands.submit();
  }

  /** @throws StriaError `internal` if skipping changes the picture, or if the picture is empty */
  async check(projection: Projection): Promise<void> {
    for (const turn of checked) {
      const pixels = await this.#pixels(this.#display, projection, turn);
      const expected = await this.#pixels(this.#unskipped, projection, turn);
      let [shown, others] = [0, 0];
      for (let at = 0; at < pixels.length; at += 4) {
        if ((expected[at] as number) > 16) shown++;
        if (Math.abs((pixels[at] as number) - (expected[at] as number)) > sameWithin) others++;
      }
      const count = this.#target.width * this.#target.height;
      if (shown < 0.05 * count) throw new StriaError('internal', `${projection}, turned by ${turn}: the picture is empty`);
      if (others > (mostOthers * count) / 1000) {
        throw new StriaError('internal', `${projection}, turned by ${turn}: ${others} pixels change when empty space is skipped`);
      }
    }
  }

  /** The pixels of a frame. Rows are padded to multiples of 256 bytes. */
  pixels(projection: Projection, turn: number): Promise<Uint8Array> {
    return this.#pixels(this.#display, projection, turn);
  }

  async #pixels(display: DisplayTexture, projection: Projection, turn: number): Promise<Uint8Array> {
    const { width, height } = this.#target;
    const commands = this.#gpu.commands('check');
    this.#record(commands, display, projection, turn);
    const layout = { buffer: this.#readback, bytesPerRow: this.#pitch, rowsPerImage: height };
    await commands.record((encoder) => encoder.copyTextureToBuffer({ texture: this.#target }, layout, [width, height])).submit();
    return this.#gpu.read(this.#readback);
  }

  #record(commands: Commands, display: DisplayTexture, projection: Projection, turn: number): void {
    const [low, high] = this.#window;
    const look: RayLook = {
      projection,
      window: this.#window,
      level: low + 0.35 * (high - low),
      attenuation: 8,
      lighting: true,
      outside: ['clamp', 'clamp'],
      clip: [
        [0, 1],
        [0, 1],
        [0, 1],
      ],
    };
    const parameters = rayParameters(display, look, { isCategorical: false, isFloorOpaque: false }, texelsPerStep);
    const view = turned(2 * Math.PI * turn, this.#target.width / this.#target.height);
    const strip = wholeOf(this.#target);
    this.#gpu.device.queue.writeBuffer(this.#frame, 0, rayFrame(display, view, parameters, strip));
    const inputs = { projection, display, frame: this.#frame, transfer: this.#transfer };
    this.#pass.record(commands.stage('draw'), inputs, this.#target, strip);
  }
}

/** A single brick that covers the volume and all values, so that nothing is skipped. */
function oneBrick(gpu: Gpu, scope: GpuScope, { dims, bricks }: DisplayTexture): DisplayTexture['bricks'] {
  const texture = scope.texture('one brick', 8, {
    size: [1, 1, 1],
    dimension: '3d',
    format: 'rgba16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  // From 0 to 1 (0x3c00 as a half).
  gpu.device.queue.writeTexture({ texture }, new Uint16Array([0, 0x3c00, 0, 0]), { bytesPerRow: 8 }, [1, 1, 1]);
  return { ...bricks, texture, blocks: texture, size: Math.max(...dims) };
}

/** The app's initial camera: its angle of view, its elevation, and a distance that shows the whole cube. */
const halfHeight = Math.tan((13 * Math.PI) / 180);
const rise = Math.atan2(0.22, Math.hypot(0.42, 1));
const distance = 3.4;

/** The unit cube seen from an angle around its upright (y) axis. */
function turned(angle: number, aspect: number): RayView {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const toEye = [sin * Math.cos(rise), -Math.sin(rise), -cos * Math.cos(rise)] as const;
  const right = [cos, 0, sin] as const;
  const up = [sin * Math.sin(rise), Math.cos(rise), -cos * Math.sin(rise)] as const;
  const eye = toEye.map((part) => 0.5 + distance * part) as [number, number, number];
  const across = right.map((part) => part * aspect * halfHeight);
  // Voxel rows go down on the screen.
  const above = up.map((part) => -part * halfHeight);
  const ahead = eye.map((part, axis) => part - (toEye[axis] as number));
  return {
    toCube: [...across, 0, ...above, 0, 0, 0, 0, 0, ...ahead, 1],
    eye: [...eye, 1],
    edges: [1, 1, 1],
  };
}
