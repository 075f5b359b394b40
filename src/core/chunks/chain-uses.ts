import { chainName, codecById } from '../codecs/registry.ts';
import type { ChunkStage, EncodedChunk } from '../format/chunk.ts';

/** Which codecs and chains the chunks of a volume use, and from which chunk on. */
export class ChainUses {
  /** The first chunk of each, by name. */
  readonly #first = new Map<string, number>();
  /** Chunks that are encoded alike often share the list of their stages. */
  #last: readonly ChunkStage[] | undefined;

  /** @param chunks the next ones, from `first` */
  add(first: number, chunks: readonly EncodedChunk[]): void {
    for (const [index, chunk] of chunks.entries()) {
      if (chunk.kind !== 'coded' || chunk.stages === this.#last) continue;
      this.#last = chunk.stages;
      const [one, second] = chunk.stages.map(({ codecId }) => codecById(codecId));
      if (!one) continue;
      const name = chainName(second ? [one, second] : [one]);
      if (!this.#first.has(name)) this.#first.set(name, first + index);
    }
  }

  /** Those of the chunks before `end`; undefined if there are none. However many chunks a call adds, the answer is the same. */
  before(end: number): readonly string[] | undefined {
    const names = [...this.#first].filter(([, first]) => first < end).map(([name]) => name);
    return names.length > 0 ? names : undefined;
  }
}
