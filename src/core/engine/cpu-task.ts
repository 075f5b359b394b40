import type { CodecElementBytes, CodecOptions } from '../codecs/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { FaultData } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';

/** One chunk's work for a CPU thread, as plain data that can be posted. */
export type CpuTask =
  | {
      readonly kind: 'encode';
      readonly voxels: Uint8Array<ArrayBuffer>;
      readonly shape: Dims3;
      readonly elementBytes: CodecElementBytes;
      /** The name of a codec or a chain of codecs, or 'auto'. */
      readonly codec: string;
      readonly options: CodecOptions;
    }
  | { readonly kind: 'decode'; readonly chunk: EncodedChunk; readonly shape: Dims3; readonly elementBytes: CodecElementBytes };

export type CpuTaskResult =
  /** `voxels`: the task's own memory, handed back to be used again; undefined where the chunk's payload lies in it. */
  | { readonly kind: 'encode'; readonly chunk: EncodedChunk; readonly voxels: Uint8Array<ArrayBuffer> | undefined }
  | { readonly kind: 'decode'; readonly voxels: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'fault'; readonly fault: FaultData };

/** Threads that run tasks: worker_threads in Node, Web Workers in a browser. The host makes it. */
export interface TaskPool {
  readonly threads: number;
  /** Resolves with the task's result; a 'fault' result becomes a thrown StriaError. Buffers of the task are transferred. */
  run(task: CpuTask, signal?: AbortSignal): Promise<Exclude<CpuTaskResult, { kind: 'fault' }>>;
  destroy(): Promise<void>;
}
