import { decodeChunk } from '../chunks/decode-chunk.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
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
    const groups = this.#groups;
    this.#groups = [];
    const raised = await Promise.all(
      groups.map(async ({ buffer, numbers }) => {
        const words = await gpu.readWords(buffer, 0, 4 * numbers.length);
        this.#scope.free(buffer);
        return numbers.filter((_, at) => words[at] !== 0);
      }),
    );
    return new Set(raised.flat());
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
