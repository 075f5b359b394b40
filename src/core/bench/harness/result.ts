import type { AdapterDescription } from '../../gpu/diagnosis.ts';
import type { Tuning } from '../../gpu/tuning.ts';
import type { Spread } from './statistics.ts';
import type { SuiteName, TableId } from './tables.ts';

/** Raised when a field changes its meaning: results of two schemas are never compared. Schema 1 had codecs only. */
export const benchSchema = 2;

export const defaultRepetitions = 15;

/** What a run was asked for. */
export interface BenchRequest {
  readonly suite: SuiteName;
  /** Side of the volumes; everything else in the suite `seeds` is made smaller by the cube of 512 / size. */
  readonly size: number;
  readonly type: 'u8' | 'u16';
  /** Codecs by name; 'auto' for the engine's own choice, chunk by chunk. */
  readonly codecs: readonly string[];
  /** Of the suite `codecs`: the sample volumes by name; undefined: all. */
  readonly samples?: readonly string[];
  /** Of everything on the GPU; what takes seconds on the CPU is cut short, see `Spread.repetitions`. */
  readonly repetitions: number;
  /** Workgroup sizes that were not the standard ones; undefined: all were. */
  readonly tuning?: Partial<Tuning> | undefined;
}

/** What the figures hold for. */
export interface BenchMachine {
  /** Undefined in a suite that was run without one. */
  readonly adapter: AdapterDescription | undefined;
  readonly software: boolean;
  /** Times of kernels come from timestamp queries. Without them only wall times are given. */
  readonly timestamps: boolean;
  readonly cpu: string;
  readonly threads: number;
  readonly platform: string;
  /** `Node v20.20.2`, `Chromium 141.0`. */
  readonly runtime: string;
}

/** One thing that was measured. Table, subject, method and operation together name it. */
export interface BenchCase {
  readonly table: TableId;
  /** What was worked on, in words: `potential 512³`. */
  readonly subject: string;
  /** Its place on the table's x axis. */
  readonly x: string | number;
  /** In a table that is a plane: its place on the other axis. */
  readonly y?: number | undefined;
  /** How: `Rutter, columns`, `Stria rle y`, `gzip`. */
  readonly method: string;
  readonly operation: 'encode' | 'decode' | 'decode and draw' | 'draw' | 'read back' | 'compress' | 'decompress';
  readonly processor: 'gpu' | 'cpu';
  readonly inputBytes: number;
  /** Everything that a decoder needs, tables counted. */
  readonly outputBytes: number;
  /** Bytes that the work reads and writes in memory, by count. */
  readonly movedBytes: number;
  /** `passes`: every pass of the method was counted. `least`: input read once and output written once, no work moves less. */
  readonly movedBytesAre: 'passes' | 'least';
  /** By timestamp queries, summed over the stages. Undefined on the CPU, and on devices without timestamps. */
  readonly gpuMs: Spread | undefined;
  /** On the host's clock, with submission and the readback of sizes. */
  readonly wallMs: Spread;
  readonly stages: Readonly<Record<string, Spread>>;
  /** Median of a WGSL copy of as many bytes as the raw data has, in the same run; undefined without a GPU. */
  readonly copyMs: number | undefined;
  /** This case's median as a multiple of that copy: by timestamps where both have them, else on the wall clock. */
  readonly timesCopy: number | undefined;
  /** How its output was checked after the timing. A wrong output ends the run. */
  readonly verified: string;
  /** What a reader must know: chunks left raw, a stand-in for data that is not here. */
  readonly note?: string | undefined;
}

/** Something that this machine could not do, and why. Never a figure in its place. */
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

/** What names a case: two results are compared case by case. */
export function caseKey({ table, subject, method, operation }: BenchCase): string {
  return [table, subject, method, operation].join(' · ');
}

/** The median that a case is judged by: the GPU's own clock where there is one. */
export function medianMs({ gpuMs, wallMs }: Pick<BenchCase, 'gpuMs' | 'wallMs'>): number {
  return (gpuMs ?? wallMs).median;
}
