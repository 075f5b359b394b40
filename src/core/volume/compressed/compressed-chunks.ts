import { codecOfChunk } from '../../chunks/choose.ts';
import { type ChunkShare, ChunkTally } from '../../chunks/chunk-tally.ts';
import { rampOf } from '../../chunks/ramp.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { type ChunkGrid, codecElementBytes } from '../../format/chunk-grid.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import type { StoredChunk } from '../../gpu-chunks/decode-planner.ts';
import { decodesSlowly, transcodeOnGpu } from '../../gpu-chunks/gpu-transcoder.ts';
import { chunkName } from '../../shared/chunk-name.ts';
import { inContext, StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { ElementType } from '../../shared/volume.ts';

/** Payloads are uploaded in pieces of about this size, into buffers of at most this size. */
const pieceBytes = 2 ** 22;
const maxBufferBytes = 2 ** 28;

export interface CompressedChunks {
  /** In the order of their numbers. */
  readonly stored: readonly StoredChunk[];
  /** Total length of all payloads, without the gaps between them. */
  readonly payloadBytes: number;
}

/**
 * Uploads the payloads of a volume's chunks one after another, each at a multiple of 4 bytes.
 * @param chunks all chunks of the grid, in order
 * @param scope owns the buffers
 * @param known chunks that are already in GPU memory, by number
 * @throws StriaError `corrupt`, `unsupported`, in the context of `chunk N`; `internal` if chunks are missing
 */
export function uploadChunks(
  gpu: Gpu,
  scope: GpuScope,
  type: ElementType,
  grid: ChunkGrid,
  chunks: readonly EncodedChunk[],
  known: ReadonlyMap<number, StoredChunk>,
): CompressedChunks {
  if (chunks.length !== grid.count) {
    throw new StriaError('internal', `got ${chunks.length} chunks for a volume of ${grid.count}`);
  }
  const elementBytes = codecElementBytes(type);
  const limit = Math.min(maxBufferBytes, gpu.maxBindingBytes);
  const stored = new Array<StoredChunk>(chunks.length);
  let payloadBytes = 0;
  for (let first = 0; first < chunks.length; ) {
    // One buffer holds as many chunks from `first` on as fit.
    let end = first;
    let bytes = 0;
    for (; end < chunks.length; end++) {
      const padded = known.has(end) ? 0 : paddedBytes(chunks[end] as EncodedChunk);
      if (bytes > 0 && bytes + padded > limit) break;
      bytes += padded;
    }
    const writer = new PieceWriter(gpu, bytes === 0 ? undefined : scope.storage('payloads', bytes));
    for (let number = first; number < end; number++) {
      const ready = known.get(number);
      if (ready) {
        stored[number] = ready;
        if (ready.kind === 'coded') payloadBytes += ready.byteLength;
        continue;
      }
      const chunk = chunks[number] as EncodedChunk;
      const geometry = { shape: grid.box(number).shape, elementBytes };
      try {
        if (chunk.kind !== 'coded') {
          stored[number] = { kind: 'ramp', ramp: rampOf(chunk, geometry) };
          continue;
        }
        const { byteLength } = chunk.payload;
        stored[number] = { kind: 'coded', ...codecOfChunk(chunk, geometry), byteLength, ...writer.add(chunk.payload) };
        payloadBytes += byteLength;
      } catch (error) {
        throw inContext(chunkName(number), error);
      }
    }
    writer.flush();
    first = end;
  }
  return { stored, payloadBytes };
}

/** How the chunks are kept in GPU memory, most used first. */
export function sharesOf(stored: readonly StoredChunk[]): ChunkShare[] {
  const tally = new ChunkTally();
  for (const chunk of stored) {
    if (chunk.kind === 'ramp') {
      tally.add(chunk.ramp.steps.some((step) => step !== 0) ? 'ramp' : 'constant', 0);
      continue;
    }
    const stages = chunk.second ? [chunk, chunk.second] : [chunk];
    tally.add(
      stages.map(({ codec, parameters }) => ({ codecId: codec.id, parameters })),
      chunk.byteLength,
    );
  }
  return tally.shares();
}

/**
 * Transcodes the chunks whose codec decodes too slowly to be drawn from: see `transcodeOnGpu`.
 * @param scope owns the new payloads
 * @returns the transcoded chunks, by number
 */
export async function transcodeSlow(
  gpu: Gpu,
  scope: GpuScope,
  type: ElementType,
  grid: ChunkGrid,
  chunks: readonly EncodedChunk[],
  job: JobOptions,
): Promise<ReadonlyMap<number, StoredChunk>> {
  const slow = chunks.flatMap((chunk, number) =>
    number < grid.count && decodesSlowly(chunk) ? [{ chunk, number, shape: grid.box(number).shape }] : [],
  );
  if (slow.length === 0) return new Map();
  const stored = await transcodeOnGpu(gpu, scope, slow, codecElementBytes(type), job);
  return new Map(slow.map(({ number }, i) => [number, stored[i] as StoredChunk]));
}

function paddedBytes(chunk: EncodedChunk): number {
  return chunk.kind === 'coded' ? Math.ceil(chunk.payload.byteLength / 4) * 4 : 0;
}

/** Gathers payloads into pieces before writing them to a buffer: one write per payload would be slow. */
class PieceWriter {
  readonly #gpu: Gpu;
  readonly #buffer: GPUBuffer | undefined;
  readonly #piece: Uint8Array<ArrayBuffer>;
  /** The piece's offset in the buffer, and its filled length. */
  #start = 0;
  #used = 0;

  constructor(gpu: Gpu, buffer: GPUBuffer | undefined) {
    this.#gpu = gpu;
    this.#buffer = buffer;
    this.#piece = new Uint8Array(Math.min(pieceBytes, buffer?.size ?? 0));
  }

  add(payload: Uint8Array): { readonly buffer: GPUBuffer; readonly byteOffset: number } {
    if (!this.#buffer) throw new StriaError('corrupt', 'it has no payload');
    const byteOffset = this.#start + this.#used;
    for (let from = 0; from < payload.byteLength; ) {
      if (this.#used === this.#piece.byteLength) this.flush();
      const part = payload.subarray(from, from + this.#piece.byteLength - this.#used);
      this.#piece.set(part, this.#used);
      this.#used += part.byteLength;
      from += part.byteLength;
    }
    // Padded to the next word. The piece's length is whole words, so the padding lies within it.
    const padded = Math.ceil(this.#used / 4) * 4;
    this.#piece.fill(0, this.#used, padded);
    this.#used = padded;
    return { buffer: this.#buffer, byteOffset };
  }

  flush(): void {
    if (this.#buffer && this.#used > 0) {
      this.#gpu.device.queue.writeBuffer(this.#buffer, this.#start, this.#piece, 0, this.#used);
    }
    this.#start += this.#used;
    this.#used = 0;
  }
}
