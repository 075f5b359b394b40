import type { CodecDefinition } from '../codec/codec.ts';
import { codecs } from '../codecs/registry.ts';
import type { ChunkOutline, ChunkStage, ComputedChunk } from '../format/chunk.ts';

/** How many chunks were stored in one way. */
export interface ChunkShare {
  /** The name of a codec or chain, `constant`, `ramp`, `lost`, or `codec 9` for an unknown codec. */
  readonly codec: string;
  /** The axis of its runs, if the codec has one. */
  readonly axis?: 'x' | 'y' | 'z';
  readonly count: number;
  /** Encoded length in bytes, without the container's overhead. */
  readonly bytes: number;
}

interface Counted {
  /** Ways are numbered in order of first occurrence. */
  readonly way: number;
  readonly share: ChunkShare & { count: number; bytes: number };
}

/** Counts chunks by how they were stored. */
export class ChunkTally {
  readonly #counted = new Map<string, Counted>();

  /** @returns the number of its way, see `ways` */
  addChunk(chunk: ChunkOutline): number {
    if (chunk.kind === 'coded') return this.add(chunk.stages, chunk.payload.byteLength);
    return this.add(chunk.kind === 'constant' && chunk.isLost ? 'lost' : chunk.kind, 0);
  }

  /**
   * @param how the stages, or the kind of a chunk without payload
   * @param bytes of all `count` chunks together
   * @returns the number of its way, see `ways`
   */
  add(how: readonly ChunkStage[] | ComputedChunk['kind'] | 'lost', bytes: number, count = 1): number {
    const stages = typeof how === 'string' ? [] : how;
    const codec =
      typeof how === 'string' ? how : stages.map(({ codecId }) => codecOf(codecId)?.name ?? `codec ${codecId}`).join('+');
    const axis = stages.map(axisOf).find((one) => one !== undefined);
    const key = `${codec} ${axis ?? ''}`;
    const counted = this.#counted.get(key) ?? {
      way: this.#counted.size,
      share: { codec, ...(axis && { axis }), count: 0, bytes: 0 },
    };
    counted.share.count += count;
    counted.share.bytes += bytes;
    this.#counted.set(key, counted);
    return counted.way;
  }

  /** Most used first; ties by name. */
  shares(): ChunkShare[] {
    return this.#sorted().map(({ share }) => ({ ...share }));
  }

  /** The numbers of the ways, in the order of `shares`. */
  ways(): number[] {
    return this.#sorted().map(({ way }) => way);
  }

  #sorted(): Counted[] {
    const order = ({ share: a }: Counted, { share: b }: Counted) =>
      b.count - a.count || `${a.codec} ${a.axis}`.localeCompare(`${b.codec} ${b.axis}`);
    return [...this.#counted.values()].sort(order);
  }
}

function codecOf(id: number): CodecDefinition | undefined {
  return codecs.find((codec) => codec.id === id);
}

function axisOf({ codecId, parameters }: ChunkStage): 'x' | 'y' | 'z' | undefined {
  return codecOf(codecId)?.axisOf?.(parameters);
}
