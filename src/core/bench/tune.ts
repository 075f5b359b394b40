import type { AdapterDescription } from '../gpu/diagnosis.ts';
import type { Gpu } from '../gpu/gpu.ts';
import {
  checkedTuning,
  standardTuning,
  type Tuning,
  type TuningChoice,
  type TuningName,
  tuningChoices,
  tuningNames,
  tuningSchema,
} from '../gpu/tuning.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { createHeater } from './harness/heater.ts';
import { spreadOf } from './harness/statistics.ts';
import { prepareTrials, type Trial } from './tuning-trials.ts';

/** The result of one choice. */
export interface TunedChoice extends TuningChoice {
  readonly name: TuningName;
  readonly chosen: number;
  /** The median of each value, in the order of `values`, in milliseconds. */
  readonly medianMs: readonly number[];
}

/** The result of a calibration: a file of `stria bench tune`, and what the app stores. */
export interface TuningReport {
  readonly schema: typeof tuningSchema;
  readonly date: string;
  readonly durationMs: number;
  readonly adapter: AdapterDescription | undefined;
  readonly software: boolean;
  /** Whether times are the GPU's own. Otherwise they are by the host's clock around each submit. */
  readonly timestamps: boolean;
  /** Side of the generated volume, in voxels. */
  readonly size: number;
  readonly choices: readonly TunedChoice[];
  readonly tuning: Tuning;
}

export interface TuneOptions extends JobOptions {
  readonly size?: number | undefined;
  /** Differences of at most this many milliseconds do not count, because of the clock's resolution. */
  readonly clockStepMs?: number | undefined;
  /** Called with the result of each choice. */
  readonly onChoice?: ((found: TunedChoice) => void) | undefined;
}

/** Side of the volume: 16 MiB of 8-bit voxels. */
const standardSize = 256;
/** The size of each of the two copy buffers that keep the clocks up. */
const heatBytes = 2 ** 25;
/** The fraction by which another value must be faster than the standard in both measurements. */
const gain = 0.05;
/** The numbers of turns of a measurement. Each turn measures all values in order, then in reverse order. */
const turns = { least: 3, most: 7, enoughMs: 100 } as const;
/** Times on a software GPU say nothing about a GPU, so work there only has to run. */
const softwareTurns = { least: 1, most: 1, enoughMs: 0 } as const;

/**
 * Tries the values of each choice on generated data, and keeps the standard unless another value is clearly faster. At the end,
 * even after a failure, all its GPU memory is freed and the GPU's tuning is restored.
 * @throws StriaError `aborted`, `device-lost`, `limit-too-small`
 */
export async function tuneGpu(gpu: Gpu, options: TuneOptions = {}): Promise<TuningReport> {
  const { size = standardSize } = options;
  const began = new Date();
  const before = gpu.tuning;
  try {
    const choices = await makeChoices(gpu, size, options);
    return {
      schema: tuningSchema,
      date: began.toISOString(),
      durationMs: Date.now() - began.getTime(),
      adapter: gpu.diagnosis.adapter,
      software: gpu.isSoftware,
      timestamps: gpu.hasTimestamps,
      size,
      choices,
      tuning: checkedTuning(Object.fromEntries(choices.map(({ name, chosen }) => [name, chosen]))),
    };
  } finally {
    gpu.tuning = before;
    gpu.beforeTimed = undefined;
    gpu.spare.free();
  }
}

async function makeChoices(
  gpu: Gpu,
  size: number,
  { clockStepMs, signal, onProgress, onChoice }: TuneOptions,
): Promise<TunedChoice[]> {
  using scope = gpu.scope('tune');
  gpu.tuning = standardTuning;
  onProgress?.({ stage: 'preparing test data', done: 0, total: tuningNames.length });
  const heater = createHeater(gpu, scope, heatBytes);
  using trials = await prepareTrials(gpu, scope, size, signal);
  const sample = async (name: TuningName, value: number): Promise<number> => {
    throwIfAborted(signal);
    gpu.tuning = { ...standardTuning, [name]: value };
    return runTrial(trials.of[name]);
  };
  onProgress?.({ stage: 'compiling kernels', done: 0, total: tuningNames.length });
  for (const name of tuningNames) for (const value of tuningChoices[name].values) await sample(name, value);
  // From here on the GPU is never idle, so its clocks are raised only once.
  gpu.beforeTimed = async () => {
    await heater.raiseClocks();
    await heater.keepBusy();
  };
  const choices: TunedChoice[] = [];
  for (const name of tuningNames) {
    const choice: TuningChoice = tuningChoices[name];
    onProgress?.({ stage: choice.what, done: choices.length, total: tuningNames.length });
    const found = await chooseValue(choice, (value) => sample(name, value), {
      turns: gpu.isSoftware ? softwareTurns : turns,
      now: () => performance.now(),
      clockStepMs,
    });
    const tunedChoice = { ...choice, name, ...found };
    choices.push(tunedChoice);
    onChoice?.(tunedChoice);
  }
  return choices;
}

export interface ChooseOptions {
  readonly turns: { readonly least: number; readonly most: number; readonly enoughMs: number };
  /** A clock in milliseconds. */
  readonly now: () => number;
  readonly clockStepMs?: number | undefined;
}

/**
 * Chooses the standard, unless the value with the lowest median is at least 5 % faster, first measured among all values and then
 * against the standard alone. @param sample runs the work with a value and resolves with its time in milliseconds
 */
export async function chooseValue(
  { values, standard }: Pick<TuningChoice, 'values' | 'standard'>,
  sample: (value: number) => Promise<number>,
  options: ChooseOptions,
): Promise<Pick<TunedChoice, 'chosen' | 'medianMs'>> {
  const medianMs = await mediansOf(values, sample, options);
  const fastest = values[medianMs.indexOf(Math.min(...medianMs))] as number;
  const { clockStepMs = 0 } = options;
  const isFaster = (otherMs: number, standardMs: number): boolean =>
    otherMs <= (1 - gain) * standardMs && standardMs - otherMs > clockStepMs;
  if (!isFaster(Math.min(...medianMs), medianMs[values.indexOf(standard)] as number)) return { chosen: standard, medianMs };
  const [standardMs, fastestMs] = (await mediansOf([standard, fastest], sample, options)) as [number, number];
  return { chosen: isFaster(fastestMs, standardMs) ? fastest : standard, medianMs };
}

/** Measures in the order A B C, C B A, so that drift affects all values alike. */
async function mediansOf(
  values: readonly number[],
  sample: (value: number) => Promise<number>,
  { turns: { least, most, enoughMs }, now }: ChooseOptions,
): Promise<number[]> {
  const samples = values.map((): number[] => []);
  const order = [...values.keys(), ...[...values.keys()].reverse()];
  const start = now();
  for (let turn = 0; turn < most && (turn < least || now() - start < enoughMs); turn++) {
    for (const index of order) samples[index]?.push(await sample(values[index] as number));
  }
  return samples.map((each) => spreadOf(each).median);
}

async function runTrial({ stages, run }: Trial): Promise<number> {
  let ms = 0;
  await run((times) => {
    const own = times.stages.filter(({ label }) => stages.includes(label));
    if (own.length === 0) return;
    const gpuMs = own.map((stage) => stage.gpuMs ?? Number.NaN).reduce((sum, each) => sum + each, 0);
    ms += Number.isNaN(gpuMs) ? times.wallMs : gpuMs;
  });
  return ms;
}
