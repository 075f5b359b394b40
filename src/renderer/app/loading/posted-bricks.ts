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
  /** Levels that were added cannot be read. */
  levelsLost(timePoint: number, fault: StriaError): void;
}

interface Asked {
  readonly resolve: (chunks: readonly (EncodedChunk | StriaError)[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Bricks of a file that a worker reads. */
export class PostedBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly BrickLevel[];
  /** Whether the worker takes levels (`add-levels`). */
  readonly takesLevels: boolean;
  listener: BrickListener | undefined;
  readonly #places: readonly BrickLevelPlaces[];
  readonly #worker: BrickWorker;
  readonly #asked = new Map<number, Asked>();
  #next = 0;
  #ended: StriaError | undefined;

  private constructor(worker: BrickWorker, { info, levels: places, takesLevels }: Extract<BrickAnswer, { kind: 'opened' }>) {
    this.info = info;
    this.takesLevels = takesLevels;
    this.levels = places.map(({ dims, chunkShape, factors }) => ({ grid: new ChunkGrid(dims, chunkShape), factors }));
    this.#places = places;
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#take(data);
    worker.onerror = (event) => this.#end(threadFault(event));
  }

  /** @param worker a worker that was told to open its file; the bricks own it @throws StriaError like the reader */
  static open(worker: BrickWorker): Promise<PostedBricks> {
    return new Promise((resolve, reject) => {
      const fail = (fault: StriaError) => {
        worker.terminate();
        reject(fault);
      };
      worker.onmessage = ({ data }) => {
        if (data.kind === 'opened') resolve(new PostedBricks(worker, data));
        else if (data.kind === 'failed') fail(faultFromData(data.fault));
      };
      worker.onerror = (event) => fail(threadFault(event));
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
      this.#worker.postMessage({ kind: 'read', number, level: bricks[0]?.level ?? 0, chunks });
      return () => {
        if (!this.#asked.delete(number)) return;
        this.#worker.postMessage({ kind: 'cancel', number });
        this.#rested();
      };
    });
  }

  close(): void {
    this.#end(aborted());
  }

  /** Posts a command that is not answered, or answered by a call of the listener. */
  post(command: Extract<BrickCommand, { kind: 'add-levels' | 'drop-levels' }>): void {
    this.#worker.postMessage(command);
  }

  #timePointOf({ level, number }: Brick): number {
    return Math.floor(number / (this.levels[level]?.grid.chunksPerTimePoint ?? 1));
  }

  #rested(): void {
    if (this.#asked.size === 0) this.listener?.rests();
  }

  #take(answer: BrickAnswer): void {
    if (answer.kind === 'renewed') this.listener?.renewed(answer.timePoint, answer.firstLevel);
    if (answer.kind === 'levels-lost') this.listener?.levelsLost(answer.timePoint, faultFromData(answer.fault));
    if (answer.kind !== 'read' && answer.kind !== 'unread') return;
    const asked = this.#asked.get(answer.number);
    this.#asked.delete(answer.number);
    if (answer.kind === 'unread') asked?.reject(faultFromData(answer.fault));
    else asked?.resolve(answer.chunks.map((chunk) => ('fault' in chunk ? faultFromData(chunk.fault) : chunk)));
    this.#rested();
  }

  #end(reason: StriaError): void {
    this.#ended ??= reason;
    this.#worker.terminate();
    const all = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of all) reject(reason);
    this.listener?.rests();
  }
}

function aborted(): StriaError {
  return new StriaError('aborted', 'cancelled');
}

function threadFault({ message }: ErrorEvent): StriaError {
  return new StriaError('internal', `the reading thread ended: ${message}`);
}
