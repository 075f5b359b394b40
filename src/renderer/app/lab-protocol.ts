import type { BenchCase, BenchRequest, BenchResult } from '../../core/bench/result.ts';
import type { BenchRunner, GpuSuite } from '../../core/bench/run.ts';
import type { FaultData } from '../../core/shared/errors.ts';

/** From the window to the Lab's worker. */
export type LabCommand =
  | { readonly kind: 'run'; readonly suite: GpuSuite; readonly request: BenchRequest; readonly runner: BenchRunner }
  | { readonly kind: 'cancel' };

/** From the Lab's worker to the window. A run ends with `done` or `fault`; its device and all GPU memory are gone then. */
export type LabMessage =
  | { readonly kind: 'device'; readonly name: string; readonly software: boolean }
  | { readonly kind: 'stage'; readonly stage: string; readonly gpuBytes: number }
  | { readonly kind: 'case'; readonly found: BenchCase }
  | { readonly kind: 'done'; readonly result: BenchResult; readonly gpuBytes: number }
  | { readonly kind: 'fault'; readonly fault: FaultData; readonly gpuBytes: number };
