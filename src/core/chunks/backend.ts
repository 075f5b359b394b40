import type { CodecElementBytes, CodecOptions, GpuVoxels } from '../codec/codec.ts';
import type { CodecChain } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { CommandTimes } from '../gpu/commands.ts';
import type { LentBytes } from '../gpu/lent-bytes.ts';
import type { FilePlace } from '../io/common/volume-reader.ts';
import type { StriaError } from '../shared/errors.ts';
import type { HalvingMethod } from '../shared/halving.ts';
import type { JobOptions } from '../shared/job.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';

/** A box of codec elements in CPU memory: little-endian, x fastest, rows without padding. */
export interface VoxelBox {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly dims: Dims3;
  readonly elementBytes: CodecElementBytes;
}

/** A box in a file, plane after plane, starting at `place.start`. */
export interface FileBox {
  readonly place: FilePlace;
  readonly dims: Dims3;
  readonly elementBytes: CodecElementBytes;
}

/** A box in a file that can also be read on the caller's thread. */
export interface ReadableBox extends FileBox {
  /** Reads the bytes of the box from `at` on into all of `target`, which starts its buffer. @throws StriaError of the volume */
  fill(target: Uint8Array<ArrayBuffer>, at: number): Promise<void>;
}

/** A box whose voxels come to a backend in pieces. */
export interface BoxReceiver {
  readonly dims: Dims3;
  readonly elementBytes: CodecElementBytes;
  /**
   * Takes all bytes of the box, which `fill` writes to each piece that it is given, in order. A piece starts its buffer, and reading it
   * back would be slow. @throws StriaError of the backend; otherwise as `fill`
   */
  fill(fill: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>): Promise<void>;
  /** Like `Backend.encode`, once it is filled. */
  encode(chunks: readonly ChunkBox[], choice: EncodeChoice, job?: BackendJob): Promise<EncodedChunk[]>;
  /** Must be called in the end. */
  release(): void;
}

/** A box in a backend's memory, for voxels that the backend makes. */
export interface HeldBox {
  readonly dims: Dims3;
  readonly elementBytes: CodecElementBytes;
  /** Like `Backend.encode`, once all its voxels are made. */
  encode(chunks: readonly ChunkBox[], choice: EncodeChoice, job?: BackendJob): Promise<EncodedChunk[]>;
  /** Must be called in the end. */
  release(): void;
}

/** Decoded voxels in memory that a backend lends. */
export interface LentVoxels {
  /** All voxels, in order. Each piece must be released, and may be in use while later ones are taken. Call it once. */
  pieces(): Iterable<LentBytes> | AsyncIterable<LentBytes>;
  /** Must be called in the end, when no piece is in use. */
  release(): void;
}

/** Where a chunk lies in its box. */
export interface ChunkBox {
  readonly origin: Dims3;
  readonly shape: Dims3;
}

/** How to encode a chunk: with a given codec or chain, or with the one of the smallest estimated cost. */
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

/** A halving of a volume's voxels; a box's origin is even along each halved axis. docs/FORMAT.md, 'Levels'. */
export interface HalvingWish {
  /** 2 along an axis that is halved, otherwise 1. */
  readonly steps: Dims3;
  readonly method: HalvingMethod;
  /** Of the voxels: a voxel of 8 bytes is two codec elements. */
  readonly type: ElementType;
}

/** Where some planes of a halved box go, over the whole width of another box. */
export interface HalvedPart {
  readonly to: HeldBox;
  /** The first plane, in the halved box and in `to`. */
  readonly from: number;
  readonly plane: number;
  readonly planes: number;
  /** The row of `to` at which they begin. */
  readonly row: number;
}

/** A halving of a box, and of its result. */
export interface BoxHalving extends HalvingWish {
  /** Steps of further halvings, each of the last result. A backend may leave them to the caller. */
  readonly further?: readonly Dims3[];
  /** Where the results of `steps` and of all `further` go. Default: to `onHalved`. Needs `Backend.hold`. */
  readonly into?: readonly (readonly HalvedPart[])[] | undefined;
  /**
   * Receives the results of `steps` and of the first of `further`. If they are lent, which needs `BackendJob.lend`, the caller calls
   * `release` once it no longer needs them.
   */
  onHalved(results: readonly Uint8Array[], release?: () => void): void;
}

/** Encodes and decodes chunks. GPU and CPU give the same bytes. */
export interface Backend {
  readonly device: DeviceReport;
  /** The largest box, in bytes, that the backend wants at once. */
  readonly maxBoxBytes: number;
  /** How many boxes the backend works on at the same time, if it is given so many. Default 1. */
  readonly boxesAtOnce?: number | undefined;
  /**
   * Memory for a box's voxels that `encode` need not copy. The voxels are at its start, and are lost after `encode`. Undefined if
   * all memory is alike to the backend.
   */
  borrowBytes?(byteLength: number): Promise<LentBytes>;
  /** Begins to receive a box. Undefined for a box that `encode` must be given whole. @throws StriaError `out-of-memory`, `device-lost` */
  receive?(box: Omit<VoxelBox, 'bytes'>): Promise<BoxReceiver | undefined>;
  /** Gets ready to decode such chunks, while the caller does something else. Need not be awaited; never throws. */
  prepareDecode?(chunks: readonly EncodedChunk[], boxes: readonly ChunkBox[], box: Omit<VoxelBox, 'bytes'>): Promise<void>;
  /** Gets ready to encode chunks of such shapes, while the caller reads the first of them. Need not be awaited; never throws. */
  prepareEncode?(shapes: readonly Dims3[], elementBytes: CodecElementBytes, choice: EncodeChoice): Promise<void>;
  encode(box: VoxelBox, chunks: readonly ChunkBox[], choice: EncodeChoice, job?: BackendJob): Promise<EncodedChunk[]>;
  /** Like `encode`, but also reads the voxels. Undefined if that is not faster. @throws StriaError `not-readable` */
  encodeFile?(box: ReadableBox, chunks: readonly ChunkBox[], choice: EncodeChoice, job?: BackendJob): Promise<EncodedChunk[]>;
  /**
   * Decodes into `box.bytes` and checks each chunk's checksums. Bytes of the box that belong to no chunk are undefined afterwards.
   * @throws StriaError `corrupt`, in the context of `chunk N`
   */
  decode(chunks: readonly EncodedChunk[], boxes: readonly ChunkBox[], box: VoxelBox, job?: BackendJob): Promise<void>;
  /**
   * Like `decode`, into memory that the backend lends, and compares also the payloads with their checksums
   * (`ContainerReader.readUnchecked`). Undefined if the backend has no such memory.
   */
  decodeLent?(
    chunks: readonly EncodedChunk[],
    boxes: readonly ChunkBox[],
    box: Omit<VoxelBox, 'bytes'>,
    job?: BackendJob,
  ): Promise<LentVoxels>;
  /**
   * Like `decode`, but only to find damage: the voxels stay where they are decoded, and payloads are compared with their checksums, too
   * (`ContainerReader.readUnchecked`). Up to `boxesAtOnce` calls may run at the same time. @param box whose dims the chunks lie in
   */
  check?(
    chunks: readonly EncodedChunk[],
    boxes: readonly ChunkBox[],
    box: Omit<VoxelBox, 'bytes'>,
    job?: BackendJob,
  ): Promise<void>;
  /** Memory for a box that the backend fills by `BoxHalving.into`. @throws StriaError `out-of-memory`, `device-lost` */
  hold?(box: Omit<VoxelBox, 'bytes'>): Promise<HeldBox>;
  /** The largest box, in bytes, that `hold` takes. Default 0. */
  readonly maxHeldBytes?: number | undefined;
  /** Whether `encode` and `encodeFile` heed `halving` of their job, for voxels of this type. */
  halves?(type: ElementType): boolean;
  /**
   * Set if this backend only begins the work, and may open another one that takes over. Early work is `encode`, `encodeFile`, `hold` and
   * `decodeLent`; `decode` waits for the other backend, which a caller may also use from the start.
   */
  successor?(): Promise<Backend>;
  /** Says how many bytes of voxels will be encoded or decoded in all, so that a backend can choose whether to open another one. */
  expect?(byteLength: number): void;
  /** Its threads read payloads, and write voxels, in shared memory (shared/shared-bytes.ts) without copies. */
  readonly sharesMemory?: boolean | undefined;
  destroy(): Promise<void>;
}

/**
 * Reports a stage. `upload` ends when the bytes are handed over; the GPU copies them while the next step is prepared.
 * `readback` begins with the request, so it includes the wait for the kernels. `read` belongs to `encodeFile`. `analyze` is one
 * pass over the voxels: changes, checksum and, for `auto`, the survey.
 */
export type OnSpan = (stage: 'read' | 'upload' | 'analyze' | 'readback', startMs: number, endMs: number, bytes: number) => void;

export interface BackendJob extends JobOptions {
  /**
   * Receives the times of GPU stages as they arrive. Labels: `analyze`, `fill`, `check`, `checksum`, and a codec's stages, prefixed by its
   * name and direction: `rle.encode.write`, `rle.decode.decode`.
   */
  readonly onTimes?: ((times: CommandTimes) => void) | undefined;
  /** Called for each part of the work with its start and end, by `performance.now()`, and the bytes it moved or scanned. */
  readonly onSpan?: OnSpan | undefined;
  /** An encoder may call this with finished chunks, in order. Its result still holds all of them. */
  readonly onChunks?: ((chunks: readonly EncodedChunk[]) => void) | undefined;
  /**
   * If set, an encoder may return payloads that are in its own memory. The caller calls the function that it is given here once
   * it no longer needs them. Otherwise payloads are the caller's.
   */
  readonly lend?: ((release: () => void) => void) | undefined;
  /** If set, a backend that `halves` the type also halves the box, whose voxels it has at hand. */
  readonly halving?: BoxHalving | undefined;
  /** Number of the first given chunk, for messages. Default 0. */
  readonly firstChunk?: number | undefined;
  /** If set, a decoder calls this for each damaged chunk instead of failing at the first. The chunk's voxels are then undefined. */
  readonly onDamage?: ((chunk: number, fault: StriaError) => void) | undefined;
}

/** What the GPU backend also offers: work on voxels that are already in GPU memory. */
export interface ResidentBox {
  readonly voxels: GpuVoxels;
  readonly chunks: readonly ChunkBox[];
}

/** A box of the resident volume, with the numbers of its chunks (in `ChunkGrid`'s order) and their places. */
export interface NumberedBox extends ResidentBox {
  /** As long as `chunks`. */
  readonly chunkNumbers: readonly number[];
}
