import type { Gpu } from '../gpu/gpu.ts';

/** More frames in flight would only delay what the user sees. */
const mostInFlight = 2;
/** If the GPU takes longer than this for a frame, in milliseconds, the next one waits, because its size depends on that time. */
const lateMs = 20;

/** Decides when a moving frame may begin: while the GPU draws one, the thread prepares the next. */
export class FramesInFlight {
  readonly #mayOverlap: boolean;
  /** When the frames that the GPU has not finished were submitted, in milliseconds. */
  readonly #submitted: number[] = [];
  #lastEnd = 0;

  /**
   * Without timestamps there is one frame at a time, because the clock would count the other one, too. A software GPU draws on the
   * thread's processor.
   */
  constructor({ hasTimestamps, isSoftware }: Pick<Gpu, 'hasTimestamps' | 'isSoftware'>) {
    this.#mayOverlap = hasTimestamps && !isSoftware;
  }

  get count(): number {
    return this.#submitted.length;
  }

  /**
   * Whether a frame may begin now.
   * @param now as all times: by one clock, in milliseconds
   * @param isMeasured `FramePacing.isMeasured`: the size of a second frame at once would be a guess otherwise
   */
  mayBegin(now: number, isMeasured: boolean): boolean {
    const [first] = this.#submitted;
    if (first === undefined) return true;
    return this.#mayOverlap && isMeasured && this.count < mostInFlight && now - Math.max(first, this.#lastEnd) <= lateMs;
  }

  submitted(now: number): void {
    this.#submitted.push(now);
  }

  /** The GPU has finished the frame that was submitted first, or will never finish it. */
  ended(now: number): void {
    this.#submitted.shift();
    this.#lastEnd = now;
  }
}
