import { abortable } from '../../../core/shared/abortable.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { LevelBox, LeveledVoxels, LevelsInMaking, VolumeLevel } from '../../../core/shared/volume-level.ts';
import type { DetailAnswer, DetailCommand } from './detail-protocol.ts';
import type { LevelsBlob } from './levels-protocol.ts';

interface Asked {
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: unknown) => void;
}

/** The parts of a `Worker` that are used, so that tests can replace it. */
export type DetailWorker = Pick<Worker, 'postMessage' | 'terminate'> & {
  onmessage: ((event: MessageEvent<DetailAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
};

/** Boxes of the open file, read by a worker that starts with the first request. */
export class FileDetail implements LeveledVoxels {
  readonly levels: readonly VolumeLevel[];
  readonly making: LevelsInMaking | undefined;
  readonly #start: () => DetailWorker;
  /** Made levels, by time point. */
  readonly #made = new Map<number, LevelsBlob>();
  readonly #asked = new Map<number, Asked>();
  #worker: DetailWorker | undefined;
  #next = 0;
  #isClosed = false;

  /** @param start starts a worker that knows its file @param making set if levels are made while the file is open */
  constructor(levels: readonly VolumeLevel[], start: () => DetailWorker, making?: Pick<LevelsInMaking, 'canSkip'>) {
    this.levels = levels;
    this.#start = start;
    this.making = making && {
      ...making,
      isMade: (level, timePoint) => level >= (this.#made.get(timePoint)?.firstLevel ?? Number.POSITIVE_INFINITY),
    };
  }

  /** Boxes of a time point's levels are read from these from now on. */
  addLevels(levels: LevelsBlob): void {
    this.#made.set(levels.timePoint, levels);
    this.#worker?.postMessage({ kind: 'add-levels', levels } satisfies DetailCommand);
  }

  /** The levels of a time point are no longer there. */
  dropLevels(timePoint: number): void {
    if (this.#made.delete(timePoint)) this.#worker?.postMessage({ kind: 'drop-levels', timePoint } satisfies DetailCommand);
  }

  read(box: LevelBox, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#isClosed || signal?.aborted) return Promise.reject(aborted());
    this.#worker ??= this.#started();
    const number = this.#next++;
    const worker = this.#worker;
    return abortable(signal, (resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      worker.postMessage({ kind: 'read', number, box } satisfies DetailCommand);
      return () => {
        if (this.#asked.delete(number)) worker.postMessage({ kind: 'cancel', number } satisfies DetailCommand);
      };
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#made.clear();
    this.#end(aborted());
  }

  #started(): DetailWorker {
    const worker = this.#start();
    for (const levels of this.#made.values()) worker.postMessage({ kind: 'add-levels', levels } satisfies DetailCommand);
    worker.onmessage = ({ data }) => {
      const asked = this.#asked.get(data.number);
      this.#asked.delete(data.number);
      if ('fault' in data) asked?.reject(faultFromData(data.fault));
      else asked?.resolve(data.bytes);
    };
    // The next request starts another one.
    worker.onerror = ({ message }) => this.#end(new StriaError('internal', `the reading thread ended: ${message}`));
    return worker;
  }

  #end(reason: StriaError): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const all = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of all) reject(reason);
  }
}

function aborted(): StriaError {
  return new StriaError('aborted', 'cancelled');
}
