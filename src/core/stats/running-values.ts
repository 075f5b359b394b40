/** Statistics of the values that were added. */
export interface ValueStatistics {
  /** Finite values. */
  readonly count: number;
  /** NaN and infinite values, which the other statistics exclude. */
  readonly notFinite: number;
  /** NaN if `count` is 0, like min and max. */
  readonly mean: number;
  /** The sample deviation (divided by n − 1); NaN for fewer than two values. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Values, one by one. Sums are of differences from the first value, so that values far from 0 lose no precision (Chan, Golub and
 * LeVeque, Algorithms for computing the sample variance, 1983: shifted data).
 */
export class RunningValues {
  #count = 0;
  #notFinite = 0;
  #shift = 0;
  #sum = 0;
  #squares = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    if (!Number.isFinite(value)) {
      this.#notFinite++;
      return;
    }
    if (this.#count === 0) this.#shift = value;
    const shifted = value - this.#shift;
    this.#count++;
    this.#sum += shifted;
    this.#squares += shifted * shifted;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  statistics(): ValueStatistics {
    const count = this.#count;
    const isAny = count > 0;
    const variance = (this.#squares - (this.#sum * this.#sum) / count) / (count - 1);
    return {
      count,
      notFinite: this.#notFinite,
      mean: isAny ? this.#shift + this.#sum / count : Number.NaN,
      deviation: count > 1 ? Math.sqrt(Math.max(0, variance)) : Number.NaN,
      min: isAny ? this.#min : Number.NaN,
      max: isAny ? this.#max : Number.NaN,
    };
  }
}
