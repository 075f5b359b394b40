import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';

/**
 * Width of the elements that codecs see. An f64 voxel is two 4-byte elements, side by side along x, so that no codec
 * needs a 64-bit path.
 */
export type CodecElementBytes = 1 | 2 | 4;

/** One chunk's voxels: little-endian, x fastest, then y, z; `shape[0] × shape[1] × shape[2] × elementBytes` bytes, no padding. */
export interface ChunkVoxels {
  readonly bytes: Uint8Array;
  readonly shape: Dims3;
  readonly elementBytes: CodecElementBytes;
}

/** What one pass over a chunk finds out, the same on GPU and CPU. Codecs choose their parameters by it. */
export interface ChunkStatistics {
  /** Number of neighbour pairs along x, y, z whose elements differ. All three 0: the chunk is constant. */
  readonly changes: Dims3;
}

/** What a user may ask of codecs. A codec takes what concerns it and ignores the rest. */
export interface CodecOptions {
  /** The axis along which runs are sought. 'auto': the one with the fewest changes; on a tie the first of x, y, z. */
  readonly axis: 'x' | 'y' | 'z' | 'auto';
}

/** A codec's parameters for one chunk, as they stand in the container. 255 bytes at most; empty for many. */
export type CodecParameters = Uint8Array;

export interface CodecDefinition {
  /** Permanent: it stands in files. 1 is raw, 2 is rle. 0 is kept for constant chunks, which have no codec. */
  readonly id: number;
  /** Lower case; the word of `--codec` and of the app's menu. */
  readonly name: string;
  /** One line for people, with its full stop. */
  readonly summary: string;
  readonly elementBytes: readonly CodecElementBytes[];
  /** The parameters for a chunk, by its statistics and the user's wishes. */
  choose(statistics: ChunkStatistics, chunk: ChunkGeometry, options: CodecOptions): CodecParameters;
  /** The axis that these parameters name, for people; codecs that have none leave it out. */
  axisOf?(parameters: CodecParameters): 'x' | 'y' | 'z' | undefined;
  /** What `encode` is expected to make of it, in bytes: `auto` takes the codec that promises least. */
  estimate(statistics: ChunkStatistics, chunk: ChunkGeometry, parameters: CodecParameters): number;
  /** No encoding of such a chunk is longer, in bytes. */
  encodedBound(chunk: ChunkGeometry): number;
  readonly reference: ReferenceCodec;
  createKernels(gpu: Gpu): CodecKernels;
}

export type ChunkGeometry = Pick<ChunkVoxels, 'shape' | 'elementBytes'>;

/** The oracle of every test, and what works where there is no GPU. */
export interface ReferenceCodec {
  encode(chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array<ArrayBuffer>;
  /** @throws StriaError `corrupt` for every payload that `encode` could not have made; never hangs, never reads outside */
  decode(payload: Uint8Array, chunk: ChunkGeometry, parameters: CodecParameters): Uint8Array<ArrayBuffer>;
}

/**
 * Voxels in GPU memory: a box of the volume, x fastest, each row padded with zero bits to a multiple of 4 bytes.
 * Element (x, y, z) starts at byte `(z × dims[1] + y) × rowBytes(dims[0], elementBytes) + x × elementBytes`.
 */
export interface GpuVoxels {
  /** Usage STORAGE. `array<u32>` in WGSL. */
  readonly buffer: GPUBuffer;
  readonly dims: Dims3;
  readonly elementBytes: CodecElementBytes;
}

/** Bytes from one row to the next in `GpuVoxels`. */
export function rowBytes(x: number, elementBytes: CodecElementBytes): number {
  return Math.ceil((x * elementBytes) / 4) * 4;
}

/** A chunk inside a `GpuVoxels` box. `origin[0] × elementBytes` is a multiple of 4. */
export interface GpuChunk {
  readonly origin: Dims3;
  readonly shape: Dims3;
  readonly parameters: CodecParameters;
}

/** Encoded chunks in GPU memory, one after the other, each starting at a multiple of 4 bytes. */
export interface GpuPayloads {
  /** Usage STORAGE | COPY_SRC | COPY_DST. The bytes between payloads are 0. Undefined where no payload has a byte. */
  readonly buffer: GPUBuffer | undefined;
  readonly byteOffsets: readonly number[];
  /**
   * 0 in an encoder's result: encoded, this chunk would not be smaller than its voxels, and nothing was written.
   * (Codec `raw` alone writes every chunk: it is what becomes of those.)
   */
  readonly byteLengths: readonly number[];
}

/**
 * A codec on the GPU. Its bytes equal the reference's. `scope` owns every buffer that a call makes, the result's too:
 * the caller frees all with it. `stage` times the kernels (see core/gpu/commands.ts): pass it to each Commands made.
 */
export interface CodecKernels {
  encode(voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall): Promise<GpuPayloads>;
  /**
   * Writes the chunks' elements, and nothing outside them, into `target` (whose row padding stays as it is).
   * A damaged payload gives wrong voxels, never a fault of the device: the caller compares checksums.
   */
  decode(payloads: GpuPayloads, chunks: readonly GpuChunk[], target: GpuVoxels, call: KernelCall): Promise<void>;
}

export interface KernelCall {
  readonly scope: GpuScope;
  readonly signal?: AbortSignal | undefined;
  /** Called with each submitted Commands' stage times. */
  readonly onTimes?: Commands['onTimes'];
}
