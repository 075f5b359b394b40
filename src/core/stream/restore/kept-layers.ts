import { ReusedBytes } from '../slabs.ts';

/** Memory for the layers used last. A decoder fills it. */
export class KeptLayers {
  readonly #most: number;
  readonly #isShared: boolean;
  /** Least recently used first. */
  readonly #layers = new Map<number, ReusedBytes>();

  /**
   * @param most the number of layers, from 1
   * @param isShared as for `ReusedBytes`
   */
  constructor(most: number, isShared = false) {
    this.#most = most;
    this.#isShared = isShared;
  }

  /** The bytes of a layer. @param fill decodes it, unless it is kept. If it fails, nothing is kept of the layer */
  async get(
    layer: number,
    byteLength: number,
    fill: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const kept = this.#layers.get(layer);
    this.#layers.delete(layer);
    const memory = kept ?? this.#freeMemory();
    const bytes = memory.take(byteLength);
    if (kept === undefined) await fill(bytes);
    this.#layers.set(layer, memory);
    return bytes;
  }

  #freeMemory(): ReusedBytes {
    const [oldest] = this.#layers;
    if (oldest === undefined || this.#layers.size < this.#most) return new ReusedBytes(this.#isShared);
    this.#layers.delete(oldest[0]);
    return oldest[1];
  }
}
