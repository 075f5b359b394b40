import type { Dims3 } from '../shared/volume.ts';
import type { VolumeSource } from '../volume/volume-source.ts';
import { isFloatType } from '../volume/voxel-key.ts';
import type { BrickKey } from './brick.ts';
import type { BrickAtlas } from './brick-atlas.ts';
import { type BrickSource, brickBeside } from './brick-source.ts';

/**
 * Bricks in the texture that must be copied again: their aprons lack voxels of neighbours that have arrived since, or other numbers are
 * missing data now. See `BrickTexture`.
 */
export class StaleAprons {
  readonly #source: BrickSource;
  readonly #atlas: BrickAtlas;
  readonly #stale = new Set<BrickKey>();
  readonly #around: readonly Dims3[];
  /** Whether some bricks were copied when other numbers were missing. */
  #hasOldNumbers = false;

  constructor(source: BrickSource, atlas: BrickAtlas) {
    this.#source = source;
    this.#atlas = atlas;
    this.#around = atlas.filtered.isUsed ? atlas.filtered.around : [];
  }

  get size(): number {
    return this.#stale.size;
  }

  /** Marks the decoded bricks around one that has arrived. */
  addAround(key: BrickKey): void {
    for (const by of this.#around) {
      const beside = brickBeside(this.#source, key, by);
      if (beside !== undefined && this.#atlas.slots.has(beside)) this.#stale.add(beside);
    }
  }

  /**
   * Marks all bricks if other floats are missing than when they were copied.
   * @returns whether all bricks in the texture agree with `numbers`
   */
  follow(numbers: VolumeSource['numbers']): boolean {
    const { filtered, slots } = this.#atlas;
    if (!isFloatType(this.#source.info.type)) return true;
    if (numbers.some((value, at) => value !== filtered.numbers[at])) {
      filtered.numbers = numbers;
      this.#hasOldNumbers = true;
      for (const [key] of slots.oldest()) this.#stale.add(key);
    }
    this.#hasOldNumbers &&= this.#stale.size > 0;
    return !this.#hasOldNumbers;
  }

  /** Forgets a brick that is copied to the texture anyway. */
  delete(key: BrickKey): void {
    this.#stale.delete(key);
  }

  /** Removes and returns bricks that are still decoded, those that have waited longest first. */
  take(most: number): readonly BrickKey[] {
    const taken: BrickKey[] = [];
    for (const key of this.#stale) {
      if (taken.length === most) break;
      this.#stale.delete(key);
      if (this.#atlas.slots.has(key)) taken.push(key);
    }
    return taken;
  }
}
