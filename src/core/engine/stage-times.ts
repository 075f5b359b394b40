import type { CommandTimes } from '../gpu/commands.ts';

/** How long kernels ran, by what they did: `analyze`, `rle.encode`, `rle.decode`, `fill`, `check`. */
export interface KernelTimes {
  /** 'GPU': by timestamp queries. 'wall': the device has none, so from submission until the queue was done. */
  readonly clock: 'GPU' | 'wall';
  readonly ms: Readonly<Record<string, number>>;
}

/** Adds up the times of GPU stages (see `BackendJob.onTimes`). */
export class KernelClock {
  readonly #ms = new Map<string, number>();
  #clock: 'GPU' | 'wall' = 'GPU';

  readonly onTimes = ({ stages, wallMs }: CommandTimes): void => {
    for (const { label, gpuMs } of stages) {
      if (gpuMs === undefined) this.#clock = 'wall';
      const name = label.split('.').slice(0, 2).join('.');
      this.#ms.set(name, (this.#ms.get(name) ?? 0) + (gpuMs ?? wallMs / stages.length));
    }
  };

  /** Undefined where nothing ran on a GPU. */
  times(): KernelTimes | undefined {
    return this.#ms.size === 0 ? undefined : { clock: this.#clock, ms: Object.fromEntries(this.#ms) };
  }
}

/** Adds up the wall time of each named stage. Stages may overlap. */
export class Stopwatch<Stage extends string> {
  readonly #ms: Record<Stage, number>;
  readonly #start = performance.now();

  constructor(stages: readonly Stage[]) {
    this.#ms = Object.fromEntries(stages.map((stage) => [stage, 0])) as Record<Stage, number>;
  }

  async time<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.#ms[stage] += performance.now() - start;
    }
  }

  /** The stages, and `total` since the start. */
  times(): Readonly<Record<Stage | 'total', number>> {
    return { ...this.#ms, total: performance.now() - this.#start };
  }
}

/** Gigabytes (10^9) of `bytes` in a second. */
export function gigabytesPerSecond(bytes: number, ms: number): number {
  return ms > 0 ? bytes / 1e6 / ms : 0;
}
