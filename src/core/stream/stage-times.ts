import type { CommandTimes } from '../gpu/commands.ts';

/** How long kernels ran, by operation: `analyze`, `rle.encode`, `rle.decode`, `fill`, `check`. */
export interface KernelTimes {
  /** 'GPU': from timestamp queries. 'wall': from submission until the queue was done, on devices without them. */
  readonly clock: 'GPU' | 'wall';
  readonly ms: Readonly<Record<string, number>>;
}

/** Sums the times of GPU stages (see `BackendJob.onTimes`). */
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

  /** Undefined if nothing ran on a GPU. */
  times(): KernelTimes | undefined {
    return this.#ms.size === 0 ? undefined : { clock: this.#clock, ms: Object.fromEntries(this.#ms) };
  }
}

/** When a stage ran, in milliseconds since the work began. All stages share one clock, so that overlap is visible. */
export interface StageSpan<Stage extends string = string> {
  readonly stage: Stage;
  readonly startMs: number;
  readonly endMs: number;
  /** The bytes that the stage consumed (or, for writing, produced) in this span. */
  readonly bytes: number;
}

/** Spans of one stage that overlap, on several threads, or follow each other this closely are merged. */
const seamMs = 0.5;

/** Sums the wall time of each named stage, and records when each ran. Stages may overlap. */
export class Stopwatch<Stage extends string> {
  readonly #ms: Record<Stage, number>;
  readonly #spans: StageSpan<Stage>[] = [];
  readonly #start = performance.now();

  constructor(stages: readonly Stage[]) {
    this.#ms = Object.fromEntries(stages.map((stage) => [stage, 0])) as Record<Stage, number>;
  }

  async time<T>(stage: Stage, work: () => Promise<T>, bytes = 0): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.add(stage, start, performance.now(), bytes);
    }
  }

  /** Adds a span that was measured elsewhere, by `performance.now()`. */
  add(stage: Stage, startMs: number, endMs: number, bytes: number): void {
    this.#ms[stage] += endMs - startMs;
    this.#addSpan({ stage, startMs: startMs - this.#start, endMs: endMs - this.#start, bytes });
  }

  /** The stages in order of their starts. */
  timeline(): readonly StageSpan<Stage>[] {
    return [...this.#spans].sort((a, b) => a.startMs - b.startMs);
  }

  #addSpan(span: StageSpan<Stage>): void {
    const at = this.#spans.findLastIndex(({ stage }) => stage === span.stage);
    const last = this.#spans[at];
    if (!last || span.startMs - last.endMs > seamMs || last.startMs - span.endMs > seamMs) this.#spans.push(span);
    else {
      const [startMs, endMs] = [Math.min(last.startMs, span.startMs), Math.max(last.endMs, span.endMs)];
      this.#spans[at] = { ...last, startMs, endMs, bytes: last.bytes + span.bytes };
    }
  }

  /** The time of each stage, and `total` since the start. */
  times(): Readonly<Record<Stage | 'total', number>> {
    return { ...this.#ms, total: performance.now() - this.#start };
  }

  /** The times for a report. @param bytes handled in total, and by the stage `main` */
  report<Main extends Stage>(bytes: number, main: Main): StageReport<Stage, Main> {
    const timesMs = this.times();
    const rate = (stage: Main | 'total') => gigabytesPerSecond(bytes, timesMs[stage]);
    const rates = { total: rate('total'), [main]: rate(main) } as Record<Main | 'total', number>;
    return { timesMs, timeline: this.timeline(), gigabytesPerSecond: rates };
  }
}

export interface StageReport<Stage extends string = string, Main extends Stage = Stage> {
  readonly timesMs: Readonly<Record<Stage | 'total', number>>;
  readonly timeline: readonly StageSpan<Stage>[];
  readonly gigabytesPerSecond: Readonly<Record<Main | 'total', number>>;
}

/** Gigabytes (10^9 bytes) per second. */
export function gigabytesPerSecond(bytes: number, ms: number): number {
  return ms > 0 ? bytes / 1e6 / ms : 0;
}
