import type { BrickKey } from './brick.ts';
import type { BrickTable } from './brick-table.ts';
import type { WantedBricks } from './wanted-bricks.ts';

/** Bricks that are drawn with voxels that the source has replaced, until the new ones have arrived. */
export class OutdatedBricks {
  readonly #table: BrickTable;
  readonly #keys = new Set<BrickKey>();

  constructor(table: BrickTable) {
    this.#table = table;
  }

  has(key: BrickKey): boolean {
    return this.#keys.has(key);
  }

  /** Adds those that are drawn. */
  add(isOutdated: (key: BrickKey) => boolean): void {
    for (const key of this.#table.drawn()) if (isOutdated(key)) this.#keys.add(key);
  }

  /** Forgets a brick that has its new voxels, or is no longer drawn. */
  delete(key: BrickKey): void {
    this.#keys.delete(key);
  }

  /**
   * Removes constant bricks that no viewer wants from the table. Rays ask for them only then: what they draw from the table alone is not
   * among the bricks that they report as used.
   */
  forgetConstants(wanted: Pick<WantedBricks, 'isWished'>): void {
    for (const key of this.#keys) {
      if (!this.#table.isConstant(key) || wanted.isWished(key)) continue;
      this.#table.setSlot(key, undefined);
      this.#keys.delete(key);
    }
  }
}
