import type { StriaError } from '../shared/errors.ts';
import { type BrickKey, brickKey } from './brick.ts';
import type { BrickFeedback } from './brick-feedback.ts';
import { mostFinerBricks } from './finer-bricks.ts';
import type { GpuBricks } from './gpu-bricks.ts';

/** The factor by which bricks become coarser or finer in one step. */
const biasStep = 1.25;
const greatestBias = 64;
/**
 * If a view uses less than this part of the slots that other viewers leave, finer bricks are requested without being counted. They have
 * half as many voxels again along each axis.
 */
const roomForMore = 0.3;

/** What a frame was recorded with. Feedback comes later, when the view may have moved on. */
export interface ViewedFrame {
  readonly bias: number;
  /** How often the view had moved. */
  readonly moves: number;
}

/** Requests the bricks that a 3D view needs according to its rays, and chooses their resolution so that they fit into the atlas. */
export class BrickView {
  readonly #bricks: GpuBricks;
  readonly #name: string;
  readonly #hasTexture: boolean;
  #bias = 1;
  /** `bias` before finer bricks were tried. */
  #coarserBias = 1;
  /** How many bricks were used before finer ones were tried; undefined unless that was the last change of `bias`. */
  #triedFrom: number | undefined;
  /** Finer bricks are tried only if fewer than this are used, because from there they did not fit. */
  #tooMany = Number.POSITIVE_INFINITY;
  /** The most slots into which they did not fit. */
  #tooFew = 0;
  /** How many frames have given feedback since the view moved, up to 2. Undefined until `moved` is called. */
  #stillFrames: number | undefined;
  #moves = 0;
  /** Whether the next feedback is that of a trial: a frame with finer bricks where they are loaded, to learn which others it misses. */
  #isTrial = false;
  #mayRefine = false;
  #missed: readonly BrickKey[] = [];
  #isComplete = false;
  #fault: StriaError | undefined;

  /**
   * @param name distinguishes the requests of several viewers
   * @param hasTexture whether a texture is drawn where bricks are missing, so that the coarsest ones are not always needed
   */
  constructor(bricks: GpuBricks, name = 'space', hasTexture = false) {
    this.#bricks = bricks;
    this.#name = name;
    this.#hasTexture = hasTexture;
  }

  /** A factor for `RayDetail.detail`: over 1 if the bricks of a whole view do not fit. */
  get bias(): number {
    return this.#bias;
  }

  /** Whether the last frame missed nothing that could still arrive. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether another frame of the same view is needed to find out whether finer bricks fit. */
  get mayRefine(): boolean {
    return this.#mayRefine;
  }

  /** Why the coarsest of the bricks that the last frame missed and that cannot be read failed. Undefined if there is none. */
  get fault(): StriaError | undefined {
    return this.#fault;
  }

  /** Requests the coarsest level before anything is drawn. @param timePoints those that are drawn: one, or one for each channel */
  begin(timePoints: readonly number[]): void {
    this.#bricks.want(this.#coarsest(timePoints), this.#name);
  }

  /** The view has changed, so finer bricks may fit again. */
  moved(): void {
    this.#tooMany = Number.POSITIVE_INFINITY;
    this.#tooFew = 0;
    this.#triedFrom = undefined;
    this.#stillFrames = 0;
    this.#moves++;
    if (this.#isTrial) this.#bias = this.#coarserBias;
    this.#isTrial = false;
  }

  /** What a frame that is recorded now shows. */
  get frame(): ViewedFrame {
    return { bias: this.#bias, moves: this.#moves };
  }

  /** Updates the requested bricks from the feedback of a frame. @param of `frame` when it was recorded */
  take({ missed, hasMore, used, beside }: BrickFeedback, timePoints: readonly number[], of = this.frame): void {
    // Another frame is in flight, whose feedback says whether this resolution fits.
    const isOld = of.bias !== this.#bias;
    // If not all misses could be recorded, those of the last frame still count; otherwise they would be cancelled.
    const wished = hasMore ? [...missed, ...this.#missed.filter((key) => !this.#bricks.has(key))] : missed;
    this.#fault = undefined;
    const found = new Set<BrickKey>();
    for (const key of wished) {
      const fault = this.#bricks.faultOf(key);
      this.#fault ??= fault;
      if (!fault) found.add(key);
    }
    this.#missed = [...found];
    if (this.#stillFrames !== undefined && of.moves === this.#moves) this.#stillFrames = Math.min(2, this.#stillFrames + 1);
    const wasTrial = this.#isTrial && !isOld;
    // If nothing is missed, the finer bricks are all there, and stay.
    if (!isOld) this.#isTrial = false;
    if (wasTrial && this.#missed.length > 0 && (hasMore || !this.#fit(used, timePoints))) {
      this.#refuse(used.length);
      return;
    }
    // These have the lowest priority: without them samples at faces are only a little coarser.
    const besides = beside.filter((key) => !this.#bricks.faultOf(key));
    const wanted = [...this.#coarsest(timePoints), ...used, ...this.#missed, ...besides];
    const leftOut = Math.max(0, this.#bricks.want(wanted, this.#name) - besides.length);
    if (isOld) {
      [this.#isComplete, this.#mayRefine] = [false, false];
      return;
    }
    const before = this.#bias;
    const room = this.#bricks.slotsFor(this.#name);
    if (room > this.#tooFew) this.#tooMany = Number.POSITIVE_INFINITY;
    const mayTry = this.#missed.length === 0 && this.#bias > 1 && used.length < Math.min(this.#tooMany, room);
    if (leftOut > 0) {
      this.#bias = Math.min(greatestBias, this.#bias * biasStep);
      if (this.#triedFrom !== undefined) [this.#tooMany, this.#tooFew] = [this.#triedFrom, room];
      this.#triedFrom = undefined;
    } else if (mayTry && used.length < roomForMore * room) this.#try(used.length, false);
    else if (mayTry && this.#stillFrames === 2) this.#try(used.length, true);
    this.#mayRefine = mayTry && this.#bias === before && this.#stillFrames !== undefined;
    this.#isComplete = this.#missed.length === 0 && this.#bias === before && !this.#mayRefine && !this.#bricks.isAwaited(besides);
  }

  #try(used: number, isTrial: boolean): void {
    this.#coarserBias = this.#bias;
    this.#bias = Math.max(1, this.#bias / biasStep);
    this.#triedFrom = used;
    this.#isTrial = isTrial;
  }

  /** Draws coarser bricks again, which are all there, because the finer ones would not fit. */
  #refuse(used: number): void {
    this.#missed = [];
    this.#bias = this.#coarserBias;
    [this.#tooMany, this.#tooFew] = [this.#triedFrom ?? used, this.#bricks.slotsFor(this.#name)];
    this.#triedFrom = undefined;
    this.#isComplete = false;
  }

  /** Whether all bricks that the missed ones lead to fit beside those that are drawn, so that none is replaced before they have arrived. */
  #fit(used: readonly BrickKey[], timePoints: readonly number[]): boolean {
    const drawn = new Set([...this.#coarsest(timePoints), ...used]);
    return drawn.size + mostFinerBricks(this.#bricks.source, drawn, this.#missed) <= this.#bricks.slotsFor(this.#name);
  }

  /** The bricks of the coarsest level, which stay requested unless they would take more than a quarter of the slots. */
  #coarsest(timePoints: readonly number[]): readonly BrickKey[] {
    const level = this.#bricks.source.levels.length - 1;
    const count = this.#bricks.source.levels[level]?.grid.chunksPerTimePoint ?? 0;
    if (this.#hasTexture || count * timePoints.length > this.#bricks.atlas.slotCount / 4) return [];
    return timePoints.flatMap((timePoint) =>
      Array.from({ length: count }, (_, at) => brickKey({ level, number: timePoint * count + at })),
    );
  }
}
