import type { CodecElementBytes, CodecOptions } from '../codecs/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { FaultData } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { ChunkBox, VoxelBox } from './backend.ts';

/** Work for a CPU thread, as plain data that can be posted: a few chunks side by side to be encoded, or one to be decoded. */
export type CpuTask =
  | {
      readonly kind: 'encode';
      readonly box: VoxelBox;
      readonly chunks: readonly ChunkBox[];
      /** Number of the first of them, for messages. */
      readonly firstChunk: number;
      /** The name of a codec or a chain of codecs, or 'auto'. */
      readonly codec: string;
      readonly options: CodecOptions;
    }
  | { readonly kind: 'decode'; readonly chunk: EncodedChunk; readonly shape: Dims3; readonly elementBytes: CodecElementBytes };

export type CpuTaskResult =
  | {
      readonly kind: 'encode';
      readonly chunks: readonly EncodedChunk[];
      /** The box's own memory, handed back to be used again. */
      readonly voxels: Uint8Array<ArrayBuffer>;
      /** When the chunks were analysed, in milliseconds since the epoch: threads have no other clock in common. */
      readonly analyzed: { readonly startMs: number; readonly endMs: number };
    }
  | { readonly kind: 'decode'; readonly voxels: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'fault'; readonly fault: FaultData };

/** Threads that run tasks: worker_threads in Node, Web Workers in a browser. The host makes it. */
export interface TaskPool {
  readonly threads: number;
  /** Tasks run on the caller's own thread and memory. In other pools what a task holds is transferred, and is best no more than it needs. */
  readonly isInline: boolean;
  /** Resolves with the task's result; a 'fault' result becomes a thrown StriaError. */
  run(task: CpuTask, signal?: AbortSignal): Promise<Exclude<CpuTaskResult, { kind: 'fault' }>>;
  destroy(): Promise<void>;
}
