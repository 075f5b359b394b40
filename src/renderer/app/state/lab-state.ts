import type { BenchCase, BenchResult } from '../../../core/bench/harness/result.ts';
import type { GpuSuite } from '../../../core/bench/run.ts';
import type { TunedChoice, TuningReport } from '../../../core/bench/tune.ts';
import type { FaultData } from '../../../core/shared/errors.ts';

export const labSizes = [16, 32, 64, 128, 256, 512] as const;
export type LabSize = (typeof labSizes)[number];

/** The suite `files` runs only in the command: the Lab shows a result that is bundled with the app. */
export type LabSuite = GpuSuite | 'tune' | 'files';

export type LabRun =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly stage: string; readonly startedAt: number; readonly gpuBytes: number }
  | { readonly kind: 'cancelled'; readonly gpuBytes: number | undefined }
  | { readonly kind: 'failed'; readonly fault: FaultData }
  | { readonly kind: 'done'; readonly result: BenchResult; readonly gpuBytes: number }
  | { readonly kind: 'tuned'; readonly report: TuningReport; readonly gpuBytes: number };

/** The Lab as panels see it. */
export interface LabState {
  readonly suite: LabSuite;
  readonly size: LabSize;
  /** A codec's name, or 'all'. The seeds have their own codecs. */
  readonly codec: string;
  readonly run: LabRun;
  /** What `run` and `cases` measure; the choices above may have changed since then. */
  readonly measured: { readonly suite: LabSuite; readonly size: LabSize } | undefined;
  /** The GPU that the cases were measured on. */
  readonly device: { readonly name: string; readonly software: boolean } | undefined;
  readonly cases: readonly BenchCase[];
  /** The results of tuning so far. */
  readonly choices: readonly TunedChoice[];
  /** The results of `stria bench files` that are bundled with the app, once they are loaded. */
  readonly files: readonly BenchResult[] | undefined;
}

export const emptyLab: LabState = {
  suite: 'seeds',
  size: 64,
  codec: 'all',
  run: { kind: 'none' },
  measured: undefined,
  device: undefined,
  cases: [],
  choices: [],
  files: undefined,
};
