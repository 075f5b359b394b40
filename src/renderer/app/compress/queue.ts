import { faultToData, toStriaError } from '../../../core/shared/errors.ts';
import { type JobOptions, type Progress, throwIfAborted } from '../../../core/shared/job.ts';
import type { VolumeChoice } from '../../../core/shared/volume-choice.ts';
import { levelsName } from '../../../core/shared/volume-names.ts';
import type { Host, HostFile, HostSink } from '../../host/host.ts';
import { type Dataset, datasetBytes, striaName } from '../loading/datasets.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { nextProgress, startProgress } from '../state/progress.ts';
import { isFinished, type QueueRow, type QueueRowState, withRowState, withRowsFor } from '../state/queue-rows.ts';
import type { AppStore } from '../state/store.ts';
import type { BackgroundCompressor } from './background.ts';
import { type CompressedKind, codecChoice } from './compress-protocol.ts';
import { onNextDevice } from './next-device.ts';

type RequestedFile = Extract<OpenRequest, { kind: 'file' }>;

interface QueueJob extends JobOptions {
  readonly signal: AbortSignal;
}

/** A file that was written. */
interface Made {
  readonly sink: HostSink;
  readonly report: { readonly bytesIn: number; readonly bytesOut: number };
}

interface QueuedVolume {
  readonly file: HostFile;
  /** The id of the volume, if the file holds several. */
  readonly dataset: string | undefined;
  readonly raw?: RequestedFile['raw'];
  /** Default: 'stria'. */
  readonly makes?: CompressedKind | undefined;
  /** Its levels, if they are made already. */
  readonly levels?: Blob | undefined;
}

/** Compresses files one after the other, each beside its source. A file that fails does not stop the others. */
export class CompressQueue {
  readonly #host: Pick<Host, 'saveBeside'>;
  readonly #store: AppStore;
  readonly #compressor: Pick<BackgroundCompressor, 'compress'>;
  readonly #jobs = new Map<number, QueuedVolume>();
  readonly #controllers = new Map<number, AbortController>();
  /** The row whose file is being given its name. Whether that succeeds decides what the row says. */
  #closing: number | undefined;
  #nextId = 1;
  #isRunning = false;

  constructor(host: Pick<Host, 'saveBeside'>, store: AppStore, compressor: Pick<BackgroundCompressor, 'compress'>) {
    this.#host = host;
    this.#store = store;
    this.#compressor = compressor;
  }

  add(datasets: readonly Dataset<HostFile>[]): void {
    const rows = datasets.map((dataset): QueueRow => {
      const id = this.#nextId++;
      this.#jobs.set(id, { file: dataset.primary, dataset: dataset.primary.dataset?.id });
      return { id, name: dataset.primary.name, size: datasetBytes(dataset) || undefined, state: { kind: 'waiting' } };
    });
    this.#store.setState(({ queue }) => ({ queue: [...queue, ...rows] }));
    void this.#run();
  }

  /**
   * Keeps the levels of an opened file beside it.
   * @param opened `OpenDocument.opened` @param levels as a file, if they are made already
   */
  addLevels(opened: object, { file, dataset, raw }: Pick<RequestedFile, 'file' | 'dataset' | 'raw'>, levels?: Blob): void {
    const id = this.#nextId++;
    this.#jobs.set(id, { file, dataset, raw, makes: 'levels', levels });
    const size = file.size || undefined;
    const row: QueueRow = { id, name: `Levels of ${file.name}`, size, state: { kind: 'waiting' }, levelsOf: opened };
    this.#store.setState(({ queue }) => ({ queue: [...queue, row] }));
    void this.#run();
  }

  /** Compresses these volumes of a file that holds several. */
  choose(id: number, choices: readonly Pick<VolumeChoice, 'id' | 'label'>[]): void {
    const row = this.#store.getState().queue.find((one) => one.id === id);
    if (row?.state.kind !== 'several' || choices.length === 0) return;
    const { file } = row.state;
    const rows = choices.map((choice): QueueRow => {
      const next = this.#nextId++;
      this.#jobs.set(next, { file, dataset: choice.id });
      return { id: next, name: `${row.name} · ${choice.label || choice.id}`, size: undefined, state: { kind: 'waiting' } };
    });
    this.#store.setState(({ queue }) => ({ queue: withRowsFor(queue, id, rows) }));
    void this.#run();
  }

  /**
   * Changes the row at once. The part of the file that was written so far is discarded. A file that is complete, and about to get its
   * name, is not cancelled.
   */
  cancel(id: number): void {
    if (id === this.#closing) return;
    // A row that waits may hold much memory. A running one has taken its job already.
    this.#jobs.delete(id);
    this.#setState(id, { kind: 'cancelled' });
    this.#controllers.get(id)?.abort();
  }

  cancelAll(): void {
    for (const { id } of this.#store.getState().queue) this.cancel(id);
  }

  /** Removes the finished rows. */
  clear(): void {
    this.#store.setState(({ queue }) => ({ queue: queue.filter((row) => !isFinished(row)) }));
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (;;) {
        const row = this.#store.getState().queue.find(({ state }) => state.kind === 'waiting');
        if (!row) return;
        await this.#compress(row);
        this.#jobs.delete(row.id);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #compress({ id, levelsOf }: QueueRow): Promise<void> {
    const volume = this.#jobs.get(id);
    if (!volume) return;
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    const start = performance.now();
    let progress = startProgress('Reading', undefined, start);
    this.#setState(id, { kind: 'running', progress });
    try {
      const job = {
        signal: controller.signal,
        onProgress: (next: Progress) => {
          progress = nextProgress(progress, next, performance.now());
          this.#setState(id, { kind: 'running', progress });
        },
      };
      const { sink, report } = await this.#made(id, volume, job);
      const { bytesIn, bytesOut } = report;
      const ms = performance.now() - start;
      this.#setState(id, { kind: 'done', bytesIn, bytesOut, ms, name: sink.name, folder: sink.folder, reveal: sink.reveal });
      if (levelsOf) this.#store.setState({ levelsKeptOf: levelsOf });
    } catch (error) {
      const { tag } = toStriaError(error);
      if (tag === 'several') this.#setState(id, { kind: 'several', file: volume.file });
      else this.#setState(id, tag === 'aborted' ? { kind: 'cancelled' } : { kind: 'failed', fault: faultToData(error) });
    } finally {
      this.#closing = undefined;
      this.#controllers.delete(id);
    }
  }

  /** Each try writes a file of its own, which is discarded if it fails. @throws StriaError of file, engine or sink; `aborted` */
  async #made(id: number, { file, dataset, raw, makes = 'stria', levels }: QueuedVolume, job: QueueJob): Promise<Made> {
    const name = makes === 'levels' ? levelsName(file.name, dataset) : striaName(file.name, dataset);
    const request = { kind: 'file', file, dataset, raw } as const;
    return onNextDevice(async (device) => {
      const sink = this.#closedUnlessCancelled(id, job.signal, await this.#host.saveBeside(file, name));
      const report = levels
        ? await writeBlob(levels, sink, job)
        : await this.#compressor.compress(request, sink, codecChoice(this.#store.getState()), job, makes, device);
      return { sink, report };
    }, job.signal);
  }

  /** A sink that is not closed once its row is cancelled, and whose row cannot be cancelled once it is being closed. */
  #closedUnlessCancelled(id: number, signal: AbortSignal, sink: HostSink): HostSink {
    const close = async () => {
      throwIfAborted(signal);
      this.#closing = id;
      await sink.close();
    };
    return { ...sink, close };
  }

  #setState(id: number, state: QueueRowState): void {
    this.#store.setState(({ queue }) => ({ queue: withRowState(queue, id, state) }));
  }
}

/** Bytes that are written together. */
const pieceBytes = 2 ** 22;

/** Writes what is in memory. The sink is closed when everything is written, and aborted otherwise. @throws StriaError of the sink; `aborted` */
async function writeBlob(
  blob: Blob,
  sink: HostSink,
  { signal, onProgress }: JobOptions,
): Promise<{ readonly bytesIn: number; readonly bytesOut: number }> {
  try {
    for (let start = 0; start < blob.size; start += pieceBytes) {
      throwIfAborted(signal);
      onProgress?.({ stage: 'Writing', done: start, total: blob.size });
      await sink.write(new Uint8Array(await blob.slice(start, start + pieceBytes).arrayBuffer()));
    }
    await sink.close();
  } catch (error) {
    await sink.abort().catch(() => undefined);
    throw error;
  }
  return { bytesIn: blob.size, bytesOut: blob.size };
}
