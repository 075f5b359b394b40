import type { TaskPool } from '../../cpu/cpu-task.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { ByteSource } from '../../shared/bytes.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import type { Meter, Timing } from './meter.ts';
import { type BenchCase, type BenchGap, type BenchRequest, medianMs } from './result.ts';

/** Threads that run the baselines on all cores: worker_threads in Node, Web Workers in a browser. The host creates them. */
export interface CpuCrew {
  readonly threads: number;
  /** Gives each thread its part once, so that timed work moves no voxels. */
  load(parts: readonly Uint8Array<ArrayBuffer>[]): Promise<void>;
  /** Every thread encodes its part with Rutter's algorithm. Resolves with the lengths of the outputs. */
  encode(columnLength: number, order: 'rows' | 'columns'): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** What a suite needs from its environment. */
export interface BenchHost {
  openCrew(): Promise<CpuCrew>;
  /** A .stria, whose volume the suite `bricks` turns and flies through in place of its own, and threads that make bricks it lacks. */
  readonly file?: { readonly source: ByteSource; readonly pool: TaskPool } | undefined;
  /** A volume that the suite `codecs` measures in place of samples, and its file's name. */
  readonly scan?: { readonly name: string; readonly volume: ScannedVolume } | undefined;
}

/** The part of an open volume that the suite `codecs` needs. */
export interface ScannedVolume {
  readonly info: VolumeInfo;
  /** The voxels once, in order (x fastest, then y, z, t), as little-endian bytes in pieces of any size. */
  voxels(job: JobOptions): AsyncIterable<Uint8Array>;
}

/** The context of one table of a suite. */
export interface BenchContext {
  readonly gpu: Gpu;
  readonly meter: Meter;
  readonly host: BenchHost;
  readonly request: BenchRequest;
  readonly job: JobOptions;
  /** Announces the next measurement. @throws StriaError `aborted` */
  begin(stage: string): void;
  add(found: BenchCase): void;
  /** Reports something that this machine could not do. */
  leaveOut(gap: BenchGap): void;
}

export type CaseFacts = Omit<BenchCase, keyof Timing | 'copyMs' | 'timesCopy'>;

/** Builds a case from its facts, its timing, and the timing of a copy of its raw data. */
export function caseOf(facts: CaseFacts, timing: Timing, copy: Timing | undefined): BenchCase {
  const isSameClock = copy && (timing.gpuMs === undefined) === (copy.gpuMs === undefined);
  const copyMs = copy && (isSameClock ? medianMs(copy) : copy.wallMs.median);
  const ownMs = isSameClock ? medianMs(timing) : timing.wallMs.median;
  return { ...facts, ...timing, copyMs, timesCopy: copyMs && ownMs / copyMs };
}

/** The requested fraction of the seeds' full sizes: 512 means all of it. */
export function shareOf({ request: { size } }: BenchContext): number {
  return Math.min(1, (size / 512) ** 3);
}
