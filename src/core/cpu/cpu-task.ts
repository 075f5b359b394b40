import type { ChunkBox, FileBox, HalvingWish, VoxelBox } from '../chunks/backend.ts';
import type { CodecElementBytes, CodecOptions } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { Halving, LevelBlock } from '../left-out/halve-blocks.ts';
import type { FaultData } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';

/** Work for a CPU thread, as data that can be posted: a few chunks, adjacent along x, to encode or to decode; or a brick to be made of chunks. */
export type CpuTask =
  | {
      readonly kind: 'encode';
      /** In a file only if the pool `readsFiles`. */
      readonly box: VoxelBox | FileBox;
      readonly chunks: readonly ChunkBox[];
      /** Number of the first chunk, for messages. */
      readonly firstChunk: number;
      /** The name of a codec or chain, or 'auto'. */
      readonly codec: string;
      readonly options: CodecOptions;
      /** If set, the chunks' voxels are also halved. */
      readonly halving?: TaskHalving | undefined;
    }
  | DecodeTask
  | HalveTask;

export interface TaskHalving extends HalvingWish {
  /** As in `BoxHalving`. */
  readonly further: readonly Dims3[];
  /** For each halving, where its result goes. Undefined: into memory of its own. */
  readonly into?: readonly (readonly PlanesInto[])[] | undefined;
}

/** Some planes of halved chunks, and where they go: a box in memory that the threads share, from `origin` on. */
export interface PlanesInto {
  readonly from: number;
  readonly planes: number;
  readonly box: VoxelBox;
  readonly origin: Dims3;
}

export interface DecodeTask {
  readonly kind: 'decode';
  readonly chunks: readonly EncodedChunk[];
  /** Of each chunk. Their heights and depths are equal. */
  readonly shapes: readonly Dims3[];
  readonly elementBytes: CodecElementBytes;
  /** Compares each payload with its checksum first. */
  readonly checksPayload?: boolean | undefined;
  /** Where the voxels go: a box in memory that the threads share, from `origin` on. Undefined: into memory of their own. */
  readonly into?: { readonly box: VoxelBox; readonly origin: Dims3 } | undefined;
}

/** A brick of a level that the file leaves out, to be made of chunks of the volume. */
export interface HalveTask extends Halving {
  readonly kind: 'halve';
  /** The brick's lengths in codec elements. */
  readonly shape: Dims3;
  /** With their places in the brick, in codec elements. Those that are left out are zeros. */
  readonly blocks: readonly (LevelBlock & { readonly to: ChunkBox })[];
}

export interface DecodeResult {
  readonly kind: 'decode';
  /** The voxels of all chunks together, row by row; undefined if the task says where they go. Those of damaged chunks are undefined. */
  readonly voxels: Uint8Array<ArrayBuffer> | undefined;
  /** The chunks that could not be decoded. */
  readonly faults: readonly { readonly index: number; readonly fault: FaultData }[];
}

export type CpuTaskResult =
  | {
      readonly kind: 'encode';
      readonly chunks: readonly EncodedChunk[];
      /** The box's own memory, returned for reuse. Undefined for a box in a file. */
      readonly voxels: Uint8Array<ArrayBuffer> | undefined;
      /** For each halving, the voxels of all chunks together, if they were asked for and the task does not say where they go. */
      readonly halved?: readonly Uint8Array<ArrayBuffer>[] | undefined;
      /** When the voxels were read, for a box in a file. */
      readonly read: TaskSpan | undefined;
      readonly analyzed: TaskSpan;
    }
  | DecodeResult
  | { readonly kind: 'halve'; readonly chunk: EncodedChunk }
  | { readonly kind: 'fault'; readonly fault: FaultData };

/** In milliseconds since the epoch, the only clock that threads share. */
export interface TaskSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** Threads that run tasks: worker_threads in Node, Web Workers in a browser. The host implements it. */
export interface TaskPool {
  readonly threads: number;
  /** How many tasks a thread takes, running or queued, so that it continues while the caller's thread is busy. */
  readonly tasksAhead: number;
  /**
   * Tasks run on the caller's own thread and memory. Other pools transfer a task's data, which should then be no more than it
   * needs.
   */
  readonly isInline: boolean;
  /** Its threads reach memory of the caller in a `SharedArrayBuffer`. */
  readonly sharesMemory: boolean;
  /** Tasks may have their voxels in a file. */
  readonly readsFiles: boolean;
  /** Starts so many threads, or all if there are fewer, so that they are ready for the first tasks. */
  start?(threads: number): void;
  /**
   * Resolves with the task's result; a 'fault' result is thrown as a StriaError. @param threads no new thread is started if
   * there are this many
   */
  run(task: CpuTask, signal?: AbortSignal, threads?: number): Promise<Exclude<CpuTaskResult, { kind: 'fault' }>>;
  destroy(): Promise<void>;
}
