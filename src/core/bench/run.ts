import type { Gpu } from '../gpu/gpu.ts';
import { changedTuning } from '../gpu/tuning.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { benchBricks } from './bricks.ts';
import { benchCompress } from './compress.ts';
import { benchCodecs } from './harness/codecs.ts';
import type { BenchContext, BenchHost } from './harness/context.ts';
import { Meter } from './harness/meter.ts';
import {
  type BenchCase,
  type BenchGap,
  type BenchMachine,
  type BenchRequest,
  type BenchResult,
  benchSchema,
} from './harness/result.ts';
import { benchMesh } from './mesh.ts';
import { benchPlayback } from './playback.ts';
import { benchSeeds } from './seeds/seeds.ts';
import { benchView } from './view.ts';

/** The suites that run wherever there is a GPU. Only the command runs `files`, which needs external programs. */
const gpuSuites = {
  seeds: benchSeeds,
  codecs: benchCodecs,
  compress: benchCompress,
  playback: benchPlayback,
  view: benchView,
  bricks: benchBricks,
  mesh: benchMesh,
} as const;
export type GpuSuite = keyof typeof gpuSuites;

export interface BenchListener extends JobOptions {
  /** Called with each case as soon as it is known. */
  readonly onCase?: ((found: BenchCase) => void) | undefined;
}

/** The host's part of the machine description, which a GPU cannot provide. */
export type BenchRunner = Pick<BenchMachine, 'cpu' | 'threads' | 'platform' | 'runtime'> & { readonly stria: string };

/**
 * Runs a suite on a GPU. All its GPU memory is freed at the end, whether it succeeds or fails. @throws StriaError `aborted`,
 * `device-lost`, `limit-too-small`, `invalid-input`; `internal` if an output is wrong
 */
export async function runGpuSuite(
  suite: GpuSuite,
  gpu: Gpu,
  host: BenchHost,
  runner: BenchRunner,
  request: BenchRequest,
  listener: BenchListener = {},
): Promise<BenchResult> {
  checkRequest(request);
  const began = new Date();
  const cases: BenchCase[] = [];
  const gaps: BenchGap[] = [];
  using scope = gpu.scope('bench');
  const context: BenchContext = {
    gpu,
    meter: new Meter(gpu, scope, request.repetitions, listener.signal),
    host,
    request,
    job: { signal: listener.signal },
    begin: (stage) => {
      throwIfAborted(listener.signal);
      listener.onProgress?.({ stage, done: cases.length, total: undefined });
    },
    add: (found) => {
      cases.push(found);
      listener.onCase?.(found);
    },
    leaveOut: (gap) => gaps.push(gap),
  };
  try {
    await gpuSuites[suite](context);
  } finally {
    gpu.spare.free();
  }
  const { stria, ...machine } = runner;
  return {
    schema: benchSchema,
    suite,
    stria,
    date: began.toISOString(),
    durationMs: Date.now() - began.getTime(),
    request: { ...request, tuning: changedTuning(gpu.tuning) },
    machine: {
      adapter: gpu.diagnosis.adapter,
      software: gpu.isSoftware,
      timestamps: gpu.hasTimestamps,
      ...machine,
    },
    cases,
    gaps,
  };
}

/** @throws StriaError `invalid-input` for an impossible request */
function checkRequest({ size, repetitions }: BenchRequest): void {
  if (!Number.isInteger(size) || size < 8 || size > 2048) {
    throw new StriaError('invalid-input', `the size of a benchmark is a whole number from 8 to 2048, not ${size}`);
  }
  if (repetitions < 1) throw new StriaError('invalid-input', 'a benchmark repeats each case at least once');
}
