import type { Dims3 } from '../shared/volume.ts';
import { checksum } from './checksum.ts';
import type { ConstantChunk } from './chunk.ts';

/** Stand-ins for lost chunks: zeros. A volume has few chunk shapes, so each is made once. */
export class LostChunks {
  readonly #chunks = new Map<string, ConstantChunk>();
  readonly #elementBytes: 1 | 2 | 4;

  /** @param elementBytes width of the volume's codec elements */
  constructor(elementBytes: 1 | 2 | 4) {
    this.#elementBytes = elementBytes;
  }

  ofShape(shape: Dims3): ConstantChunk {
    return { ...this.zeros(shape), isLost: true };
  }

  /** A chunk of zeros that is not marked as lost. */
  zeros(shape: Dims3): ConstantChunk {
    const known = this.#chunks.get(shape.join());
    if (known) return known;
    const [x, y, z] = shape;
    const rowLength = x * this.#elementBytes;
    const decodedChecksum = checksum(new Uint8Array(rowLength * y * z), rowLength);
    const chunk: ConstantChunk = { kind: 'constant', element: new Uint8Array(this.#elementBytes), decodedChecksum };
    this.#chunks.set(shape.join(), chunk);
    return chunk;
  }
}
