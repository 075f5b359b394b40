import type { CodecDefinition } from '../codecs/codec.ts';
import { codecs } from '../codecs/registry.ts';
import type { ChunkStage, EncodedChunk } from '../format/chunk.ts';

/** How many chunks took one way. */
export interface ChunkShare {
  /** A codec's name, `constant`, or `codec 9` for one that is not known here. */
  readonly codec: string;
  /** The axis of its runs, where the codec has one. */
  readonly axis?: 'x' | 'y' | 'z';
  readonly count: number;
  /** Encoded, in bytes, without what the container adds. */
  readonly bytes: number;
}

/** Counts chunks by what they became. */
export class ChunkTally {
  readonly #shares = new Map<string, { codec: string; axis?: 'x' | 'y' | 'z'; count: number; bytes: number }>();

  addChunk(chunk: EncodedChunk): void {
    if (chunk.kind === 'constant') this.add(undefined, 0);
    else this.add(chunk.stages, chunk.payload.byteLength);
  }

  /** @param stages undefined for a constant chunk */
  add(stages: readonly ChunkStage[] | undefined, bytes: number): void {
    const codec = stages ? stages.map(({ codecId }) => codecOf(codecId)?.name ?? `codec ${codecId}`).join(' + ') : 'constant';
    const axis = stages?.map(axisOf).find((one) => one !== undefined);
    const key = `${codec} ${axis ?? ''}`;
    const share = this.#shares.get(key) ?? { codec, ...(axis && { axis }), count: 0, bytes: 0 };
    share.count++;
    share.bytes += bytes;
    this.#shares.set(key, share);
  }

  /** Most used first; on a tie by name. */
  shares(): ChunkShare[] {
    const order = (a: ChunkShare, b: ChunkShare) =>
      b.count - a.count || `${a.codec} ${a.axis}`.localeCompare(`${b.codec} ${b.axis}`);
    return [...this.#shares.values()].map((share) => ({ ...share })).sort(order);
  }
}

function codecOf(id: number): CodecDefinition | undefined {
  return codecs.find((codec) => codec.id === id);
}

function axisOf({ codecId, parameters }: ChunkStage): 'x' | 'y' | 'z' | undefined {
  return codecOf(codecId)?.axisOf?.(parameters);
}
