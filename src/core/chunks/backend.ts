import type { CodecElementBytes, CodecOptions, GpuVoxels } from '../codec/codec.ts';
import type { CodecChain } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { CommandTimes } from '../gpu/commands.ts';
import type { FilePlace } from '../io/common/volume-reader.ts';
import type { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { Dims3 } from '../shared/volume.ts';

/** A box of codec elements on the CPU: little-endian, x fastest, rows without padding. */
export interface VoxelBox {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly dims: Dims3;
  readonly elementBytes: CodecElementBytes;
}

/** A box as it lies in a file, one plane after the other, from `place.start` on. */
export interface FileBox {
  readonly place: FilePlace;
  readonly dims: Dims3;
  readonly elementBytes: CodecElementBytes;
}

/** Where a chunk lies in its box. */
export interface ChunkBox {
  readonly origin: Dims3;
  readonly shape: Dims3;
}

/** How a chunk is to be encoded: by the one codec or chain of codecs, or by the codec that promises least. */
export interface EncodeChoice {
  readonly codec: CodecChain | 'auto';
  readonly options: CodecOptions;
}

export interface DeviceReport {
  readonly kind: 'gpu' | 'cpu';
  /** `NVIDIA H200`, `CPU, 8 threads`. */
  readonly name: string;
  readonly software: boolean;
}

/** Where chunks are encoded and decoded. GPU and CPU give the same bytes. */
export interface Backend {
  readonly device: DeviceReport;
  /** How many bytes of a box it likes to be given at once, at most. */
  readonly maxBoxBytes: number;
  encode(box: VoxelBox, chunks: readonly ChunkBox[], choice: EncodeChoice, job?: BackendJob): Promise<EncodedChunk[]>;
  /** As `encode`, and reads the voxels, too. Left out where that is not faster. @throws StriaError `not-readable` */
  encodeFile?(box: FileBox, chunks: readonly ChunkBox[], choice: EncodeChoice, job?: BackendJob): Promise<EncodedChunk[]>;
  /** Decodes into `box.bytes`, and checks each chunk's checksums. @throws StriaError `corrupt`, in the context of `chunk N` */
  decode(chunks: readonly EncodedChunk[], boxes: readonly ChunkBox[], box: VoxelBox, job?: BackendJob): Promise<void>;
  destroy(): Promise<void>;
}

/**
 * `upload` ends when the bytes are handed over: the GPU takes them while the next step is prepared. `readback` begins when they are
 * asked for, so it holds the wait for the kernels that make them. `read` is that of `encodeFile`. `analyze` is one pass over the voxels: neighbours that differ, the
 * checksum, and for `auto` the survey.
 */
export type OnSpan = (stage: 'read' | 'upload' | 'analyze' | 'readback', startMs: number, endMs: number, bytes: number) => void;

export interface BackendJob extends JobOptions {
  /**
   * Times of GPU stages as they come in. Labels: `analyze`, `fill`, `check`, and a codec's own behind its name and what
   * it does: `rle.encode.write`, `rle.decode.decode`.
   */
  readonly onTimes?: ((times: CommandTimes) => void) | undefined;
  /** Called with each such part of the work: when it was, by `performance.now()`, and how many bytes it moved or looked at. */
  readonly onSpan?: OnSpan | undefined;
  /** An encoder may call it with chunks as they are done, in order; its result still holds all of them. */
  readonly onChunks?: ((chunks: readonly EncodedChunk[]) => void) | undefined;
  /** Number of the first chunk given, for messages. Default 0. */
  readonly firstChunk?: number | undefined;
  /**
   * Called by a decoder with each damaged chunk's number, instead of failing at the first: its voxels are left as they
   * come.
   */
  readonly onDamage?: ((chunk: number, fault: StriaError) => void) | undefined;
}

/** What the GPU backend can do beside: work on voxels that are in GPU memory already. */
export interface ResidentBox {
  readonly voxels: GpuVoxels;
  readonly chunks: readonly ChunkBox[];
}

/** A box of the resident volume, with the numbers of its chunks (in `ChunkGrid`'s order) beside their places. */
export interface NumberedBox extends ResidentBox {
  /** As long as `chunks`. */
  readonly chunkNumbers: readonly number[];
}
