import type { Brick } from '../../../core/bricks/brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from '../../../core/bricks/brick-source.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { ChunkGrid } from '../../../core/format/chunk-grid.ts';
import { abortable } from '../../../core/shared/abortable.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { BrickAnswer, BrickCommand, BrickLevelPlaces } from './brick-protocol.ts';

/** The parts of a `Worker` that are used, so that tests can replace it. */
export type BrickWorker = Pick<Worker, 'terminate'> & {
  postMessage(command: BrickCommand): void;
  onmessage: ((event: MessageEvent<BrickAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
};

/** What a worker tells besides its answers, and when it works. */
export interface BrickListener {
  /** Bricks of a time point are being read. */
  reads(timePoint: number): void;
  /** No brick is being read any more. */
  rests(): void;
  /** Bricks of a time point, at this level and coarser ones, have other voxels now. */
  renewed(timePoint: number, firstLevel: number): void;
  /** Another worker was started. It has no levels yet. */
  restarts(): void;
  /** Levels that were added cannot be read. */
  levelsLost(timePoint: number, fault: StriaError): void;
}

interface Asked {
  readonly resolve: (chunks: readonly (EncodedChunk | StriaError)[]) => void;
  readonly reject: (error: unknown) => void;
}

/** After ending this many times without delivering a brick in between, the worker is not started again. */
const mostEnds = 5;

/** Bricks of a file that a worker reads. If the worker ends, pending reads fail, and the next read starts another one. */
export class PostedBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly BrickLevel[];
  /** Whether the worker takes levels (`add-levels`). */
  readonly takesLevels: boolean;
  listener: BrickListener | undefined;
  readonly #places: readonly BrickLevelPlaces[];
  readonly #start: () => BrickWorker;
  #worker: BrickWorker | undefined;
  /** What a new worker is told once it has opened the file. Undefined if it has. */
  #early: Exclude<BrickCommand, { kind: 'open' }>[] | undefined;
  readonly #asked = new Map<number, Asked>();
  #next = 0;
  /** How often the worker has ended since the last brick arrived. */
  #ends = 0;
  #ended: StriaError | undefined;

  private constructor(start: () => BrickWorker, worker: BrickWorker, opened: Opened) {
    const { info, levels: places, takesLevels } = opened;
    this.info = info;
    this.takesLevels = takesLevels;
    this.levels = places.map(({ dims, chunkShape, factors }) => ({ grid: new ChunkGrid(dims, chunkShape), factors }));
    this.#places = places;
    this.#start = start;
    this.#follow(worker);
  }

  /** @param start starts a worker that opens the file; the bricks own it @throws StriaError like the reader */
  static open(start: () => BrickWorker): Promise<PostedBricks> {
    const worker = start();
    return new Promise((resolve, reject) => {
      const fail = (fault: StriaError) => {
        worker.terminate();
        reject(fault);
      };
      worker.onmessage = ({ data }) => {
        if (data.kind === 'opened') resolve(new PostedBricks(start, worker, data));
        else if (data.kind === 'failed') fail(faultFromData(data.fault));
      };
      worker.onerror = ({ message }) => fail(new StriaError('internal', `the reading thread ended: ${message}`));
    });
  }

  place({ level, number }: Brick): BrickPlace {
    const places = this.#places[level];
    const length = places?.recordLengths[number];
    if (!places || length === undefined) throw new StriaError('internal', `there is no chunk ${number} of level ${level}`);
    const payloadBytes = places.payloadLengths[number] as number;
    if (length === 0) return { payloadBytes };
    return { payloadBytes, range: { offset: places.recordOffsets[number] as number, length } };
  }

  read(bricks: readonly Brick[], { signal }: JobOptions = {}): Promise<readonly (EncodedChunk | StriaError)[]> {
    const fault = signal?.aborted ? aborted() : this.#ended;
    if (fault) return Promise.reject(fault);
    const number = this.#next++;
    const chunks = bricks.map((brick) => brick.number);
    for (const timePoint of new Set(bricks.map((brick) => this.#timePointOf(brick)))) this.listener?.reads(timePoint);
    return abortable(signal, (resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      if (!this.#worker) this.#startAgain();
      this.post({ kind: 'read', number, level: bricks[0]?.level ?? 0, chunks });
      return () => {
        if (!this.#asked.delete(number)) return;
        this.post({ kind: 'cancel', number });
        this.#rested();
      };
    });
  }

  close(): void {
    this.#giveUp(aborted());
  }

  /** Posts a command. Levels that a worker got are given to the next one by the listener (`restarts`). */
  post(command: Exclude<BrickCommand, { kind: 'open' }>): void {
    if (this.#early) this.#early.push(command);
    else this.#worker?.postMessage(command);
  }

  #timePointOf({ level, number }: Brick): number {
    return Math.floor(number / (this.levels[level]?.grid.chunksPerTimePoint ?? 1));
  }

  #rested(): void {
    if (this.#asked.size === 0) this.listener?.rests();
  }

  #startAgain(): void {
    this.#early = [];
    this.#follow(this.#start());
    this.listener?.restarts();
  }

  #follow(worker: BrickWorker): void {
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      if (this.#worker === worker) this.#take(data);
    };
    worker.onerror = ({ message }) => {
      if (this.#worker === worker) this.#end(`the thread that reads bricks ended: ${message}`);
    };
  }

  #take(answer: BrickAnswer): void {
    if (answer.kind === 'opened') this.#opened(answer);
    if (answer.kind === 'failed') this.#end(faultFromData(answer.fault).fullMessage);
    if (answer.kind === 'renewed') this.listener?.renewed(answer.timePoint, answer.firstLevel);
    if (answer.kind === 'levels-lost') this.listener?.levelsLost(answer.timePoint, faultFromData(answer.fault));
    if (answer.kind !== 'read' && answer.kind !== 'unread') return;
    const asked = this.#asked.get(answer.number);
    this.#asked.delete(answer.number);
    if (answer.kind === 'unread') asked?.reject(faultFromData(answer.fault));
    else {
      this.#ends = 0;
      asked?.resolve(answer.chunks.map((chunk) => ('fault' in chunk ? faultFromData(chunk.fault) : chunk)));
    }
    this.#rested();
  }

  /** A new worker has opened the file. */
  #opened({ levels }: Opened): void {
    const arePlaced = this.#places.every((before, at) =>
      placeKeys.every((key) => areEqual(before[key], levels[at]?.[key] ?? [])),
    );
    if (levels.length !== this.#places.length || !arePlaced) {
      this.#giveUp(new StriaError('not-readable', 'the file has changed. Open it again'));
      return;
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const command of early) this.post(command);
  }

  /** The worker has ended. The next read starts another one, unless that has happened too often. */
  #end(reason: string): void {
    this.#ends++;
    if (this.#ends < mostEnds) this.#drop(new StriaError('not-readable', reason));
    else this.#giveUp(new StriaError('not-readable', `${reason} (${mostEnds} times). Open the file again`));
  }

  #giveUp(fault: StriaError): void {
    this.#ended ??= fault;
    this.#drop(fault);
  }

  #drop(fault: StriaError): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#early = undefined;
    const all = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of all) reject(fault);
    this.listener?.rests();
  }
}

type Opened = Extract<BrickAnswer, { kind: 'opened' }>;

const placeKeys = ['dims', 'chunkShape', 'factors', 'recordOffsets', 'recordLengths', 'payloadLengths'] as const;

function areEqual(one: ArrayLike<unknown>, other: ArrayLike<unknown>): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

function aborted(): StriaError {
  return new StriaError('aborted', 'cancelled');
}
