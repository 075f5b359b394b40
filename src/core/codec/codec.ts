import type { Commands } from '../gpu/commands.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { ChunkInMemory } from './chunk-in-memory.ts';

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
  /** See `GpuChunk.sections`. */
  readonly sections?: readonly number[] | undefined;
}

/** What one pass over a chunk finds out, the same on GPU and CPU. Codecs choose their parameters by it. */
export interface ChunkStatistics {
  /** Number of neighbour pairs along x, y, z whose elements differ. All three 0: the chunk is constant. */
  readonly changes: Dims3;
}

/**
 * What a sample of a chunk's elements (one row of 8) says about its prediction, the same on GPU and CPU. `auto` estimates
 * by it.
 */
export interface ChunkSurvey {
  readonly sampledElements: number;
  /**
   * Bits that Rice codes are expected to take for the sample, under the predictors left, up, behind, flat and Lorenzo
   * (rice/SPEC.md, 'Predictors'). 0: all elements are as predicted.
   */
  readonly riceBits: readonly number[];
  /** The same under soft. */
  readonly softBits: number;
  /** Sampled elements that differ from the one before them along x, and those of them that differ from the one behind, too. */
  readonly steps: number;
  readonly spikes: number;
}

/** What 'auto' goes by. */
export const preferences = ['size', 'balanced', 'speed'] as const;
export type Preference = (typeof preferences)[number];

/** What a user may ask of codecs. A codec takes what concerns it and ignores the rest. */
export interface CodecOptions {
  /** What 'auto' is to go by. Default 'balanced': size, unless a much faster codec makes it but little larger and 'effort' is not 'max'. */
  readonly prefer?: Preference | undefined;
  /** The axis along which runs are sought. 'auto': the one with the fewest changes; on a tie the first of x, y, z. */
  readonly axis: 'x' | 'y' | 'z' | 'auto';
  /** 'max': smaller, and slower to encode and decode. Left out: 'normal'. */
  readonly effort?: 'normal' | 'max' | undefined;
}

/** A codec's parameters for one chunk, as they stand in the container. 255 bytes at most; empty for many. */
export type CodecParameters = Uint8Array;

export type CodecOptionName = 'axis' | 'effort';

export interface CodecDefinition {
  /** Permanent: it stands in files. 1 is raw, 2 is rle. 0 is kept for constant chunks, which have no codec. */
  readonly id: number;
  /** Lower case; the word of `--codec` and of the app's menu. */
  readonly name: string;
  /** One line for people, with its full stop. */
  readonly summary: string;
  /** What people may set when they ask for it. */
  readonly options: readonly CodecOptionName[];
  /** Why it makes some chunks smallest, in a few words for people: `runs`. */
  readonly reason: string;
  /** What it adds behind another codec, in a few words for people. Left out: it never stands behind one. */
  readonly reasonBehind?: string;
  /** No other codec may stand behind it: the result would be that codec's alone. */
  readonly standsAlone?: true;
  readonly elementBytes: readonly CodecElementBytes[];
  /** The parameters for a chunk, by its statistics and the user's wishes. */
  choose(statistics: ChunkStatistics, chunk: ChunkGeometry, options: CodecOptions): CodecParameters;
  /** The axis that these parameters name, for people; codecs that have none leave it out. */
  axisOf?(parameters: CodecParameters): 'x' | 'y' | 'z' | undefined;
  /** Where elements lie in scan order, for codecs that decode stretches of it alone; others leave it out. */
  scanOrder?(chunk: ChunkGeometry, parameters: CodecParameters): ScanOrder;
  /** What `encode` is expected to make of it, in bytes: `auto` takes the codec that promises least. */
  estimate(statistics: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry, parameters: CodecParameters): number;
  /** What an entropy coder behind it is expected to leave of it, in bytes. Left out: `auto` puts none behind it. */
  estimateWithEntropy?(statistics: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry, parameters: CodecParameters): number;
  /**
   * How many GB of voxels its kernels encode in a second on a large GPU, about: 'auto' weighs size against it. Behind another
   * codec it counts for that one's voxels.
   */
  readonly gigabytesPerSecond: number;
  /** Its payloads are made for an entropy coder behind it, which may make them worth while though they are not smaller. */
  readonly preparesEntropy?: true;
  /** No encoding of such a chunk is longer, in bytes. */
  encodedBound(chunk: ChunkGeometry): number;
  /**
   * Only in codecs that may stand behind another one: how many bytes a payload decodes to, as it says itself. Whoever
   * asks compares it with what the codec before may make, before memory is asked for. @throws StriaError `corrupt`
   */
  decodedLength?(payload: Uint8Array): number;
  readonly reference: ReferenceCodec;
  /** `reference.encode` by WebAssembly: the same bytes, faster. Undefined where there is none. Few codecs have it. */
  encodeInMemory?(chunk: ChunkInMemory, parameters: CodecParameters): Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Element (x, y, z) of a chunk has the number `x × xStep + y × yStep + z × zStep` in scan order. One step is 1: along that
 * axis neighbours lie side by side. So a voxel is a stretch of one element, a column along that axis one of the column's
 * length, and a plane of it with the axis of the next larger step is one stretch, too.
 */
export interface ScanOrder {
  readonly xStep: number;
  readonly yStep: number;
  readonly zStep: number;
}

export type ChunkGeometry = Pick<ChunkVoxels, 'shape' | 'elementBytes'>;

/** The oracle of every test, and what works where there is no GPU. */
export interface ReferenceCodec {
  encode(chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array<ArrayBuffer>;
  /** @throws StriaError `corrupt` for every payload that `encode` could not have made; never hangs, never reads outside */
  decode(payload: Uint8Array, chunk: ChunkGeometry, parameters: CodecParameters): Uint8Array<ArrayBuffer>;
  /**
   * `count` elements from number `first` on in scan order, as bytes. Reads no more of the payload than that needs, and so
   * finds less damage than `decode`. There with `CodecDefinition.scanOrder`.
   * @throws StriaError `corrupt`; `internal` for elements that the chunk does not have
   */
  decodeRange?(
    payload: Uint8Array,
    chunk: ChunkGeometry,
    parameters: CodecParameters,
    first: number,
    count: number,
  ): Uint8Array<ArrayBuffer>;
  /**
   * Byte lengths of the parts of a payload that `encode` made whose bytes have statistics of their own, in order; they add
   * up to its length. Left out: there is one. An entropy stage behind the codec gives each a code table of its own.
   */
  sections?(payload: Uint8Array, chunk: ChunkGeometry, parameters: CodecParameters): readonly number[];
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
  /**
   * Where this chunk is a payload of another codec, `[its length, 1, 1]` elements of 1 byte, its sections: the lengths that
   * `ReferenceCodec.sections` and `GpuPayloads.sections` give. Only an encoder of entropy looks at them.
   */
  readonly sections?: readonly number[] | undefined;
}

/** Encoded chunks in GPU memory, one after the other, each starting at a multiple of 4 bytes. */
export interface GpuPayloads {
  /**
   * Usage STORAGE | COPY_SRC | COPY_DST. The bytes between payloads are 0; behind the last there may be anything. Undefined where no
   * payload has a byte.
   */
  readonly buffer: GPUBuffer | undefined;
  readonly byteOffsets: readonly number[];
  /**
   * 0 in an encoder's result: encoded, this chunk would not be smaller than its voxels, and nothing was written.
   * (Codec `raw` alone writes every chunk: it is what becomes of those.)
   */
  readonly byteLengths: readonly number[];
  /** In an encoder's result: for each payload its sections, as `ReferenceCodec.sections` has them. Left out: one each. */
  readonly sections?: readonly (readonly number[])[] | undefined;
}

/**
 * A codec on the GPU. Its bytes equal the reference's. `scope` owns every buffer that a call makes, the result's too:
 * the caller frees all with it. `stage` times the kernels (see core/gpu/commands.ts): pass it to each Commands made.
 */
export interface CodecKernels {
  encode(voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall): Promise<GpuPayloads>;
  /**
   * Makes all that decoding these chunks needs, owned by `scope`, without running it. The plan writes the chunks'
   * elements, and nothing outside them, into `target` (whose row padding stays as it is), from what `payloads.buffer`
   * then holds. A damaged payload gives wrong voxels, never a fault of the device: the caller compares checksums.
   * `decodeChunks` in decode-chunks.ts runs it once.
   * @param faults a word for each chunk, 0 at first: the plan sets it where the payload is not as SPEC.md says and yet
   *   might decode to the right voxels. It may set it for a sound payload, too, so the reference has the last word. Left
   *   out: payloads are not checked, which costs nothing
   * @throws StriaError `corrupt` for parameters and lengths that no encoder makes
   */
  prepareDecode(
    payloads: GpuPayloads,
    chunks: readonly GpuChunk[],
    target: GpuVoxels,
    scope: GpuScope,
    faults?: GPUBuffer,
  ): DecodePlan;
  /**
   * As `prepareDecode`, for stretches of chunks: those of a slice, or single voxels. There with `CodecDefinition.scanOrder`.
   * @throws StriaError `corrupt` as `prepareDecode`; `internal` for elements that a chunk does not have
   */
  prepareDecodeRanges?(
    payloads: GpuPayloads,
    ranges: readonly GpuRange[],
    elementBytes: CodecElementBytes,
    scope: GpuScope,
  ): RangePlan;
}

/** `count` elements of a chunk from number `first` on in scan order: `ReferenceCodec.decodeRange`. */
export interface GpuRange {
  /** Number of its chunk's payload in the `GpuPayloads`. */
  readonly payload: number;
  readonly shape: Dims3;
  readonly parameters: CodecParameters;
  readonly first: number;
  readonly count: number;
}

export interface RangePlan {
  /** Adds the dispatches. It may be called again and again, and uploads nothing. */
  readonly run: DecodePlan;
  /** What they write: elements in scan order. Usage STORAGE | COPY_SRC; owned by the scope. */
  readonly buffer: GPUBuffer;
  /** Where each range starts in it. Around a range lie other elements of its chunk, decoded along with it. */
  readonly byteOffsets: readonly number[];
  /** How many parts of payloads are read and decoded. */
  readonly segmentCount: number;
}

/** Adds the dispatches of a decoding to `commands`. It may be called again and again, and uploads nothing. */
export type DecodePlan = (commands: Commands) => void;

/** What a call of a codec is given. */
export interface KernelCall {
  readonly scope: GpuScope;
  readonly signal?: AbortSignal | undefined;
  /** Called with each submitted Commands' stage times. */
  readonly onTimes?: Commands['onTimes'];
  /**
   * An encoder of entropy comes next: a codec that `preparesEntropy` then writes every chunk, smaller or not. Others take
   * no notice.
   */
  readonly isFirstStage?: boolean | undefined;
}
