import type { Commands, CommandTimes } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { createHeater, type Heater, recordCopy } from './heater.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** The repetitions of one piece of work. */
export interface Timing {
  readonly gpuMs: Spread | undefined;
  readonly wallMs: Spread;
  readonly stages: Readonly<Record<string, Spread>>;
}

const warmUps = 3;
/** Times on a software GPU say nothing about a GPU, so work there only has to run. */
const [softwareWarmUps, softwareRepetitions] = [1, 3];
/** On the CPU, measuring stops after this many milliseconds, but not before a minimum number of repetitions. */
const cpuEnoughMs = 2000;
const cpuLeast = 3;
const clockStepMs = 0.1;
/** The minimum duration of a sample on the CPU, so that the clock's resolution is only a few percent of it. */
const sampleMs = 4;

/** Times work on one GPU, and the copies with which it is compared. */
export class Meter {
  readonly gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #heater: Heater;
  readonly #repetitions: number;
  readonly #signal: AbortSignal | undefined;
  readonly #copies = new Map<number, Timing>();

  /** @param scope owns the meter's resources: copies that keep the clocks up */
  constructor(gpu: Gpu, scope: GpuScope, repetitions: number, signal: AbortSignal | undefined) {
    this.gpu = gpu;
    this.#scope = scope;
    this.#heater = createHeater(gpu, scope);
    this.#repetitions = repetitions;
    this.#signal = signal;
  }

  /**
   * Runs work repeatedly: three times without measuring, then as often as requested, each time after copies that keep the
   * clocks up and flush the cache. A software GPU runs it once without measuring, and then at most three times.
   * @param work passes `onTimes` to each Commands that it creates, and resolves when the GPU is done
   * @param asideMs milliseconds so far that do not belong to the work
   * @throws StriaError `internal` if the device rejected part of the work, because work that did not run has no time
   */
  async time(work: (onTimes: NonNullable<Commands['onTimes']>) => Promise<void>, asideMs = () => 0): Promise<Timing> {
    const repetitions = new Repetitions();
    this.gpu.device.pushErrorScope('validation');
    try {
      await this.#repeat(work, repetitions, asideMs);
    } finally {
      // A lost device may reject this. The work's own error then reports the loss.
      const error = await this.gpu.device.popErrorScope().catch(() => null);
      // biome-ignore lint/correctness/noUnsafeFinally: the device's rejection is the reason why the work failed
      if (error) throw new StriaError('internal', `the GPU rejected work of the benchmark: ${error.message}`);
    }
    return repetitions.timing();
  }

  async #repeat(
    work: (onTimes: NonNullable<Commands['onTimes']>) => Promise<void>,
    repetitions: Repetitions,
    asideMs: () => number,
  ): Promise<void> {
    const { isSoftware } = this.gpu;
    const count = isSoftware ? Math.min(softwareRepetitions, this.#repetitions) : this.#repetitions;
    for (let repetition = isSoftware ? -softwareWarmUps : -warmUps; repetition < count; repetition++) {
      throwIfAborted(this.#signal);
      // The first repetition may compile kernels for seconds, while the GPU is idle.
      if (repetition <= 0) await this.#heater.raiseClocks();
      await this.#heater.keepBusy();
      const start = performance.now() - asideMs();
      await work(repetitions.onTimes);
      repetitions.end(performance.now() - asideMs() - start, repetition >= 0);
    }
  }

  /**
   * Like `time`, for work with long gaps between submits, for example if the CPU has much to do. Copies precede each submit,
   * and raise the clocks after a long gap. Wall times exclude the copies.
   */
  async timeApart(work: (onTimes: NonNullable<Commands['onTimes']>) => Promise<void>): Promise<Timing> {
    let heatMs = 0;
    let heatedUntil = 0;
    this.gpu.beforeTimed = async () => {
      const start = performance.now();
      await this.#heater.raiseClocks();
      await this.#heater.keepBusy();
      // Submits that wait at the same time share this time.
      const end = performance.now();
      heatMs += end - Math.max(start, heatedUntil);
      heatedUntil = end;
    };
    try {
      return await this.time(work, () => heatMs);
    } finally {
      this.gpu.beforeTimed = undefined;
    }
  }

  /** Times commands that are recorded and submitted once per repetition, for work without a readback in the middle. */
  timeCommands(label: string, record: (commands: Commands) => void): Promise<Timing> {
    return this.time(async (onTimes) => {
      const commands = this.gpu.commands(label, onTimes);
      record(commands);
      await commands.submit();
    });
  }

  /** Times a WGSL copy of a buffer, the upper bound on speed for that many bytes. Measured once per size. */
  async copyOf(source: GPUBuffer): Promise<Timing> {
    const known = this.#copies.get(source.size);
    if (known) return known;
    using scope = this.#scope.scope('copy');
    const target = scope.storage('target', source.size);
    const timing = await this.timeCommands('copy', (commands) => {
      recordCopy(this.gpu, commands.stage('copy'), source, target);
    });
    this.#copies.set(source.size, timing);
    return timing;
  }

  /** Raises the clocks of an idle GPU, for work that then repeats without a pause. */
  raiseClocks(): Promise<void> {
    return this.#heater.raiseClocks();
  }

  /** Times work on the CPU. */
  timeCpu(work: () => Promise<unknown> | unknown): Promise<Timing> {
    return timeWall(work, this.#repetitions, this.#signal);
  }
}

/**
 * Times work by the host's clock, after one warm-up. Slow work stops after two seconds, with at least three repetitions. A
 * page's clock has a resolution of 0.1 ms, so fast work is repeated within each sample.
 */
async function timeWall(
  work: () => Promise<unknown> | unknown,
  repetitions: number,
  signal: AbortSignal | undefined,
): Promise<Timing> {
  const samples: number[] = [];
  const warmUp = performance.now();
  await work();
  const once = Math.max(clockStepMs, performance.now() - warmUp);
  const batch = Math.max(1, Math.ceil(sampleMs / once));
  const begin = performance.now();
  while (samples.length < repetitions && (samples.length < cpuLeast || performance.now() - begin < cpuEnoughMs)) {
    throwIfAborted(signal);
    const start = performance.now();
    for (let run = 0; run < batch; run++) await work();
    samples.push((performance.now() - start) / batch);
  }
  return { gpuMs: undefined, wallMs: spreadOf(samples), stages: {} };
}

/** Collects the stage times of the Commands of one repetition, and those of all repetitions. */
class Repetitions {
  #current = new Map<string, number>();
  #complete = true;
  readonly #stages = new Map<string, number[]>();
  readonly #totals: number[] = [];
  readonly #walls: number[] = [];

  readonly onTimes = ({ stages }: CommandTimes): void => {
    for (const { label, gpuMs } of stages) {
      if (gpuMs === undefined) this.#complete = false;
      else this.#current.set(label, (this.#current.get(label) ?? 0) + gpuMs);
    }
  };

  end(wallMs: number, counts: boolean): void {
    if (counts) {
      this.#walls.push(wallMs);
      this.#totals.push([...this.#current.values()].reduce((sum, ms) => sum + ms, 0));
      for (const [label, ms] of this.#current) this.#stages.set(label, [...(this.#stages.get(label) ?? []), ms]);
    }
    this.#current = new Map();
  }

  timing(): Timing {
    const hasStages = this.#stages.size > 0;
    return {
      gpuMs: this.#complete && hasStages ? spreadOf(this.#totals) : undefined,
      wallMs: spreadOf(this.#walls),
      stages: Object.fromEntries([...this.#stages].map(([label, samples]) => [label, spreadOf(samples)])),
    };
  }
}
