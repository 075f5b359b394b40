import type { Backend } from '../chunks/backend.ts';
import { scatterChunk, stackedChunks } from '../chunks/boxes.ts';
import { decodeUnchecked } from '../chunks/decode-chunk.ts';
import { chunkBytes } from '../codec/batch.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { Dims3 } from '../shared/volume.ts';

/** More kinds of chunks are rare, and compile when they come. */
const mostSamples = 6;

/** One chunk of each kind that a volume has: encoded by the same codecs, constant, or a ramp. */
export class SampleChunks {
  /** If set, the work is encoding: the arguments of `Backend.prepareEncode`. */
  prepare: Parameters<NonNullable<Backend['prepareEncode']>> | undefined;
  readonly #samples = new Map<string, { readonly chunk: EncodedChunk; readonly shape: Dims3 }>();
  #elementBytes: CodecElementBytes = 1;

  /** Copies the chunk if it is of a new kind. */
  add(chunk: EncodedChunk, shape: Dims3, elementBytes: CodecElementBytes): void {
    const kind = chunk.kind === 'coded' ? chunk.stages.map(({ codecId }) => codecId).join() : chunk.kind;
    if (this.#samples.has(kind) || this.#samples.size >= mostSamples) return;
    this.#elementBytes = elementBytes;
    this.#samples.set(kind, { chunk: chunk.kind === 'coded' ? { ...chunk, payload: chunk.payload.slice() } : chunk, shape });
  }

  /** Encodes or decodes the samples, and drops the results, so that a GPU compiles what the volume needs. @throws as the backend */
  async warmUp(backend: Backend, signal: AbortSignal): Promise<void> {
    if (backend.device.kind === 'cpu') return;
    const samples = [...this.#samples.values()];
    if (samples.length === 0) {
      // Not awaited: it pauses between guesses until the backend encodes its first box.
      if (this.prepare) void backend.prepareEncode?.(...this.prepare);
      return;
    }
    const elementBytes = this.#elementBytes;
    const { dims, boxes } = stackedChunks(samples.map(({ shape }) => shape));
    const chunks = samples.map(({ chunk }) => chunk);
    if (!this.prepare) {
      (await backend.decodeLent?.(chunks, boxes, { dims, elementBytes }, { signal }))?.release();
      return;
    }
    const box = { bytes: new Uint8Array(chunkBytes({ shape: dims, elementBytes })), dims, elementBytes };
    for (const [at, place] of boxes.entries()) {
      const geometry = { shape: place.shape, elementBytes };
      const voxels = decodeUnchecked(chunks[at] as EncodedChunk, geometry, (byteLength) => new Uint8Array(byteLength));
      scatterChunk(voxels, place, box);
    }
    await backend.encode(box, boxes, this.prepare[2], { signal });
  }
}
