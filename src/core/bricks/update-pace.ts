import type { CommandTimes } from '../gpu/commands.ts';

/** The number of bricks in the first update, before it is known how long an update takes. */
const firstBricks = 8;
/** Fewer bricks take about as long: few invocations decode a brick of a slow codec, so the GPU decodes several at the same time. */
export const leastBricks = 64;
/** About how long the thread may take for an update, in milliseconds, and the number of bricks that it may always choose. */
const [threadMs, leastOnThread] = [3, 16];
/** A brick's time on the thread is that of the fastest of this many updates: compiling kernels or collecting garbage slows the others. */
const remembered = 5;

/** Chooses how many bricks an update decodes, by the times of earlier updates on the GPU and on the thread that submits them. */
export class UpdatePace {
  readonly #mostBricks: number;
  readonly #targetMs: number;
  #onGpu = firstBricks;
  /** Milliseconds that the thread took for each brick in the last updates. */
  #recent: readonly number[] = [];

  /** @param mostBricks the maximum number of bricks @param targetMs about how long an update may take on the GPU, in milliseconds */
  constructor(mostBricks: number, targetMs: number) {
    this.#mostBricks = mostBricks;
    this.#targetMs = targetMs;
  }

  /** The number of bricks that the next update may decode. */
  get bricks(): number {
    const onThread = this.#recent.length === 0 ? this.#onGpu : Math.floor(threadMs / Math.min(...this.#recent));
    return Math.min(this.#onGpu, Math.max(leastOnThread, onThread));
  }

  /** Records how long an update of `count` bricks took on the GPU. */
  measured(count: number, times: CommandTimes): void {
    const fitting = Math.floor((count * this.#targetMs) / Math.max(msOf(times), 0.01));
    // At most twice as many as this update had, because the time of a small batch says little about a large one.
    const most = Math.min(this.#mostBricks, Math.max(this.#onGpu, 2 * count));
    if (count >= this.bricks || fitting < this.#onGpu) {
      this.#onGpu = Math.min(most, Math.max(leastBricks, fitting));
    }
  }

  /** Records how long the thread took to submit an update of `count` bricks, in milliseconds. */
  submitted(count: number, ms: number): void {
    // Most of the time of a small update does not depend on its bricks.
    if (count >= leastOnThread) this.#recent = [...this.#recent, ms / count].slice(-remembered);
  }
}

/** The GPU time of an update in milliseconds, copies included. If it is unknown, the wall time, which includes waiting for earlier frames. */
function msOf({ stages, wallMs }: CommandTimes): number {
  const last = stages.at(-1);
  return last?.startMs === undefined ? wallMs : last.startMs + (last.gpuMs ?? 0);
}
