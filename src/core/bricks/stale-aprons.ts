import type { Dims3 } from '../shared/volume.ts';
import type { BrickKey } from './brick.ts';
import type { BrickAtlas } from './brick-atlas.ts';
import { type BrickSource, brickBeside } from './brick-source.ts';

/** Bricks in the texture whose aprons lack voxels of neighbours that have arrived since: see `BrickTexture`. */
export class StaleAprons {
  readonly #source: BrickSource;
  readonly #atlas: BrickAtlas;
  readonly #stale = new Set<BrickKey>();
  readonly #around: readonly Dims3[];

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
