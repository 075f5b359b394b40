import type { BrickKey } from './brick.ts';
import type { BrickSource } from './brick-source.ts';
import { coarserBricks } from './finer-bricks.ts';

/** As many as a long flight passes. */
const mostKnown = 2 ** 18;

/** Finds the coarser bricks around bricks. Those of each brick are computed once. */
export class CoarserBricks {
  readonly #levels: BrickSource['levels'];
  /** The next coarser brick of each brick; undefined for bricks of the coarsest level. */
  readonly #known = new Map<BrickKey, BrickKey | undefined>();

  constructor({ levels }: Pick<BrickSource, 'levels'>) {
    this.#levels = levels;
  }

  /** The bricks of all coarser levels around some, each once. */
  around(keys: Iterable<BrickKey>): ReadonlySet<BrickKey> {
    const found = new Set<BrickKey>();
    for (const key of keys) {
      let coarser = this.#next(key);
      for (; coarser !== undefined && !found.has(coarser); coarser = this.#next(coarser)) found.add(coarser);
    }
    return found;
  }

  #next(key: BrickKey): BrickKey | undefined {
    if (this.#known.has(key)) return this.#known.get(key);
    if (this.#known.size >= mostKnown) this.#known.clear();
    const [next] = coarserBricks(this.#levels, key);
    this.#known.set(key, next);
    return next;
  }
}
