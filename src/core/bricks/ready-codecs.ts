import type { ChunkGeometry } from '../codec/codec.ts';
import type { DecodePlanner, StoredChunk } from '../gpu-chunks/decode-planner.ts';

/**
 * The codecs that have been compiled, with the kernels that their first chunk needs. They compile beside the thread's work. Chunks of
 * other forms may need further kernels, which are compiled when such a chunk is decoded.
 */
export class ReadyCodecs {
  readonly #planner: Pick<DecodePlanner, 'prepare'>;
  /** By the names of a chunk's codecs: whether they are ready. */
  readonly #states = new Map<string, boolean>();

  constructor(planner: Pick<DecodePlanner, 'prepare'>) {
    this.#planner = planner;
  }

  /**
   * Whether a chunk can be decoded without compiling first. If not, its codecs are compiled.
   * @param onReady called once they are, if this call is the first that needs them
   */
  has(stored: StoredChunk, { shape, elementBytes }: ChunkGeometry, onReady: () => void): boolean {
    if (stored.kind === 'ramp') return true;
    const { codec, second, parameters } = stored;
    const name = second ? `${codec.name}+${second.codec.name}` : codec.name;
    const state = this.#states.get(name);
    if (state !== undefined) return state;
    this.#states.set(name, false);
    void this.#planner.prepare({ codec, second }, [{ shape, parameters }], elementBytes, false).then(() => {
      this.#states.set(name, true);
      onReady();
    });
    return false;
  }
}
