import { brickOf } from '../../../core/bricks/brick.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { decimationOf } from '../../../core/shared/volume-level.ts';
import type { BrickFile } from '../../viewer/draw/brick-space.ts';
import type { LevelsState } from '../../viewer/model/viewer-api.ts';
import type { BrickBudgets } from '../state/brick-budgets.ts';
import type { FileDetail } from './file-detail.ts';
import { LevelMaking, type LevelsWorker } from './level-making.ts';
import { type BrickWorker, PostedBricks } from './posted-bricks.ts';

/** Starts the threads that work on a file. */
export interface BrickWorkers {
  /** Starts a worker that opens the file and reads its bricks. */
  bricks(): BrickWorker;
  /** Starts a worker that opens the file and makes the levels of a time point, in at most so many bytes. */
  levels(timePoint: number, limitBytes: number): LevelsWorker;
}

interface OpenBricks {
  readonly source: PostedBricks;
  readonly host: HostBricks;
  /** Undefined if the file has levels. */
  readonly making: LevelMaking | undefined;
}

/** The bricks of the open file, read by a worker that starts when they are first needed. They outlive the GPU device. */
export class FileBricks implements BrickFile {
  readonly limits: BrickFile['limits'];
  readonly hostBytes: number;
  onLevels: (() => void) | undefined;
  readonly #workers: BrickWorkers;
  #opening: Promise<OpenBricks> | undefined;
  #opened: OpenBricks | undefined;
  #worker: BrickWorker | undefined;
  #detail: FileDetail | undefined;
  #timePoint = 0;
  #isClosed = false;

  constructor({ hostBytes, ...limits }: BrickBudgets, workers: BrickWorkers) {
    this.limits = limits;
    this.hostBytes = hostBytes;
    this.#workers = workers;
  }

  async open(): Promise<HostBricks> {
    if (this.#isClosed) throw new StriaError('aborted', 'cancelled');
    this.#opening ??= this.#open();
    // The next call tries again.
    this.#opening.catch(() => {
      this.#opening = undefined;
    });
    return (await this.#opening).host;
  }

  get levels(): LevelsState | undefined {
    return this.#opened?.making?.state;
  }

  get levelBytes(): number {
    return this.#opened?.making?.bytes ?? 0;
  }

  /** All levels of a volume of one time point, as the file that `makeLevels` writes. Undefined unless they are made. */
  get wholeLevels(): Blob | undefined {
    const { source, making } = this.#opened ?? {};
    const made = source?.info.dims[3] === 1 ? making?.of(0) : undefined;
    return made?.firstLevel === 1 ? made.blob : undefined;
  }

  show(timePoint: number): void {
    this.#timePoint = timePoint;
    this.#opened?.making?.show(timePoint);
  }

  /** Made levels go to these boxes of the same file, too, from which slices are drawn. They replace those of an earlier call. */
  giveLevels(detail: FileDetail | undefined): void {
    this.#detail = detail;
    for (const levels of this.#opened?.making?.made ?? []) detail?.addLevels(levels);
  }

  /** Cancels pending reads, and frees everything. */
  close(): void {
    this.#isClosed = true;
    this.#worker?.terminate();
    void this.#opening?.then(
      ({ source, host, making }) => {
        making?.close();
        host.close();
        source.close();
      },
      () => {},
    );
  }

  async #open(): Promise<OpenBricks> {
    const source = await PostedBricks.open(() => {
      this.#worker = this.#workers.bricks();
      return this.#worker;
    });
    // Made levels and the bricks that were read share the budget.
    const levelBytes = source.takesLevels ? Math.floor(this.hostBytes / 2) : 0;
    const host = new HostBricks(source, { bytes: this.hostBytes - levelBytes });
    const making = source.takesLevels && !this.#isClosed ? this.#makingFor(source, levelBytes) : undefined;
    making?.show(this.#timePoint);
    source.listener = {
      reads: (timePoint) => making?.read(timePoint),
      rests: () => making?.ended(),
      restarts: () => {
        for (const levels of making?.made ?? []) source.post({ kind: 'add-levels', levels });
      },
      levelsLost: (timePoint, fault) => {
        this.#detail?.dropLevels(timePoint);
        making?.lost(timePoint, fault);
      },
      renewed: (timePoint, firstLevel) => {
        host.renew((key) => {
          const { level, number } = brickOf(key);
          const perTime = source.levels[level]?.grid.chunksPerTimePoint ?? 1;
          return level >= firstLevel && Math.floor(number / perTime) === timePoint;
        });
      },
    };
    this.#opened = { source, host, making };
    return this.#opened;
  }

  #makingFor(source: PostedBricks, limitBytes: number): LevelMaking {
    return new LevelMaking({
      limitBytes,
      start: (timePoint, bytes) => this.#workers.levels(timePoint, bytes),
      decimationOf: (level) => decimationOf(source.levels[level]?.factors ?? [1, 1, 1]),
      add: (levels) => {
        source.post({ kind: 'add-levels', levels });
        this.#detail?.addLevels(levels);
      },
      drop: (timePoint) => {
        source.post({ kind: 'drop-levels', timePoint });
        this.#detail?.dropLevels(timePoint);
      },
      changed: () => this.onLevels?.(),
    });
  }
}
