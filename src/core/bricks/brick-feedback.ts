import type { Dims3 } from '../shared/volume.ts';
import type { BrickKey } from './brick.ts';
import { brickBeside } from './brick-source.ts';
import type { GpuBricks } from './gpu-bricks.ts';
import type { FeedbackPlaces } from './paged-uniform.ts';

/** The maximum number of bricks whose neighbours are remembered. */
const mostAround = 8192;

/**
 * Steps from a brick to the bricks around it, x fastest, and the bits of the faces beyond which they lie: see
 * shaders/brick-draw/paged-rays.wgsl.
 */
const around: readonly Dims3[] = [-1, 0, 1].flatMap((z) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x): Dims3 => [x, y, z])));
const facesAround = around.map((by) => by.reduce((bits, step, axis) => bits | (step === 0 ? 0 : (step < 0 ? 2 : 16) << axis), 0));

/** The bricks that the rays of a frame met. */
export interface BrickFeedback {
  /** Bricks that were needed but not in GPU memory, coarse ones first. */
  readonly missed: readonly BrickKey[];
  /** Whether there were more misses than could be recorded. */
  readonly hasMore: boolean;
  /** Bricks that rays entered or took voxels from. */
  readonly used: readonly BrickKey[];
  /** If nothing was missed: bricks that no ray entered, but whose voxels are needed by samples beside them, loaded or not. */
  readonly beside: readonly BrickKey[];
}

/** Reads the words that shaders/brick-draw/paged-rays.wgsl records for a frame. */
export class FeedbackReader {
  readonly #bricks: Pick<GpuBricks, 'source' | 'table' | 'atlas'>;
  readonly #places: FeedbackPlaces;
  /** The table's entries of the bricks around bricks that were used, in the order of `around`; −1 where there is none. */
  readonly #around = new Map<BrickKey, Int32Array>();
  /** A bit for each entry of the table, zero between calls: whether the brick was used or found. */
  #marks = new Uint32Array(0);

  constructor(bricks: Pick<GpuBricks, 'source' | 'table' | 'atlas'>, places: FeedbackPlaces) {
    this.#bricks = bricks;
    this.#places = places;
  }

  /**
   * @param words up to `FeedbackPlaces.asked`; changed
   * @param fills `BrickAtlas.fills` when the frame was recorded: it did not draw bricks that took slots since then
   */
  read(words: Uint32Array, fills: number): BrickFeedback {
    const { table, atlas } = this.#bricks;
    const { used: usedAt, mostMisses } = this.#places;
    const count = words[0] as number;
    // Entries of coarse levels are greater.
    const entries = words.subarray(1, 1 + Math.min(count, mostMisses)).sort();
    const missed: BrickKey[] = [];
    for (let at = entries.length - 1; at >= 0; at--) missed.push(table.keyAt(entries[at] as number));
    const used: BrickKey[] = [];
    for (let slot = 0; slot < atlas.slotCount; slot++) {
      if (words[usedAt + slot] === 0) continue;
      const key = atlas.isNewerThan(slot, fills) ? undefined : atlas.keyAt(slot);
      if (key === undefined) words[usedAt + slot] = 0;
      else used.push(key);
    }
    const beside = missed.length === 0 ? this.#beside(used, words) : [];
    return { missed, hasMore: count > mostMisses, used, beside };
  }

  /** The bricks beyond faces that samples crossed, of those that were not used. */
  #beside(used: readonly BrickKey[], words: Uint32Array): readonly BrickKey[] {
    const { table, atlas } = this.#bricks;
    if (this.#marks.length === 0) this.#marks = new Uint32Array(Math.ceil(table.count / 32));
    const marks = this.#marks;
    const found: number[] = [];
    for (const key of used) mark(marks, table.indexOf(key));
    // A view may use thousands of bricks, so this neither allocates anything nor looks keys up.
    for (const key of used) {
      // Beyond 1, the bits of the faces beyond which samples lay.
      const met = words[this.#places.used + (atlas.slots.peek(key) as number)] as number;
      if (met === 1) continue;
      const entries = this.#entriesAround(key);
      for (let at = 0; at < facesAround.length; at++) {
        const faces = facesAround[at] as number;
        const entry = entries[at] as number;
        if (faces !== 0 && (met & faces) === faces && entry >= 0 && mark(marks, entry)) found.push(entry);
      }
    }
    for (const key of used) marks[table.indexOf(key) >>> 5] = 0;
    for (const entry of found) marks[entry >>> 5] = 0;
    return found.map((entry) => table.keyAt(entry));
  }

  #entriesAround(key: BrickKey): Int32Array {
    const known = this.#around.get(key);
    if (known) return known;
    const { source, table } = this.#bricks;
    const entries = Int32Array.from(around, (by) => {
      const beside = brickBeside(source, key, by);
      return beside === undefined ? -1 : table.indexOf(beside);
    });
    if (this.#around.size >= mostAround) this.#around.clear();
    this.#around.set(key, entries);
    return entries;
  }
}

/** Sets a bit. @returns whether it was not set */
function mark(marks: Uint32Array, at: number): boolean {
  const word = at >>> 5;
  const bit = 1 << (at & 31);
  const before = marks[word] as number;
  marks[word] = before | bit;
  return (before & bit) === 0;
}
