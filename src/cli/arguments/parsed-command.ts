import type { SuiteName } from '../../core/bench/harness/tables.ts';
import type { Preference } from '../../core/codec/codec.ts';
import type { RawLayout } from '../../core/io/common/volume-reader.ts';
import type { MeshFormat } from '../../core/mesh/mesh-formats.ts';
import type { SurfaceChoice } from '../../core/mesh/surfaces.ts';
import type { BoxEdges, DepositKernel, DepositQuantity, DepositScale, DepositType } from '../../core/particles/deposit-choice.ts';
import type { ParticleBox, ParticleShare } from '../../core/particles/particles.ts';
import type { SampleKind, SampleType } from '../../core/samples/sample-kinds.ts';
import type { CombineRule } from '../../core/shared/combine-rule.ts';
import type { HalvingMethod } from '../../core/shared/halving.ts';
import type { PartChoice } from '../../core/shared/part-choice.ts';
import type { WritableFormat } from '../../core/shared/source.ts';
import type { Dims3, ElementType } from '../../core/shared/volume.ts';
import type { CommandName } from './command-table.ts';

// The parsed command line, one type per command.

export type DeviceWish = 'gpu' | 'cpu' | 'auto';

/** Options of the device that does the work. */
export interface DeviceOptions {
  readonly device: DeviceWish;
  readonly gpuLimits: 'adapter' | 'default';
  /** Most CPU threads to use. Undefined: all of them. */
  readonly threads: number | undefined;
  /** A file written by `stria bench tune`. */
  readonly tuning: string | undefined;
}

/** Options of what a command prints. */
export interface TalkOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** How chunks are encoded. */
export interface CodecSelection {
  /** A chain's name, or `auto`. */
  readonly codec: string;
  readonly axis: 'x' | 'y' | 'z' | 'auto';
  readonly prefer: Preference;
  readonly effort: 'normal' | 'max';
}

export interface CompressCommand extends CodecSelection, DeviceOptions, TalkOptions {
  readonly name: 'compress';
  readonly inputs: readonly string[];
  readonly output: string | undefined;
  readonly force: boolean;
  /** Undefined leaves it to the engine. */
  readonly timeGroup: number | undefined;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  /** A letter for each axis of an array, slowest first. */
  readonly axes: string | undefined;
  readonly stripIdentity: boolean;
  readonly part: PartChoice | undefined;
  /** Undefined leaves it to the engine. */
  readonly levels: boolean | HalvingMethod | undefined;
  /** In bytes. Undefined leaves the limit to the engine. */
  readonly pictureMemory: number | undefined;
}

export interface DecompressCommand extends DeviceOptions, TalkOptions {
  readonly name: 'decompress';
  readonly input: string;
  readonly output: string | undefined;
  readonly force: boolean;
  readonly fill: boolean;
  readonly to: WritableFormat | undefined;
  readonly pictureMemory: number | undefined;
}

export interface VerifyCommand extends DeviceOptions, TalkOptions {
  readonly name: 'verify';
  readonly input: string;
}

export interface InfoCommand extends TalkOptions {
  readonly name: 'info';
  readonly input: string;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  readonly axes: string | undefined;
  /** If given, also print the metadata entries that contain all of these words; '' prints every entry. */
  readonly tags: string | undefined;
}

export interface StatsCommand extends DeviceOptions, TalkOptions {
  readonly name: 'stats';
  readonly input: string;
  readonly labels: string | undefined;
  /** A file with the labels' names. */
  readonly table: string | undefined;
  readonly box: { readonly origin: Dims3; readonly dims: Dims3 } | undefined;
  readonly output: string | undefined;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  readonly axes: string | undefined;
}

/** What a picture shows and how. Undefined options come from the session, or else from the app's defaults. */
export interface ViewOptions {
  readonly view: '3d' | 'x' | 'y' | 'z' | undefined;
  /** Size of the picture in pixels. */
  readonly width: number;
  readonly height: number;
  /** The slice's number, counted from 1, or its position as a fraction from 0 to 1. */
  readonly slice: { readonly number: number } | { readonly part: number } | undefined;
  /** Both are counted from 1. */
  readonly time: number | undefined;
  readonly channel: number | undefined;
  /** Real values. */
  readonly window: readonly [low: number, high: number] | undefined;
  readonly colormap: string | undefined;
  readonly invert: boolean;
  readonly projection: string | undefined;
  /** A real value. */
  readonly level: number | undefined;
  /** A side, or two angles. */
  readonly from: string | undefined;
  readonly zoom: number | undefined;
  readonly orthographic: boolean;
  readonly background: 'near-black' | 'black' | 'gray' | 'white' | 'transparent' | undefined;
  readonly smooth: boolean;
  readonly slab: { readonly kind: 'mean' | 'maximum' | 'minimum'; readonly thickness: number } | undefined;
  /** A session file. */
  readonly session: string | undefined;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  readonly axes: string | undefined;
}

export interface PictureCommand extends ViewOptions, DeviceOptions, TalkOptions {
  readonly name: 'picture';
  readonly input: string;
  readonly output: string;
}

/** What changes from frame to frame of a movie. */
export interface MovieWay {
  readonly along: 't' | 'x' | 'y' | 'z' | 'turn';
  /** Slices or time points, counted from 1; either may be the larger. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Angle of the camera's turn. */
  readonly degrees: number;
  readonly frames: number;
  /** Frames per second in the printed ffmpeg line. */
  readonly fps: number;
}

export interface MovieCommand extends ViewOptions, MovieWay, DeviceOptions, TalkOptions {
  readonly name: 'movie';
  readonly input: string;
  readonly output: string;
  /** Whether an existing folder may be replaced. */
  readonly force: boolean;
}

export interface MeshCommand extends DeviceOptions, TalkOptions {
  readonly name: 'mesh';
  readonly input: string;
  readonly output: string;
  readonly force: boolean;
  readonly format: MeshFormat;
  /** `labels`: all labels. */
  readonly surfaces: readonly SurfaceChoice[] | 'labels';
  /** A file with the labels' names and colours. */
  readonly table: string | undefined;
  readonly smoothing: number;
  /** From 1. */
  readonly time: number | undefined;
  /** From 1. */
  readonly channel: number | undefined;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  readonly axes: string | undefined;
}

/** Codec and device matter only with `by` and for levels, because parts are copied. */
export interface MergeCommand extends CodecSelection, DeviceOptions, TalkOptions {
  readonly name: 'merge';
  /** Files, and folders of them. */
  readonly inputs: readonly string[];
  readonly output: string;
  /** Combine whole volumes. */
  readonly by: CombineRule | undefined;
  /** Type of the combined volume. */
  readonly type: ElementType | undefined;
  /** Undefined leaves it to the engine. */
  readonly levels: boolean | HalvingMethod | undefined;
}

export interface LevelsCommand extends CodecSelection, DeviceOptions, TalkOptions {
  readonly name: 'levels';
  readonly input: string;
  /** Undefined: a .stria is replaced; for another file, a file beside it. */
  readonly output: string | undefined;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  readonly axes: string | undefined;
  readonly remove: boolean;
  /** Undefined: chosen from the voxels. */
  readonly method: HalvingMethod | undefined;
}

/** Deposits particles, or finishes their merged sums. Sums take no size, box, kernel or unit. */
export interface DepositCommand extends CodecSelection, DeviceOptions, TalkOptions {
  readonly name: 'deposit';
  readonly inputs: readonly string[];
  readonly output: string;
  readonly force: boolean;
  readonly size: Dims3 | undefined;
  readonly box: ParticleBox | undefined;
  readonly edges: BoxEdges | undefined;
  readonly kernel: DepositKernel | undefined;
  readonly quantity: DepositQuantity | undefined;
  readonly scale: DepositScale;
  readonly type: DepositType;
  /** Write sums for `merge --by sum` instead of a finished volume. */
  readonly isSums: boolean;
  readonly unit: number | undefined;
  readonly share: ParticleShare | undefined;
  readonly species: readonly string[] | undefined;
  readonly masses: string | undefined;
}

export interface RecoverCommand extends TalkOptions {
  readonly name: 'recover';
  readonly input: string;
  readonly output: string;
  readonly fill: boolean;
}

export interface ServeCommand extends TalkOptions {
  readonly name: 'serve';
  readonly folder: string;
  readonly host: string;
  /** Undefined: the default port. */
  readonly port: number | undefined;
  /** The folder of the web app; undefined for the one beside the command. */
  readonly app: string | undefined;
  readonly open: boolean;
}

export interface SampleCommand extends DeviceOptions, TalkOptions {
  readonly name: 'sample';
  readonly kind: SampleKind;
  readonly dims: Dims3;
  readonly type: SampleType;
  readonly seed: number;
  readonly output: string;
}

export interface BenchCommand extends DeviceOptions, TalkOptions {
  readonly name: 'bench';
  /** A suite to run, `compare` for two results, or `tune` for the GPU. */
  readonly task: SuiteName | 'compare' | 'tune';
  /** Samples or one file for the suite `codecs`, files for `files`, at most one file for `bricks`, results for `compare`. */
  readonly inputs: readonly string[];
  /** The input of the suite `codecs`, if it is a file. */
  readonly scan: string | undefined;
  /** Side length of the sample volumes. Undefined leaves it to the suite. */
  readonly size: number | undefined;
  readonly type: SampleType;
  readonly codecs: readonly string[];
  /** How often each case is measured at most. */
  readonly repetitions: number;
  /** Programs for `files`; undefined for all. */
  readonly tools: readonly string[] | undefined;
  /** For `files`: the longest that a program may take in one direction. */
  readonly limitSeconds: number;
  readonly output: string | undefined;
}

export interface GpuCommand extends TalkOptions {
  readonly name: 'gpu';
}

export type ParsedCommand =
  | { readonly name: 'help'; readonly topic: CommandName | undefined }
  | { readonly name: 'version' }
  | CompressCommand
  | DecompressCommand
  | VerifyCommand
  | InfoCommand
  | StatsCommand
  | PictureCommand
  | MovieCommand
  | MeshCommand
  | MergeCommand
  | DepositCommand
  | LevelsCommand
  | RecoverCommand
  | ServeCommand
  | SampleCommand
  | BenchCommand
  | GpuCommand;
