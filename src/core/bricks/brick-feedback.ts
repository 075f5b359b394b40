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
const around = [-1, 0, 1].flatMap((z) =>
  [-1, 0, 1].flatMap((y) =>
    [-1, 0, 1].map((x) => {
      const by: Dims3 = [x, y, z];
      return { by, faces: by.reduce((bits, step, axis) => bits | (step === 0 ? 0 : (step < 0 ? 2 : 16) << axis), 0) };
    }),
  ),
);

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
  /** The bricks around bricks that were used, in the order of `around`. */
  readonly #around = new Map<BrickKey, readonly (BrickKey | undefined)[]>();

  constructor(bricks: Pick<GpuBricks, 'source' | 'table' | 'atlas'>, places: FeedbackPlaces) {
    this.#bricks = bricks;
    this.#places = places;
  }

  /** @param words up to `FeedbackPlaces.asked`; changed */
  read(words: Uint32Array): BrickFeedback {
    const { table, atlas } = this.#bricks;
    const { used: usedAt, mostMisses } = this.#places;
    const count = words[0] as number;
    // Entries of coarse levels are greater.
    const entries = words.subarray(1, 1 + Math.min(count, mostMisses)).sort();
    const missed: BrickKey[] = [];
    for (let at = entries.length - 1; at >= 0; at--) missed.push(table.keyAt(entries[at] as number));
    const used: BrickKey[] = [];
    for (let slot = 0; slot < atlas.slotCount; slot++) {
      const key = words[usedAt + slot] === 0 ? undefined : atlas.keyAt(slot);
      if (key !== undefined) used.push(key);
    }
    const beside = missed.length === 0 ? this.#beside(used, words) : [];
    return { missed, hasMore: count > mostMisses, used, beside };
  }

  /** The bricks beyond faces that samples crossed, of those that were not used. */
  #beside(used: readonly BrickKey[], words: Uint32Array): readonly BrickKey[] {
    const { slots } = this.#bricks.atlas;
    const metOf = (key: BrickKey): number => {
      const slot = slots.peek(key);
      return slot === undefined ? 0 : (words[this.#places.used + slot] as number);
    };
    const found = new Set<BrickKey>();
    for (const key of used) {
      // Beyond 1, the bits of the faces beyond which samples lay.
      const met = metOf(key);
      if (met === 1) continue;
      for (const [at, other] of this.#keysAround(key).entries()) {
        const { faces } = around[at] as (typeof around)[number];
        if (faces !== 0 && (met & faces) === faces && other !== undefined && metOf(other) === 0) found.add(other);
      }
    }
    return [...found];
  }

  #keysAround(key: BrickKey): readonly (BrickKey | undefined)[] {
    const known = this.#around.get(key);
    if (known) return known;
    const keys = around.map(({ by }) => brickBeside(this.#bricks.source, key, by));
    if (this.#around.size >= mostAround) this.#around.clear();
    this.#around.set(key, keys);
    return keys;
  }
}
