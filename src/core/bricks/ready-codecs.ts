import type { ChunkGeometry } from '../codec/codec.ts';
import type { DecodePlanner, StoredChunk } from '../gpu-chunks/decode-planner.ts';

/** The codecs that have been compiled, for the forms of chunks that were needed. They compile beside the thread's work. */
export class ReadyCodecs {
  readonly #planner: Pick<DecodePlanner, 'prepare'>;
  /** By codecs, parameters and shape of a chunk, which decide what kernels decode it: whether these are compiled. */
  readonly #states = new Map<string, boolean>();
  #pending = 0;

  constructor(planner: Pick<DecodePlanner, 'prepare'>) {
    this.#planner = planner;
  }

  /** Whether some codecs are being compiled. */
  get isCompiling(): boolean {
    return this.#pending > 0;
  }

  /**
   * Whether a chunk can be decoded without compiling first. If not, its kernels are compiled.
   * @param onReady called once they are, if this call is the first that needs them
   */
  has(stored: StoredChunk, { shape, elementBytes }: ChunkGeometry, onReady: () => void): boolean {
    if (stored.kind === 'ramp') return true;
    const { codec, second, parameters } = stored;
    const form = `${codec.name}+${second?.codec.name ?? ''} ${parameters} ${shape}`;
    const state = this.#states.get(form);
    if (state !== undefined) return state;
    this.#states.set(form, false);
    this.#pending++;
    void this.#planner.prepare({ codec, second }, [{ shape, parameters }], elementBytes, false).then(() => {
      this.#states.set(form, true);
      this.#pending--;
      onReady();
    });
    return false;
  }
}
