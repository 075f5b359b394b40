import { brickOf } from '../../../core/bricks/brick.ts';
import type { BrickFeedback } from '../../../core/bricks/brick-feedback.ts';
import { BrickRays } from '../../../core/bricks/brick-rays.ts';
import { BrickView, type ViewedFrame } from '../../../core/bricks/brick-view.ts';
import { detailOf, type PagedChannel, type PagedLook } from '../../../core/bricks/paged-uniform.ts';
import { Stall } from '../../../core/bricks/stall.ts';
import { type Projection, type RayView, type Strip, wholeOf } from '../../../core/draw/ray-pass.ts';
import type { StackVariant } from '../../../core/draw/ray-stack.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { Dims3 } from '../../../core/shared/volume.ts';
import type { BrickSpace } from './brick-space.ts';
import { ProbeTarget, stuckMs } from './probe-target.ts';

/** What a frame of rays through bricks shows. */
export interface DrawnBricks {
  /** The channels that are drawn, the lowest first. */
  readonly channels: readonly [PagedChannel, ...PagedChannel[]];
  readonly view: RayView;
  /** The width in pixels of the picture at rest, for which bricks are chosen. */
  readonly restWidth: number;
  readonly projection: Projection;
  /** `stackVariant` of what `record` records; undefined if it calls `BrickRays.record`. */
  readonly variant: StackVariant | undefined;
  /** Records the rays of a strip with `BrickRays.record` or `recordStack`. */
  record(rays: BrickRays, commands: Commands, target: GPUTexture, strip: Strip): void;
}

/** Once some bricks have arrived, the coarse volume replaces them for at most this many milliseconds. */
const mostWaitMs = 1500;

/**
 * Draws the bricks of a `BrickSpace`, and requests those that a frame lacks. Until enough bricks of all channels are loaded, `isReady`
 * is false, and frames only request bricks (`probe`).
 */
export class BrickDrawing {
  readonly space: BrickSpace;
  readonly #gpu: Gpu;
  readonly #name: string;
  readonly #rays: BrickRays;
  readonly #probe: ProbeTarget;
  #demand: BrickView;
  /** The time points that are drawn, one for each channel. */
  #timePoints: readonly number[] = [];
  /** A key of the channels and the camera of the last frame. */
  #seen = '';
  #isReady = false;
  /** When all needed bricks of the coarsest level were loaded. */
  #coarseSince: number | undefined;
  /** The time points of the frame that has begun: all of its strips share one feedback. */
  #begun: string | undefined;
  /** The kernel that a frame waits for. */
  #compiling: Promise<void> | undefined;
  #isDestroyed = false;
  /** The number of pictures that wait for their bricks. */
  #loads = 0;

  /** @param name distinguishes the requests of several drawings */
  constructor(gpu: Gpu, space: BrickSpace, name: string) {
    this.#gpu = gpu;
    this.space = space;
    this.#name = name;
    this.#probe = new ProbeTarget(gpu);
    this.#rays = new BrickRays(gpu, space.bricks);
    this.#demand = new BrickView(space.bricks, name);
  }

  /** How many times larger than a pixel the voxels are chosen, because finer bricks do not fit into memory. 1 also where the finest voxels are larger. */
  get voxelPixels(): number {
    return this.#demand.bias;
  }

  /**
   * Whether the kernel of a frame is still being compiled. That can take seconds, so it is done beside frames of the coarse volume, which
   * would stop if it were compiled when it is needed.
   */
  isCompiling({ projection, variant, channels }: DrawnBricks): boolean {
    const compiling = this.#rays.compile(projection, this.#looksOf(channels), variant);
    if (compiling && compiling !== this.#compiling) {
      void this.space.reads(compiling, () => {
        if (!this.#isDestroyed) this.space.changed();
      });
    }
    this.#compiling = compiling;
    return compiling !== undefined;
  }

  /** Whether the kernel of a frame has been compiled, and enough bricks are loaded. Compiles and requests nothing. */
  canDraw({ projection, variant, channels }: DrawnBricks): boolean {
    return this.#rays.has(projection, this.#looksOf(channels), variant) && this.isReady(channels);
  }

  /** Whether enough bricks of the channels are loaded to draw them in place of the coarse volume. */
  isReady(channels: DrawnBricks['channels']): boolean {
    const timePoints = channels.map(({ timePoint }) => timePoint);
    if (timePoints.join() !== this.#timePoints.join()) {
      // If channels were only hidden, the bricks of the others are there.
      const isPart = timePoints.every((timePoint) => this.#timePoints.includes(timePoint));
      this.#timePoints = timePoints;
      // With fewer channels, finer bricks may fit.
      this.#demand = new BrickView(this.space.bricks, this.#name);
      if (!isPart) {
        this.#isReady = false;
        this.#coarseSince = undefined;
        this.#demand.begin(timePoints);
      }
    }
    const since = this.#coarseSince;
    this.#isReady ||= since !== undefined && (this.#demand.isComplete || performance.now() - since > mostWaitMs);
    return this.#isReady;
  }

  /** Decodes bricks that have arrived for the next frame. */
  decode(): void {
    // While a picture waits, do not redraw the canvas, whose frames would request other bricks.
    if (this.#loads > 0) this.space.bricks.update();
    else this.space.decode();
  }

  /** Records a strip. Feedback is read back after the last strip of a frame, once `submit` of the commands has resolved. */
  record(commands: Commands, frame: DrawnBricks, target: GPUTexture, strip: Strip): (submitted: Promise<unknown>) => void {
    const { channels, view, restWidth } = frame;
    const shown = channels.map(({ timePoint }) => timePoint).join();
    // Channels may be shown or hidden between two strips. The rest of that frame, which is never shown, begins anew.
    if (strip.from === 0 || shown !== this.#begun) {
      this.#begun = shown;
      const seen = JSON.stringify([channels, view, restWidth]);
      if (seen !== this.#seen) this.#demand.moved();
      this.#seen = seen;
      const detail = detailOf(view, { width: restWidth }) * this.#demand.bias;
      this.#rays.begin(commands, this.#looksOf(channels), { edges: view.edges as Dims3, detail });
    }
    frame.record(this.#rays, commands, target, strip);
    if (strip.from + strip.count < strip.height) return () => {};
    this.#begun = undefined;
    const feedback = this.#rays.end(commands);
    const { frame: drawn } = this.#demand;
    return (submitted) => void this.space.reads(submitted, () => this.#take(feedback(), channels, drawn));
  }

  #looksOf(channels: DrawnBricks['channels']): readonly PagedLook[] {
    const { numbers } = this.space;
    return channels.map((channel) => ({ ...channel, numbers }));
  }

  /** Finds out which bricks a frame needs, without showing anything. Resolves once they are requested. */
  async probe(frame: DrawnBricks, { width, height }: Pick<Strip, 'width' | 'height'>): Promise<void> {
    const target = this.#probe.sized(width, height);
    const commands = this.#gpu.commands('bricks.probe');
    this.#begun = undefined;
    this.decode();
    const took = this.record(commands, frame, target, wholeOf(target));
    const submitted = commands.submit();
    took(submitted);
    await submitted.catch(() => {});
  }

  /**
   * Loads the bricks of a frame, for pictures. Resolves once all readable ones are loaded.
   * @throws StriaError `aborted`
   */
  async load(frame: DrawnBricks, strip: Strip, signal: AbortSignal | undefined): Promise<void> {
    const { decoded } = this.space.bricks.use;
    this.#loads++;
    try {
      await this.#load(frame, strip, signal);
    } finally {
      this.#loads--;
      if (this.space.bricks.use.decoded !== decoded) this.space.changed();
    }
    // Without the coarsest bricks, the picture shows the coarse volume.
    if (this.#coarseSince !== undefined) this.#isReady = true;
  }

  async #load(frame: DrawnBricks, strip: Strip, signal: AbortSignal | undefined): Promise<void> {
    const { bricks } = this.space;
    const stall = new Stall(stuckMs);
    while (!this.#isDestroyed && !this.space.isClosed && !this.#gpu.isLost) {
      throwIfAborted(signal);
      this.isReady(frame.channels);
      if (!this.isCompiling(frame)) await this.probe(frame, strip);
      // Meanwhile the bricks may have become fit for filtering, which takes another kernel.
      const isCompiling = this.isCompiling(frame);
      if (!isCompiling && this.#demand.isComplete && bricks.isSettled) return;
      // Choosing other levels is progress, too.
      if (stall.isOver(bricks.use.decoded + this.#demand.bias, isCompiling || bricks.atlas.isCompiling)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
      bricks.update();
    }
  }

  destroy(): void {
    this.#isDestroyed = true;
    if (!this.space.isClosed) this.space.bricks.want([], this.#name);
    this.#rays.destroy();
    this.#probe.destroy();
  }

  #take(feedback: BrickFeedback, channels: DrawnBricks['channels'], drawn: ViewedFrame): void {
    // The requests of a destroyed drawing would never be withdrawn.
    const timePoints = channels.map(({ timePoint }) => timePoint);
    if (this.#isDestroyed || timePoints.join() !== this.#timePoints.join()) return;
    const { bricks } = this.space;
    const [bias, wasReady] = [this.#demand.bias, this.#isReady];
    this.#demand.take(feedback, timePoints, drawn);
    this.space.unread = this.#demand.fault;
    const coarsest = bricks.source.levels.length - 1;
    if (!feedback.missed.some((key) => brickOf(key).level === coarsest)) this.#coarseSince ??= performance.now();
    const hasArrived = feedback.missed.some((key) => bricks.has(key));
    const hasChanged = hasArrived || this.#demand.bias !== bias || (!wasReady && this.isReady(channels));
    if (hasChanged || this.#demand.mayRefine) this.space.changed();
    this.space.update();
  }
}
