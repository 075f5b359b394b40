import type { AdapterDescription } from '../../gpu/diagnosis.ts';
import type { Tuning } from '../../gpu/tuning.ts';
import type { SampleType } from '../../samples/sample-kinds.ts';
import type { Spread } from './statistics.ts';
import type { SuiteName, TableId } from './tables.ts';

/** Incremented when a field changes its meaning: results of different schemas are never compared. Schema 1 had only codecs. */
export const benchSchema = 2;

export const defaultRepetitions = 15;

/** The request for a run. */
export interface BenchRequest {
  readonly suite: SuiteName;
  /** Side of the volumes; everything else in the suite `seeds` is scaled by (size / 512)³. */
  readonly size: number;
  readonly type: SampleType;
  /** Codecs by name; 'auto' for the engine's own choice per chunk. */
  readonly codecs: readonly string[];
  /** For the suites `codecs` and `compress`: the names of the sample volumes; all if undefined. */
  readonly samples?: readonly string[];
  /** For the suite `codecs`: the file whose volume was measured in place of samples, repeated to `size`³. `type` does not apply. */
  readonly file?: string | undefined;
  /** Repetitions of everything on the GPU. CPU work that takes seconds has fewer, see `Spread.repetitions`. */
  readonly repetitions: number;
  /** Workgroup sizes that differ from the standard ones; undefined if none do. */
  readonly tuning?: Partial<Tuning> | undefined;
}

/** The machine that produced the results. */
export interface BenchMachine {
  /** Undefined for a suite that ran without a GPU. */
  readonly adapter: AdapterDescription | undefined;
  readonly software: boolean;
  /** Whether kernel times come from timestamp queries. Without them there are only wall times. */
  readonly timestamps: boolean;
  readonly cpu: string;
  readonly threads: number;
  readonly platform: string;
  /** `Node v20.20.2`, `Chromium 141.0`. */
  readonly runtime: string;
}

/** One measurement, identified by table, subject, method and operation. */
export interface BenchCase {
  readonly table: TableId;
  /** The data, in words: `potential 512³`. */
  readonly subject: string;
  /** Its position on the table's x axis. */
  readonly x: string | number;
  /** In a two-dimensional table, its position on the other axis. */
  readonly y?: number | undefined;
  /** The method: `Rutter, columns`, `Stria rle y`, `gzip`. */
  readonly method: string;
  readonly operation:
    | 'encode'
    | 'decode'
    | 'transcode'
    | 'decode and draw'
    | 'draw'
    | 'read back'
    | 'compress'
    | 'decompress'
    | 'extract';
  readonly processor: 'gpu' | 'cpu';
  readonly inputBytes: number;
  /** Everything that a decoder needs, including tables. */
  readonly outputBytes: number;
  /** Bytes that the work reads and writes in memory, derived from the algorithm. */
  readonly movedBytes: number;
  /**
   * `passes`: every pass of the method was counted. `least`: input read once and output written once, the minimum for any
   * method.
   */
  readonly movedBytesAre: 'passes' | 'least';
  /** Measured with timestamp queries, summed over the stages. Undefined on the CPU, and on devices without timestamps. */
  readonly gpuMs: Spread | undefined;
  /** Measured by the host's clock, including submission and the readback of sizes. */
  readonly wallMs: Spread;
  /** For whole programs: user and system time on all threads. */
  readonly processorMs?: Spread | undefined;
  /** For whole programs: the largest resident memory. */
  readonly peakBytes?: number | undefined;
  readonly stages: Readonly<Record<string, Spread>>;
  /** For rays through bricks: the longest frames with their parts, the longest first. */
  readonly longestFrames?: readonly BrickFrameParts[] | undefined;
  /** Median of a WGSL copy of the raw data's size, in the same run; undefined without a GPU. */
  readonly copyMs: number | undefined;
  /** This case's median as a multiple of that copy: by timestamps if both have them, otherwise by wall clock. */
  readonly timesCopy: number | undefined;
  /** How its output was verified after the timing. A wrong output ends the run. */
  readonly verified: string;
  /** A remark that readers need: chunks left raw, a substitute for data that is not available. */
  readonly note?: string | undefined;
}

/** The parts of one frame of rays through bricks. All times are in milliseconds; undefined without timestamps. */
export interface BrickFrameParts {
  /** From the end of the frame before to the end of this one, by the host's clock. */
  readonly ms: number;
  /** When the frame ended, since the measurement began. */
  readonly atMs?: number | undefined;
  /** How long this thread was busy with the frame, and of that with the update, and with the feedback and the bricks that it requests. */
  readonly hostMs: number;
  readonly updateMs?: number | undefined;
  readonly feedbackMs?: number | undefined;
  /** How long this thread collected garbage between the end of the frame before and the end of this one; undefined in browsers. */
  readonly garbageMs?: number | undefined;
  /** From submission to the end of the frame on the GPU, which includes waiting for the frame before. */
  readonly waitMs: number;
  /** GPU time of the rays, of decoding, of the kernels that fill the texture, and of the copies into it. */
  readonly drawMs: number | undefined;
  readonly decodeMs: number | undefined;
  readonly textureMs: number | undefined;
  readonly copyMs: number | undefined;
  /** Bricks that were decoded for this frame, and bricks that were only copied to the texture again. */
  readonly decoded: number;
  readonly refreshed: number;
  /** Bricks that rays missed. */
  readonly missed: number;
  /** See `BrickView.bias`. */
  readonly bias: number;
  /** The fraction of the resolution along each axis, and the distance between samples in voxels of the drawn level. */
  readonly scale: number;
  readonly step: number;
  /** Bricks that rays entered. */
  readonly used: number;
}

/** Something that this machine could not do, and why. It never has a figure. */
export interface BenchGap {
  readonly table: TableId;
  readonly subject: string;
  readonly method: string;
  readonly reason: string;
}

export interface BenchResult {
  readonly schema: typeof benchSchema;
  readonly suite: SuiteName;
  readonly stria: string;
  /** ISO 8601, when the run began. */
  readonly date: string;
  readonly durationMs: number;
  readonly request: BenchRequest;
  readonly machine: BenchMachine;
  readonly cases: readonly BenchCase[];
  readonly gaps: readonly BenchGap[];
}

/** Identifies a case. Two results are compared case by case. */
export function caseKey({ table, subject, method, operation }: BenchCase): string {
  return [table, subject, method, operation].join(' · ');
}

/** The median by which a case is judged: the GPU's own clock if there is one. */
export function medianMs({ gpuMs, wallMs }: Pick<BenchCase, 'gpuMs' | 'wallMs'>): number {
  return (gpuMs ?? wallMs).median;
}
