import { decodeChunk } from '../chunks/decode-chunk.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { throwIfAborted } from '../shared/job.ts';
import { nextTurn } from '../shared/turn.ts';
import type { Dims3 } from '../shared/volume.ts';

/**
 * The flags that GPU decoders raise for payloads that look unsound: see `CodecKernels.prepareDecode`. The reference decodes
 * flagged chunks again and decides, so the verdict on a payload does not depend on the device.
 */
export class FaultFlags {
  readonly #scope: GpuScope;
  #groups: { readonly buffer: GPUBuffer; readonly numbers: readonly number[] }[] = [];

  /** @param scope owns the flags */
  constructor(scope: GpuScope) {
    this.#scope = scope;
  }

  /** One word per chunk, initially 0. */
  buffer(numbers: readonly number[]): GPUBuffer {
    const buffer = this.#scope.storage('faults', 4 * numbers.length);
    this.#groups.push({ buffer, numbers });
    return buffer;
  }

  /** The numbers of the flagged chunks. Frees the flags. */
  async take(gpu: Gpu): Promise<ReadonlySet<number>> {
    if (this.#groups.length === 0) return new Set();
    const commands = gpu.commands('flags');
    const read = this.record(commands);
    const buffers = this.#groups.map(({ buffer }) => buffer);
    this.#groups = [];
    await commands.submit();
    for (const buffer of buffers) this.#scope.free(buffer);
    return read();
  }

  /** Records the read of all flags. @returns the numbers of the flagged chunks, once the commands are done */
  record(commands: Commands): () => ReadonlySet<number> {
    const reads = this.#groups.map(({ buffer, numbers }) => {
      const words = commands.readWords(buffer, 0, 4 * numbers.length);
      return () => numbers.filter((_, at) => words()[at] !== 0);
    });
    return () => new Set(reads.flatMap((flagged) => flagged()));
  }
}

/** Checks a chunk's payload with the reference. @throws StriaError `corrupt`, `aborted` */
export async function judgeChunk(
  chunk: EncodedChunk,
  shape: Dims3,
  elementBytes: CodecElementBytes,
  signal: AbortSignal | undefined,
): Promise<void> {
  await nextTurn();
  throwIfAborted(signal);
  decodeChunk(chunk, { shape, elementBytes });
}
