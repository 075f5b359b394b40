import type { RayView } from '../draw/ray-pass.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { StriaError } from '../shared/errors.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { type BenchContext, caseOf } from './harness/context.ts';
import { inFlight, runFrames } from './harness/frames.ts';
import type { Timing } from './harness/meter.ts';
import { spreadOf } from './harness/statistics.ts';

/** Frames of a full turn, and the number of turns. A software GPU takes far longer for each. */
const turnsOf = ({ isSoftware }: Gpu) => (isSoftware ? { frameCount: 8, rounds: 1 } : { frameCount: 120, rounds: 4 });
/** Texels between samples, as in the app while the volume is being rotated. */
export const texelsPerStep = 1;
/** Fractions of a turn at which a frame is drawn again without skipping and compared. */
const checked = [0, 0.37];
/** The tolerance in levels of 255, and how many pixels in a thousand may exceed it, because samples differ by rounding errors. */
const sameWithin = 8;
const mostOthers = 1;

export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** Turning volumes, and how to draw them. */
export interface Turning {
  readonly x: string;
  readonly method: string;
  readonly subject: string;
  /** Bytes of the volumes. */
  readonly bytes: number;
  readonly copy: Timing | undefined;
  readonly target: FrameSize;
  check(): Promise<void>;
  /** @param turn 0…1 for a full turn */
  draw(turn: number, onTimes: NonNullable<Commands['onTimes']>): Promise<void>;
}

/** Checks the pictures, then measures full turns, drawn as fast as possible. */
export async function measureTurning(context: BenchContext, turning: Turning): Promise<void> {
  const { gpu, meter } = context;
  const { frameCount, rounds } = turnsOf(gpu);
  const { x, method, subject, bytes, copy, target } = turning;
  context.begin(method);
  await turning.check();
  await meter.raiseClocks();
  const { intervals, times, seconds } = await runFrames(context, frameCount, rounds, (frame, onTimes) =>
    turning.draw(frame / frameCount, onTimes),
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
        subject,
        x,
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

/** A texture of screen size whose pixels can be read. */
export class TurningTarget {
  readonly texture: GPUTexture;
  readonly size: FrameSize;
  readonly #gpu: Gpu;
  readonly #readback: GPUBuffer;
  readonly #pitch: number;

  constructor(gpu: Gpu, scope: GpuScope, size: FrameSize) {
    const { width, height } = size;
    this.#gpu = gpu;
    this.size = size;
    this.texture = scope.texture('target', 4 * width * height, {
      size: [width, height],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
    });
    this.#pitch = Math.ceil((4 * width) / 256) * 256;
    this.#readback = scope.buffer('pixels', this.#pitch * height, GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST);
  }

  /** The pixels of what `record` draws. Rows are padded to multiples of 256 bytes. */
  async pixels(record: (commands: Commands) => void): Promise<Uint8Array> {
    const { width, height } = this.size;
    const commands = this.#gpu.commands('check');
    record(commands);
    const layout = { buffer: this.#readback, bytesPerRow: this.#pitch, rowsPerImage: height };
    await commands.record((encoder) => encoder.copyTextureToBuffer({ texture: this.texture }, layout, [width, height])).submit();
    return this.#gpu.read(this.#readback);
  }

  /** @throws StriaError `internal` if skipping changes the picture, or if the picture is empty */
  async check(what: string, record: (commands: Commands, turn: number, isSkipping: boolean) => void): Promise<void> {
    for (const turn of checked) {
      const pixels = await this.pixels((commands) => record(commands, turn, true));
      const expected = await this.pixels((commands) => record(commands, turn, false));
      let [shown, others] = [0, 0];
      for (let at = 0; at < pixels.length; at += 4) {
        if ((expected[at] as number) > 16) shown++;
        if (Math.abs((pixels[at] as number) - (expected[at] as number)) > sameWithin) others++;
      }
      const count = this.size.width * this.size.height;
      if (shown < 0.05 * count) throw new StriaError('internal', `${what}, turned by ${turn}: the picture is empty`);
      if (others > (mostOthers * count) / 1000) {
        throw new StriaError('internal', `${what}, turned by ${turn}: ${others} pixels change when empty space is skipped`);
      }
    }
  }
}

/** The display without skipping: a single brick that covers the volume and all values, so that nothing is skipped. */
export function oneBrick(gpu: Gpu, scope: GpuScope, { dims, bricks }: DisplayTexture): DisplayTexture['bricks'] {
  const texture = scope.texture('one brick', 8, {
    size: [1, 1, 1],
    dimension: '3d',
    format: 'rgba16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  // The brick's range, from 0 to 1 (0x3c00 as a half).
  gpu.device.queue.writeTexture({ texture }, new Uint16Array([0, 0x3c00, 0, 0]), { bytesPerRow: 8 }, [1, 1, 1]);
  return { ...bricks, texture, blocks: texture, size: Math.max(...dims) };
}

/** The app's initial camera: its angle of view, its elevation, and a distance that shows the whole cube. */
const halfHeight = Math.tan((13 * Math.PI) / 180);
const rise = Math.atan2(0.22, Math.hypot(0.42, 1));
const distance = 3.4;

/** The unit cube turned around its upright (y) axis. @param turn 0…1 for a full turn */
export function turned(turn: number, { width, height }: FrameSize): RayView {
  const angle = 2 * Math.PI * turn;
  const aspect = width / height;
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
