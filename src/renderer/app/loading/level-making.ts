import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { LevelsState } from '../../viewer/model/viewer-api.ts';
import type { LevelsAnswer, LevelsBlob, LevelsOrder } from './levels-protocol.ts';

/** The parts of a `Worker` that are used, so that tests can replace it. */
export type LevelsWorker = Pick<Worker, 'terminate'> & {
  postMessage(order: LevelsOrder): void;
  onmessage: ((event: MessageEvent<LevelsAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
};

/** Levels are made once no brick has been read for so many milliseconds. */
export const restMs = 500;

export interface LevelMakingNeeds {
  /** Starts a worker, and orders the levels of a time point in at most so many bytes. */
  start(timePoint: number, limitBytes: number): LevelsWorker;
  /** For the levels of all time points together. */
  readonly limitBytes: number;
  /** n if a level has 1/n of the volume's resolution. */
  decimationOf(level: number): number;
  /** Levels are there. */
  add(levels: LevelsBlob): void;
  /** The levels of a time point are no longer kept. */
  drop(timePoint: number): void;
  /** The state has changed. */
  changed(): void;
}

interface Run {
  readonly timePoint: number;
  readonly worker: LevelsWorker;
  isPaused: boolean;
}

/**
 * Has the levels of a file without levels made in the background, for the shown time point and those whose bricks are read beside it. The worker
 * pauses while bricks are read. Levels of other time points are kept as long as there is memory.
 */
export class LevelMaking {
  readonly #needs: LevelMakingNeeds;
  readonly #made = new Map<number, LevelsBlob>();
  /** Time points to make, the shown one first. */
  #wanted: number[] = [0];
  /** Those that were begun since another time point was shown, so that none is made again and again. */
  readonly #begun = new Set<number>();
  /** Why time points have no levels. Forgotten when another one is shown. */
  readonly #faults = new Map<number, LevelsState>();
  #run: Run | undefined;
  #state: LevelsState | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  #isClosed = false;

  constructor(needs: LevelMakingNeeds) {
    this.#needs = needs;
    this.#rest();
  }

  /** Undefined before the first levels are begun. */
  get state(): LevelsState | undefined {
    return this.#state;
  }

  /** The memory that finished levels take. */
  get bytes(): number {
    let bytes = 0;
    for (const { blob } of this.#made.values()) bytes += blob.size;
    return bytes;
  }

  /** All levels that are made. */
  get made(): Iterable<LevelsBlob> {
    return this.#made.values();
  }

  /** The levels of a time point; undefined if they are not made. */
  of(timePoint: number): LevelsBlob | undefined {
    return this.#made.get(timePoint);
  }

  /** This time point is shown now. Levels of another one that are not finished are given up. */
  show(timePoint: number): void {
    if (this.#wanted[0] === timePoint) return;
    this.#wanted = [timePoint];
    this.#begun.clear();
    this.#faults.clear();
    this.#rest();
  }

  /** Bricks of a time point are being read. */
  read(timePoint: number): void {
    this.#isReading = true;
    clearTimeout(this.#timer);
    if (!this.#wanted.includes(timePoint)) this.#wanted.push(timePoint);
    if (!this.#run || this.#run.isPaused) return;
    this.#run.isPaused = true;
    this.#run.worker.postMessage({ kind: 'pause' });
  }

  /** No bricks are being read any more. */
  ended(): void {
    this.#isReading = false;
    this.#rest();
  }

  /** The levels of a time point turned out to be unreadable. */
  lost(timePoint: number, fault: StriaError): void {
    this.#made.delete(timePoint);
    this.#faults.set(timePoint, { kind: 'failed', message: fault.message });
    this.#told(this.#stateOf(this.#wanted[0] as number) ?? this.#state);
  }

  /** Cancels everything and forgets all levels. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#stop();
    this.#made.clear();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    if (!this.#isReading && !this.#isClosed) this.#timer = setTimeout(() => this.#go(), restMs);
  }

  #go(): void {
    const running = this.#run?.timePoint;
    const next = this.#wanted.find(
      (timePoint) => timePoint === running || (!this.#made.has(timePoint) && !this.#begun.has(timePoint)),
    );
    if (this.#run && next === running) {
      this.#run.isPaused = false;
      this.#run.worker.postMessage({ kind: 'resume' });
      return;
    }
    this.#stop();
    if (next === undefined) this.#told(this.#stateOf(this.#wanted[0] as number) ?? this.#state);
    else this.#begin(next);
  }

  #begin(timePoint: number): void {
    this.#begun.add(timePoint);
    // Levels of the shown time point stay.
    const shownBytes = this.of(this.#wanted[0] as number)?.blob.size ?? 0;
    const worker = this.#needs.start(timePoint, this.#needs.limitBytes - shownBytes);
    this.#run = { timePoint, worker, isPaused: false };
    worker.onmessage = ({ data }) => this.#take(data);
    worker.onerror = ({ message }) => this.#failed(new StriaError('internal', `the thread ended: ${message}`));
    this.#told({ kind: 'making', percent: 0 });
  }

  #take(answer: LevelsAnswer): void {
    switch (answer.kind) {
      case 'progress':
        this.#makeRoom(answer.bytes);
        this.#told({ kind: 'making', percent: Math.floor(100 * answer.share) });
        return;
      case 'failed':
        this.#failed(faultFromData(answer.fault));
        return;
      case 'made': {
        const { timePoint, firstLevel, blob } = answer;
        this.#stop();
        if (this.#makeRoom(blob.size)) {
          this.#made.set(timePoint, { timePoint, firstLevel, blob });
          this.#needs.add({ timePoint, firstLevel, blob });
        }
        this.#told(this.#stateOf(timePoint));
        this.#rest();
      }
    }
  }

  #failed(fault: StriaError): void {
    const timePoint = this.#run?.timePoint ?? (this.#wanted[0] as number);
    const state: LevelsState =
      fault.tag === 'limit-too-small' ? { kind: 'too-large' } : { kind: 'failed', message: fault.message };
    this.#faults.set(timePoint, state);
    this.#stop();
    this.#told(state);
    this.#rest();
  }

  #stop(): void {
    this.#run?.worker.terminate();
    this.#run = undefined;
  }

  /** Drops the oldest levels, except those of the shown time point, until there is room for some bytes. @returns whether there is */
  #makeRoom(bytes: number): boolean {
    for (const timePoint of [...this.#made.keys()]) {
      if (this.bytes + bytes <= this.#needs.limitBytes) break;
      if (timePoint === this.#wanted[0]) continue;
      this.#made.delete(timePoint);
      this.#needs.drop(timePoint);
    }
    return this.bytes + bytes <= this.#needs.limitBytes;
  }

  #stateOf(timePoint: number): LevelsState | undefined {
    const made = this.#made.get(timePoint);
    if (!made) return this.#faults.get(timePoint);
    return { kind: 'made', leftOut: made.firstLevel > 1 ? this.#needs.decimationOf(made.firstLevel - 1) : undefined };
  }

  #told(state: LevelsState | undefined): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#needs.changed();
  }
}
