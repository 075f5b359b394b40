/** Allocates ranges of a buffer from the first gap that is large enough (first fit). Adjacent free ranges are merged. */
export class FreeRanges {
  /** Gaps in ascending order, none adjacent to another. */
  readonly #gaps: { start: number; end: number }[];

  constructor(length: number) {
    this.#gaps = length > 0 ? [{ start: 0, end: length }] : [];
  }

  /** Allocates a range of this length. @returns its start; undefined if no gap is large enough */
  take(length: number): number | undefined {
    const at = this.#gaps.findIndex(({ start, end }) => end - start >= length);
    const gap = this.#gaps[at];
    if (!gap) return undefined;
    const { start } = gap;
    gap.start += length;
    if (gap.start === gap.end) this.#gaps.splice(at, 1);
    return start;
  }

  /** Frees a range exactly as it was allocated. */
  give(start: number, length: number): void {
    const end = start + length;
    const found = this.#gaps.findIndex((gap) => gap.start >= end);
    const at = found < 0 ? this.#gaps.length : found;
    const [before, after] = [this.#gaps[at - 1], this.#gaps[at]];
    if (before?.end === start && after?.start === end) {
      before.end = after.end;
      this.#gaps.splice(at, 1);
    } else if (before?.end === start) before.end = end;
    else if (after?.start === end) after.start = start;
    else this.#gaps.splice(at, 0, { start, end });
  }

  get gaps(): readonly { readonly start: number; readonly end: number }[] {
    return this.#gaps;
  }
}
