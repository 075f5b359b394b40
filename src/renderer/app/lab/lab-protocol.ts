import type { BenchCase, BenchRequest, BenchResult } from '../../../core/bench/harness/result.ts';
import type { BenchRunner, GpuSuite } from '../../../core/bench/run.ts';
import type { TunedChoice, TuningReport } from '../../../core/bench/tune.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { KeptTunings } from '../state/gpu-tuning.ts';

/** From the window to the Lab's worker. */
export type LabCommand =
  | {
      readonly kind: 'run';
      readonly suite: GpuSuite;
      readonly request: BenchRequest;
      readonly runner: BenchRunner;
      readonly tunings: KeptTunings;
    }
  | { readonly kind: 'tune' }
  | { readonly kind: 'cancel' };

/**
 * From the Lab's worker to the window. A run ends with `done`, `tuned` or `fault`, after its device and all GPU memory are
 * freed.
 */
export type LabMessage =
  | { readonly kind: 'device'; readonly name: string; readonly software: boolean }
  | { readonly kind: 'stage'; readonly stage: string; readonly gpuBytes: number }
  | { readonly kind: 'case'; readonly found: BenchCase }
  | { readonly kind: 'choice'; readonly found: TunedChoice }
  | { readonly kind: 'done'; readonly result: BenchResult; readonly gpuBytes: number }
  | { readonly kind: 'tuned'; readonly report: TuningReport; readonly gpuBytes: number }
  | { readonly kind: 'fault'; readonly fault: FaultData; readonly gpuBytes: number };
