import { faultToData, toStriaError } from '../../../core/shared/errors.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { isSameDocument } from '../state/document-state.ts';
import { nextProgress, startProgress } from '../state/progress.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import type { FileMeasurer } from './file-task.ts';

/** Whether the statistics of the open volume are those of a lower resolution. */
export function hasCoarseStatistics(state: AppState): boolean {
  const document = openDocument(state);
  return document !== undefined && document.decimation > 1 && !document.areStatisticsFull;
}

/** Computes the statistics of the open volume at full resolution on request, by reading its file. */
export class FullStatistics {
  readonly #store: AppStore;
  readonly #measure: FileMeasurer;
  readonly #take: (statistics: VolumeStatistics) => void;
  #work: AbortController | undefined;

  /** @param take sets the statistics of the open volume */
  constructor(store: AppStore, measure: FileMeasurer, take: (statistics: VolumeStatistics) => void) {
    this.#store = store;
    this.#measure = measure;
    this.#take = take;
    store.subscribe((state, before) => {
      // Stop once a finer resolution has loaded all voxels.
      const isWhole = this.#work !== undefined && openDocument(state)?.decimation === 1;
      if (isWhole || !isSameDocument(state.document, before.document)) this.#end();
    });
  }

  /** Computes the statistics. An unchanged automatic window becomes that of the full resolution. Failures become the state. */
  async compute(): Promise<void> {
    if (this.#work || !hasCoarseStatistics(this.#store.getState())) return;
    const controller = new AbortController();
    this.#work = controller;
    const { signal } = controller;
    let progress = startProgress('Reading the voxels', undefined, performance.now());
    this.#store.setState({ fullStatistics: { kind: 'running', progress } });
    try {
      const onProgress = (next: Parameters<typeof nextProgress>[1]) => {
        progress = nextProgress(progress, next, performance.now());
        if (!signal.aborted) this.#store.setState({ fullStatistics: { kind: 'running', progress } });
      };
      const statistics = await this.#measure({ kind: 'statistics' }, { signal, onProgress });
      if (signal.aborted) return;
      const before = openDocument(this.#store.getState())?.statistics.window;
      this.#end();
      this.#take(statistics);
      this.#followWindow(before, statistics.window);
    } catch (error) {
      if (signal.aborted) return;
      this.#end();
      if (toStriaError(error).tag !== 'aborted')
        this.#store.setState({ fullStatistics: { kind: 'failed', fault: faultToData(error) } });
    }
  }

  /** Cancels computing. The statistics of the lower resolution remain. */
  cancel(): void {
    this.#end();
  }

  #end(): void {
    this.#work?.abort();
    this.#work = undefined;
    if (this.#store.getState().fullStatistics.kind !== 'idle') this.#store.setState({ fullStatistics: { kind: 'idle' } });
  }

  /** Sets the window of the full resolution, unless the user has chosen another one. */
  #followWindow(before: VolumeStatistics['window'] | undefined, window: VolumeStatistics['window']): void {
    const { gpu } = this.#store.getState();
    if (gpu.kind !== 'ready') return;
    const shown = gpu.viewer.snapshot().state.window;
    if (before && shown[0] === before[0] && shown[1] === before[1]) gpu.viewer.set({ window });
  }
}
