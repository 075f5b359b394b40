import { BrickRays } from '../bricks/brick-rays.ts';
import type { BrickSource } from '../bricks/brick-source.ts';
import { BrickView } from '../bricks/brick-view.ts';
import { type BrickUpdate, type GpuBrickLimits, GpuBricks } from '../bricks/gpu-bricks.ts';
import { HostBricks } from '../bricks/host-bricks.ts';
import { checkBudgets } from '../bricks/looking-around.ts';
import { detailOf, type PagedLook } from '../bricks/paged-uniform.ts';
import { UpdateTurns } from '../bricks/update-turns.ts';
import { type Projection, type RayView, rayFrame, rayFrameBytes, rayParameters, type Strip, wholeOf } from '../draw/ray-pass.ts';
import type { Commands, CommandTimes } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { nextTurn } from '../shared/turn.ts';
import type { Dims3 } from '../shared/volume.ts';
import { stageMs, updateParts } from './brick-frames.ts';
import type { BrickFrameParts } from './harness/result.ts';
import { grayTransfer, plainLook } from './view.ts';
import { type FrameSize, TurningTarget, texelsPerStep } from './view-turning.ts';

export interface StageLimits {
  readonly hostBytes: number;
  readonly gpu: Pick<GpuBrickLimits, 'payloadBytes' | 'atlasBytes' | 'textureBytes'>;
}

/** The longest wait for the last bricks of a view, in milliseconds. */
const [settleMs, softwareSettleMs] = [3000, 60_000];

/** The sharpness of a frame. */
interface FrameSharpness {
  /** The fraction of the target's resolution along each axis. */
  readonly scale: number;
  /** Voxels of the drawn level between samples. */
  readonly step: number;
  /** See `rayParameters`. */
  readonly isDraft: boolean;
}

const sharp: FrameSharpness = { scale: 1, step: texelsPerStep, isDraft: false };

/** The bricks that were decoded for a frame, and how long the thread took for it before the frame itself. */
interface Decoded {
  readonly updateMs: number;
  /** With the trial of the frame, if it has one. */
  hostMs: number;
  /** Of the stage's own bricks, once the GPU has finished it. */
  update: BrickUpdate | undefined;
}

/** @returns a function that is called when the GPU has drawn the frame, if there is one */
type RecordStack = (
  rays: BrickRays,
  commands: Commands,
  view: RayView,
  target: GPUTexture,
  strip: Strip,
) => (() => void) | undefined;

/** Bricks in all tiers, drawn by rays as in the 3D view. */
export class BrickStage {
  readonly host: HostBricks;
  readonly bricks: GpuBricks;
  /** The maximum number of bytes held after any frame. */
  mostHostBytes = 0;
  mostGpuBytes = 0;
  /** Milliseconds from the stage's creation to the end of the first frame that shows anything. */
  firstPictureMs: number | undefined;
  /** Records the stage `draw`: rays through the bricks and through other volumes, in place of rays through the bricks alone. */
  recordStack: RecordStack | undefined;
  /** The bricks of the other volumes, which are updated in turn with those of the stage. */
  layerBricks: readonly GpuBricks[] = [];
  /** How sharply frames are drawn. */
  sharpness = sharp;
  readonly #gpu: Gpu;
  readonly #limits: StageLimits;
  readonly #window: PagedLook['window'];
  readonly #rays: BrickRays;
  readonly #view: BrickView;
  readonly #target: TurningTarget;
  readonly #transfer: GPUTexture;
  readonly #frame: GPUBuffer;
  readonly #start = performance.now();
  /** When the last frame ended. */
  #lastEnd = performance.now();
  /** Of the updates that the GPU has not finished yet. */
  readonly #updates: Decoded[] = [];
  readonly #turns = new UpdateTurns<GpuBricks>();
  /** What a trial has decoded for the next frame. */
  #tried: Decoded | undefined;
  readonly #bytesBefore: number;

  /** @param scope owns the target */
  constructor(gpu: Gpu, scope: GpuScope, source: BrickSource, window: PagedLook['window'], size: FrameSize, limits: StageLimits) {
    this.#gpu = gpu;
    this.#limits = limits;
    this.#window = window;
    this.#target = new TurningTarget(gpu, scope, size);
    this.#transfer = grayTransfer(gpu, scope);
    this.#frame = scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM);
    this.#bytesBefore = gpu.memory.liveBytes();
    this.host = new HostBricks(source, { bytes: limits.hostBytes });
    this.bricks = new GpuBricks(gpu, this.host, limits.gpu);
    this.bricks.onUpdated = (update) => {
      const decoded = this.#updates.shift();
      if (decoded) decoded.update = update;
    };
    this.#rays = new BrickRays(gpu, this.bricks);
    this.#view = new BrickView(this.bricks);
    this.#view.begin([0]);
  }

  /**
   * Decodes the bricks that have arrived, and submits a frame at once. Resolves when the GPU is done and the next bricks are requested.
   * @returns its parts; `atMs` by the host's clock
   */
  async draw(projection: Projection, view: RayView): Promise<BrickFrameParts> {
    const { scale, step } = this.sharpness;
    const decoded = this.#tried ?? this.#decode();
    this.#tried = undefined;
    const start = performance.now();
    let times: CommandTimes | undefined;
    const commands = this.#gpu.commands('frame', this.#gpu.hasTimestamps ? (found) => (times = found) : undefined);
    const feedback = this.#record(commands, projection, view);
    const { frame } = this.#view;
    const submitted = commands.submit();
    const before = performance.now();
    await submitted;
    const back = performance.now();
    const met = feedback();
    if (met.used.length > 0) this.firstPictureMs ??= performance.now() - this.#start;
    const { bias } = this.#view;
    this.#view.take(met, [0], frame);
    this.#check();
    const now = performance.now();
    const ms = now - this.#lastEnd;
    this.#lastEnd = now;
    return {
      ms,
      atMs: now,
      hostMs: decoded.hostMs + before - start + now - back,
      updateMs: decoded.updateMs,
      feedbackMs: now - back,
      waitMs: back - before,
      drawMs: times && stageMs(times, 'draw'),
      ...updateParts(decoded.update),
      missed: met.missed.length,
      bias,
      scale,
      step,
      used: met.used.length,
    };
  }

  /** Draws the next frame at another scale, with the same bricks, and does not take the feedback. @returns the GPU's milliseconds for its rays, if known */
  async tried(projection: Projection, view: RayView, scale: number): Promise<number | undefined> {
    const before = this.sharpness;
    const decoded = this.#decode();
    this.#tried = decoded;
    const start = performance.now();
    let times: CommandTimes | undefined;
    const commands = this.#gpu.commands('trial', (found) => (times = found));
    this.sharpness = { ...before, scale };
    this.#record(commands, projection, view);
    this.sharpness = before;
    const submitted = commands.submit();
    decoded.hostMs += performance.now() - start;
    await submitted;
    return times && stageMs(times, 'draw');
  }

  /** Draws until all bricks of a view are decoded, or time is up. @returns milliseconds; undefined if bricks are still missing */
  async settle(
    projection: Projection,
    view: RayView,
    onFrame: (frame: BrickFrameParts) => void = () => {},
  ): Promise<number | undefined> {
    const start = performance.now();
    for (;;) {
      onFrame(await this.draw(projection, view));
      await nextTurn();
      const ms = performance.now() - start;
      if (this.#view.isComplete && this.bricks.isSettled) return ms;
      if (ms > (this.#gpu.isSoftware ? softwareSettleMs : settleMs)) return undefined;
    }
  }

  /** The pixels of a frame. Rows are padded to multiples of 256 bytes. */
  pixels(projection: Projection, view: RayView): Promise<Uint8Array> {
    return this.#target.pixels((commands) => this.#record(commands, projection, view));
  }

  get bias(): number {
    return this.#view.bias;
  }

  close(): void {
    this.#rays.destroy();
    this.bricks.close();
    this.host.close();
  }

  #decode(): Decoded {
    const start = performance.now();
    let isOwn = false;
    this.#turns.run([this.bricks, ...this.layerBricks], (bricks) => {
      if (bricks.update() > 0 && bricks === this.bricks) isOwn = true;
    });
    const ms = performance.now() - start;
    const decoded: Decoded = { updateMs: ms, hostMs: ms, update: undefined };
    if (isOwn) this.#updates.push(decoded);
    return decoded;
  }

  #record(commands: Commands, projection: Projection, view: RayView) {
    const { texture, size } = this.#target;
    const { scale, step, isDraft } = this.sharpness;
    const { info } = this.bricks.source;
    const [x, y, z] = info.dims;
    const dims: Dims3 = [x, y, z];
    const [low, high] = this.#window;
    const look = { ...plainLook, window: this.#window, level: low + 0.35 * (high - low) };
    const parameters = rayParameters(
      { dims, low: 0, high: 1 },
      look,
      { isCategorical: false, isFloorOpaque: false },
      step,
      isDraft,
    );
    const strip = wholeOf({ width: Math.round(size.width * scale), height: Math.round(size.height * scale) });
    this.#gpu.device.queue.writeBuffer(this.#frame, 0, rayFrame({ dims, bricks: { size: 64 } }, view, parameters, strip));
    const paged: PagedLook = { timePoint: 0, window: this.#window, isCategorical: false, numbers: [-Infinity, Infinity] };
    this.#rays.begin(commands, [paged], { edges: [1, 1, 1], detail: detailOf(view, size) * this.#view.bias });
    const inputs = { projection, frame: this.#frame, transfer: this.#transfer };
    const drawn = this.recordStack?.(this.#rays, commands, view, texture, strip);
    if (!this.recordStack) this.#rays.record(commands.stage('draw'), inputs, texture, strip);
    const feedback = this.#rays.end(commands);
    return () => {
      drawn?.();
      return feedback();
    };
  }

  #check(): void {
    const { keptBytes, reservedBytes } = this.host.use;
    this.mostHostBytes = Math.max(this.mostHostBytes, keptBytes + reservedBytes);
    this.mostGpuBytes = Math.max(this.mostGpuBytes, this.#gpu.memory.liveBytes() - this.#bytesBefore);
    checkBudgets(this.host, this.bricks, { host: { bytes: this.#limits.hostBytes }, gpu: this.#limits.gpu });
  }
}
