import type { CommandTimes } from '../gpu/commands.ts';

/** The number of bricks in the first update, before it is known how long an update takes. */
const firstBricks = 8;
/** Fewer bricks take about as long: few invocations decode a brick of a slow codec, so the GPU decodes several at the same time. */
export const leastBricks = 64;

/** Chooses how many bricks an update decodes, by the times of earlier updates. */
export class UpdatePace {
  readonly #mostBricks: number;
  readonly #targetMs: number;
  #bricks = firstBricks;

  /** @param mostBricks the maximum number of bricks @param targetMs about how long an update may take on the GPU, in milliseconds */
  constructor(mostBricks: number, targetMs: number) {
    this.#mostBricks = mostBricks;
    this.#targetMs = targetMs;
  }

  /** The number of bricks that the next update may decode. */
  get bricks(): number {
    return this.#bricks;
  }

  /** Records how long an update of `count` bricks took. */
  measured(count: number, times: CommandTimes): void {
    // At most twice as many, because the time of a small batch says little about a large one.
    const fitting = Math.floor((count * this.#targetMs) / Math.max(msOf(times), 0.01));
    const most = Math.min(this.#mostBricks, 2 * this.#bricks);
    if (count === this.#bricks || fitting < this.#bricks) this.#bricks = Math.min(most, Math.max(leastBricks, fitting));
  }
}

/** The GPU time of an update in milliseconds, copies included. If it is unknown, the wall time, which includes waiting for earlier frames. */
function msOf({ stages, wallMs }: CommandTimes): number {
  const last = stages.at(-1);
  return last?.startMs === undefined ? wallMs : last.startMs + (last.gpuMs ?? 0);
}
