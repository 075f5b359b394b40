import type { Commands } from '../gpu/commands.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { ChunkInMemory } from './chunk-in-memory.ts';

/**
 * Width of the elements that codecs see. An f64 voxel is two 4-byte elements, adjacent along x, so that no codec needs a 64-bit
 * path.
 */
export type CodecElementBytes = 1 | 2 | 4;

/** One chunk's voxels: little-endian, x fastest, then y, z; `shape[0] × shape[1] × shape[2] × elementBytes` bytes, no padding. */
export interface ChunkVoxels {
  readonly bytes: Uint8Array;
  readonly shape: Dims3;
  readonly elementBytes: CodecElementBytes;
  /**
   * Set if this chunk is the payload of another codec, `[its length, 1, 1]` elements of 1 byte: its sections, the lengths from
   * `ReferenceCodec.sections`. Only an entropy encoder uses them.
   */
  readonly sections?: readonly number[] | undefined;
}

/** The result of one pass over a chunk, equal on GPU and CPU. Codecs choose their parameters by it. */
export interface ChunkStatistics {
  /** Number of neighbour pairs along x, y and z whose elements differ. If all three are 0, the chunk is constant. */
  readonly changes: Dims3;
}

/**
 * How well a sample of a chunk's elements (one row in 8) can be predicted, equal on GPU and CPU. `auto` bases its estimates on
 * it.
 */
export interface ChunkSurvey {
  readonly sampledElements: number;
  /**
   * Expected bits of Rice codes for the sample, under the predictors left, up, behind, flat and Lorenzo (rice/SPEC.md,
   * 'Predictors'). 0 means that all elements are as predicted.
   */
  readonly riceBits: readonly number[];
  /** The same for the predictor soft. */
  readonly softBits: number;
  /** Sampled elements that differ from the previous one along x, and those among them that also differ from the one behind. */
  readonly steps: number;
  readonly spikes: number;
}

/** Goals of 'auto'. */
export const preferences = ['size', 'balanced', 'speed'] as const;
export type Preference = (typeof preferences)[number];

/** The most time points that chunks interleave, unless a series is so small that chunks hold more anyway. */
export const maxTimeGroup = 8;

/** The user's options for codecs. A codec uses those that apply to it and ignores the rest. */
export interface CodecOptions {
  /** The goal of 'auto'. Default 'balanced': size, unless a much faster codec is only slightly larger and 'effort' is not 'max'. */
  readonly prefer?: Preference | undefined;
  /** The axis along which to look for runs. 'auto' takes the axis with the fewest changes; ties go to the first of x, y, z. */
  readonly axis: 'x' | 'y' | 'z' | 'auto';
  /** 'max' is smaller, but slower to encode and decode: codecs try more predictors, 'auto' several codecs. Default: 'normal'. */
  readonly effort?: 'normal' | 'max' | undefined;
  /** Codecs and chains by name that 'auto' takes unless another one is estimated at half the size. Default: all are alike. Without effect if only size counts. */
  readonly inUse?: readonly string[] | undefined;
}

/**
 * A codec's parameters for one chunk, as stored in the container. At most 255 bytes; empty for many codecs. Chunks share them, so
 * that thousands of chunks need no arrays of their own: they must not be changed.
 */
export type CodecParameters = Uint8Array;

/** For a codec without parameters. */
export const noParameters: CodecParameters = new Uint8Array(0);

export type CodecOptionName = 'axis' | 'effort';

export interface CodecDefinition {
  /** Permanent, because files contain it. 1 is raw, 2 is rle. 0 is reserved for constant chunks, which have no codec. */
  readonly id: number;
  /** Lower case; the value of `--codec` and the entry in the app's menu. */
  readonly name: string;
  /** One sentence for users, with its full stop. */
  readonly summary: string;
  /** The options that users may set when they request this codec. */
  readonly options: readonly CodecOptionName[];
  /** Why this codec is the smallest for some chunks, in a few words for users: `runs`. */
  readonly reason: string;
  /** Its contribution as the second stage of a chain, in a few words for users. Undefined if it is never a second stage. */
  readonly reasonBehind?: string;
  /** No other codec may follow it in a chain: the result would be that codec's alone. */
  readonly standsAlone?: true;
  /** It predicts from the plane behind so well that chunks of a series should interleave time points. */
  readonly interleavesTime?: true;
  readonly elementBytes: readonly CodecElementBytes[];
  /** Chooses the parameters for a chunk from its statistics and the user's options. */
  choose(statistics: ChunkStatistics, chunk: ChunkGeometry, options: CodecOptions): CodecParameters;
  /** The axis in these parameters, for display. Undefined for codecs without one. */
  axisOf?(parameters: CodecParameters): 'x' | 'y' | 'z' | undefined;
  /** The position of elements in scan order, for codecs that decode parts of a chunk; undefined for others. */
  scanOrder?(chunk: ChunkGeometry, parameters: CodecParameters): ScanOrder;
  /** Estimated length of the encoding, in bytes. `auto` compares these estimates. */
  estimate(statistics: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry, parameters: CodecParameters): number;
  /** Estimated length after an entropy coder as the second stage, in bytes. Undefined if `auto` should not try one. */
  estimateWithEntropy?(statistics: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry, parameters: CodecParameters): number;
  /**
   * Approximate encoding speed of its kernels on a large GPU, in GB of input per second, which 'auto' weighs against size. The
   * input of a second stage is the payload of the first.
   */
  readonly gigabytesPerSecond: number;
  /**
   * The same for decoding, set only for codecs that decode too slowly to be drawn from. 'balanced' charges for it, 'speed' does
   * not take the codec, and a volume that stays compressed in GPU memory is transcoded to a faster codec.
   */
  readonly decodeGigabytesPerSecond?: number;
  /** Its payloads are meant for an entropy coder, so they may be worthwhile although they are not smaller. */
  readonly preparesEntropy?: true;
  /** Upper bound of the encoded length, in bytes. */
  encodedBound(chunk: ChunkGeometry): number;
  /**
   * Only for codecs that can be a second stage: the decoded length that a payload claims. The caller checks it against the
   * bound of the first stage before it allocates memory. @throws StriaError `corrupt`
   */
  decodedLength?(payload: Uint8Array): number;
  readonly reference: ReferenceCodec;
  /**
   * `reference.encode` in WebAssembly, for a chunk that already lies in its memory. Undefined for most codecs, and returns
   * undefined if it does not apply.
   */
  encodeInMemory?(chunk: ChunkInMemory, parameters: CodecParameters): Uint8Array<ArrayBuffer> | undefined;
}

/**
 * A WebAssembly version of a reference: the same bytes, faster. Listed in core/codecs/on-cpu.ts.
 * All functions return undefined for input that they do not handle, and where WebAssembly is missing; the reference then does
 * the work.
 */
export interface WasmCodec {
  encode(chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array<ArrayBuffer> | undefined;
  /**
   * Also undefined for damaged payloads: the reference reports what is wrong. The voxels may be in the module's memory, where they are
   * valid until its next call.
   */
  decode(payload: Uint8Array, chunk: ChunkGeometry, parameters: CodecParameters): Uint8Array<ArrayBuffer> | undefined;
  /** As `ReferenceCodec.sections`. */
  sections?(payload: Uint8Array, chunk: ChunkGeometry, parameters: CodecParameters): readonly number[] | undefined;
}

/**
 * Element (x, y, z) of a chunk has the number `x × xStep + y × yStep + z × zStep` in scan order. One step is 1: elements are
 * adjacent along that axis. A voxel is thus a range of one element, a column along that axis a range of the column's length,
 * and a plane of that axis and the axis with the next larger step is also one range.
 */
export interface ScanOrder {
  readonly xStep: number;
  readonly yStep: number;
  readonly zStep: number;
}

export type ChunkGeometry = Pick<ChunkVoxels, 'shape' | 'elementBytes'>;

/** The oracle of every test, and the fallback without a GPU. */
export interface ReferenceCodec {
  encode(chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array<ArrayBuffer>;
  /** @throws StriaError `corrupt` for every payload that `encode` could not have written; never hangs, never reads out of bounds */
  decode(payload: Uint8Array, chunk: ChunkGeometry, parameters: CodecParameters): Uint8Array<ArrayBuffer>;
  /**
   * Decodes `count` elements from number `first` on in scan order. Reads only the needed part of the payload, and therefore
   * detects less damage than `decode`. Defined together with `CodecDefinition.scanOrder`.
   * @throws StriaError `corrupt`; `internal` for elements outside the chunk
   */
  decodeRange?(
    payload: Uint8Array,
    chunk: ChunkGeometry,
    parameters: CodecParameters,
    first: number,
    count: number,
  ): Uint8Array<ArrayBuffer>;
  /**
   * Byte lengths of the parts of an encoder's payload that have statistics of their own, in order. They sum to its length.
   * Undefined if there is only one part. An entropy coder as the second stage gives each part its own code table.
   */
  sections?(payload: Uint8Array, chunk: ChunkGeometry, parameters: CodecParameters): readonly number[];
}

/**
 * Voxels in GPU memory: a box of the volume, x fastest, each row padded with zero bits to a multiple of 4 bytes. Element (x, y,
 * z) starts at byte `(z × dims[1] + y) × rowBytes(dims[0], elementBytes) + x × elementBytes`.
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

/** The shape and parameters of a chunk before it is encoded. */
export type PreparedChunk = Pick<GpuChunk, 'shape' | 'parameters'>;

/** The arguments of a recording. */
export interface RecordCall {
  /** Owns the payloads and their places. */
  readonly scope: GpuScope;
  /** Owns what is no longer needed once the commands are submitted. */
  readonly work: GpuScope;
  /** See `KernelCall`. */
  readonly isFirstStage?: boolean | undefined;
}

/** Payloads that recorded commands write, one after another as in `GpuPayloads`. Only the GPU knows their lengths. */
export interface RecordedPayloads {
  /** Usage STORAGE | COPY_SRC. */
  readonly buffer: GPUBuffer;
  /**
   * `array<Place>` of shaders/codec/places.wgsl: for each chunk the payload's byte offset and length (0 as in `GpuPayloads`), and
   * two words for its checksum, which are 0. The byte offset of one more place is the end of all payloads.
   */
  readonly places: GPUBuffer;
  /** An upper bound of each payload's length, in bytes. */
  readonly mostBytes: readonly number[];
  /** The end of all payloads, if the CPU knows it. */
  readonly totalBytes?: number | undefined;
  /** The bytes of each payload's sections (see `ReferenceCodec.sections`), and how many each has. Undefined if each has one. */
  readonly sections?: { readonly buffer: GPUBuffer; readonly perChunk: number } | undefined;
}

/** Encoded chunks in GPU memory, one after another, each starting at a multiple of 4 bytes. */
export interface GpuPayloads {
  /**
   * Usage STORAGE | COPY_SRC | COPY_DST. The bytes between payloads are 0; those after the last are undefined. Undefined if no
   * payload has any bytes.
   */
  readonly buffer: GPUBuffer | undefined;
  readonly byteOffsets: readonly number[];
  /**
   * In an encoder's result 0 means that this chunk would not become smaller, and nothing was written. (Only codec `raw` writes
   * every chunk, because it is the fallback for those.)
   */
  readonly byteLengths: readonly number[];
  /** In an encoder's result: the sections of each payload, as in `ReferenceCodec.sections`. Undefined if each has one. */
  readonly sections?: readonly (readonly number[])[] | undefined;
}

/**
 * A codec on the GPU. Its bytes equal the reference's. `scope` owns every buffer that a call creates, including the result's;
 * the caller frees them all with it. `stage` times the kernels (see core/gpu/commands.ts): pass it to each Commands created.
 */
export interface CodecKernels {
  encode(voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall): Promise<GpuPayloads>;
  /** Records what `encode` does, without a wait. The caller has awaited `prepareEncode`. */
  recordEncode(commands: Commands, voxels: GpuVoxels, chunks: readonly GpuChunk[], call: RecordCall): RecordedPayloads;
  /**
   * Records the encoding of payloads that the same commands, or earlier ones, write. Defined together with
   * `CodecDefinition.decodedLength`. Payloads that do not become shorter get length 0.
   */
  recordSecond?(commands: Commands, first: RecordedPayloads, call: RecordCall): RecordedPayloads;
  /**
   * Compiles what `encode` needs for such chunks, ahead of it.
   * @param isSecond for `recordSecond`; then `elementBytes` is 1
   */
  prepareEncode(elementBytes: CodecElementBytes, chunks: readonly PreparedChunk[], isSecond?: boolean): Promise<void>;
  /** Compiles what `prepareDecode` needs for such chunks, all at once and beside the CPU's work. @param checked with `faults` */
  prepareDecoders(elementBytes: CodecElementBytes, chunks: readonly PreparedChunk[], checked: boolean): Promise<void>;
  /**
   * Prepares the decoding of these chunks without running it; `scope` owns what it creates. The plan decodes whatever
   * `payloads.buffer` holds when it runs. It writes the chunks' elements into `target` and nothing outside them (the row
   * padding of `target` is unchanged). A damaged payload gives wrong voxels, never a device error: the caller compares
   * checksums. `decodeChunks` in decode-chunks.ts runs a plan once.
   * @param faults one word per chunk, initially 0. The plan sets it if the payload violates SPEC.md even though it might decode
   * to the right voxels. It may also set it for a sound payload, so the reference decides. If undefined, payloads are not
   * checked, which saves time.
   * @param scratch memory that other plans use too. By default the plan has its own, as large as the decoded chunks for some codecs
   * @throws StriaError `corrupt` for parameters and lengths that no encoder writes
   */
  prepareDecode(
    payloads: GpuPayloads,
    chunks: readonly GpuChunk[],
    target: GpuVoxels,
    scope: GpuScope,
    faults?: GPUBuffer,
    scratch?: DecodeScratch,
  ): DecodePlan;
  /**
   * Like `prepareDecode`, for ranges of chunks: parts of a slice, or single voxels. Defined together with
   * `CodecDefinition.scanOrder`.
   * @throws StriaError `corrupt` as `prepareDecode`; `internal` for elements outside a chunk
   */
  prepareDecodeRanges?(
    payloads: GpuPayloads,
    ranges: readonly GpuRange[],
    elementBytes: CodecElementBytes,
    scope: GpuScope,
  ): RangePlan;
}

/** `count` elements of a chunk from number `first` on in scan order: see `ReferenceCodec.decodeRange`. */
export interface GpuRange {
  /** Index of its chunk's payload in the `GpuPayloads`. */
  readonly payload: number;
  readonly shape: Dims3;
  readonly parameters: CodecParameters;
  readonly first: number;
  readonly count: number;
}

export interface RangePlan {
  /** Records the dispatches. It can run repeatedly and uploads nothing. */
  readonly run: DecodePlan;
  /** The output: elements in scan order. Usage STORAGE | COPY_SRC; owned by the scope. */
  readonly buffer: GPUBuffer;
  /** Where each range starts in the output. A range is surrounded by other elements of its chunk that were decoded with it. */
  readonly byteOffsets: readonly number[];
  /** How many parts of payloads are read and decoded. */
  readonly segmentCount: number;
}

/** Gives a buffer of at least so many bytes, usage STORAGE, for plans that never run at the same time. Its contents are undefined. */
export type DecodeScratch = (byteLength: number) => GPUBuffer;

/** Records the dispatches of a decoding in `commands`. It can run repeatedly and uploads nothing. */
export type DecodePlan = (commands: Commands) => void;

/** The arguments of a codec call. */
export interface KernelCall {
  readonly scope: GpuScope;
  readonly signal?: AbortSignal | undefined;
  /** Called with the stage times of each submitted Commands. */
  readonly onTimes?: Commands['onTimes'];
  /** An entropy encoder follows. A codec that `preparesEntropy` then writes every chunk, smaller or not; others ignore this. */
  readonly isFirstStage?: boolean | undefined;
}
