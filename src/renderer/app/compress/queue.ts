import { faultToData, toStriaError } from '../../../core/shared/errors.ts';
import type { Host, HostFile, HostSink } from '../../host/host.ts';
import { type Dataset, datasetBytes, striaName } from '../loading/datasets.ts';
import { nextProgress, startProgress } from '../state/progress.ts';
import { isFinished, type QueueRow, type QueueRowState, withRowState } from '../state/queue-rows.ts';
import type { AppStore } from '../state/store.ts';
import type { BackgroundCompressor } from './background.ts';
import { codecChoice } from './compress-protocol.ts';

/** Compresses files one after the other, each beside its source. A file that fails does not stop the others. */
export class CompressQueue {
  readonly #host: Pick<Host, 'saveBeside'>;
  readonly #store: AppStore;
  readonly #compressor: Pick<BackgroundCompressor, 'compress'>;
  readonly #files = new Map<number, HostFile>();
  readonly #controllers = new Map<number, AbortController>();
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
      this.#files.set(id, dataset.primary);
      return { id, name: dataset.primary.name, size: datasetBytes(dataset), state: { kind: 'waiting' } };
    });
    this.#store.setState(({ queue }) => ({ queue: [...queue, ...rows] }));
    void this.#run();
  }

  /** Responds at once. What was written so far is discarded. */
  cancel(id: number): void {
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
        this.#files.delete(row.id);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #compress({ id, name }: QueueRow): Promise<void> {
    const file = this.#files.get(id);
    if (!file) return;
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    const start = performance.now();
    let progress = startProgress('Reading', undefined, start);
    this.#setState(id, { kind: 'running', progress });
    try {
      const sink: HostSink = await this.#host.saveBeside(file, striaName(name));
      const report = await this.#compressor.compress({ kind: 'file', file }, sink, codecChoice(this.#store.getState()), {
        signal: controller.signal,
        onProgress: (next) => {
          progress = nextProgress(progress, next, performance.now());
          this.#setState(id, { kind: 'running', progress });
        },
      });
      const { bytesIn, bytesOut } = report;
      const ms = performance.now() - start;
      this.#setState(id, { kind: 'done', bytesIn, bytesOut, ms, name: sink.name, folder: sink.folder, reveal: sink.reveal });
    } catch (error) {
      const isAbort = toStriaError(error).tag === 'aborted';
      this.#setState(id, isAbort ? { kind: 'cancelled' } : { kind: 'failed', fault: faultToData(error) });
    } finally {
      this.#controllers.delete(id);
    }
  }

  #setState(id: number, state: QueueRowState): void {
    this.#store.setState(({ queue }) => ({ queue: withRowState(queue, id, state) }));
  }
}
