import { faultToData } from '../../../core/shared/errors.ts';
import type { LabelCounts } from '../../../core/volume/label-counts.ts';
import { baseId } from '../../viewer/model/layers.ts';
import type { FileMeasurer } from '../measure/file-task.ts';
import { isSameDocument } from '../state/document-state.ts';
import type { LabelsState } from '../state/label-state.ts';
import { fraction } from '../state/progress.ts';
import type { AppStore } from '../state/store.ts';

type Counted = NonNullable<LabelsState['counted']>;

/**
 * Counts of the open volume's labels, read from its file, which may take minutes. They are kept while the volume is open, and counting
 * goes on while the list of labels is hidden.
 */
export class FileLabelCounts {
  readonly #store: AppStore;
  readonly #measure: FileMeasurer;
  /** By time point. */
  readonly #found = new Map<number, LabelCounts>();
  #work: { readonly timePoint: number; readonly controller: AbortController; state: Counted } | undefined;

  constructor(store: AppStore, measure: FileMeasurer) {
    this.#store = store;
    this.#measure = measure;
    store.subscribe((state, before) => {
      if (isSameDocument(state.document, before.document)) return;
      this.#found.clear();
      this.cancel();
    });
  }

  /** What is known of a time point. Counting another one ends. */
  at(timePoint: number): Counted {
    if (this.#work?.timePoint === timePoint) return this.#work.state;
    this.cancel();
    const counts = this.#found.get(timePoint);
    return counts ? { id: baseId, kind: 'ready', counts } : { id: baseId, kind: 'partial' };
  }

  count(timePoint: number): void {
    if (this.#work?.timePoint !== timePoint) void this.#count(timePoint);
  }

  cancel(): void {
    if (!this.#work) return;
    this.#work.controller.abort();
    this.#work = undefined;
    this.#show({ id: baseId, kind: 'partial' });
  }

  async #count(timePoint: number): Promise<void> {
    this.cancel();
    const controller = new AbortController();
    const { signal } = controller;
    const work = { timePoint, controller, state: { id: baseId, kind: 'counting', done: 0 } as Counted };
    this.#work = work;
    const show = (state: Counted): void => {
      if (signal.aborted) return;
      work.state = state;
      this.#show(state);
    };
    show(work.state);
    try {
      const counts = await this.#measure(
        { kind: 'label-counts', timePoint },
        { signal, onProgress: (progress) => show({ id: baseId, kind: 'counting', done: fraction(progress) ?? 0 }) },
      );
      if (!signal.aborted) this.#found.set(timePoint, counts);
      show({ id: baseId, kind: 'ready', counts });
    } catch (error) {
      show({ id: baseId, kind: 'failed', fault: faultToData(error) });
    }
    if (this.#work === work) this.#work = undefined;
  }

  /** Unless the list of labels is hidden, or shows those of a layer. */
  #show(counted: Counted): void {
    this.#store.setState(({ labels }) => (labels.counted?.id === baseId ? { labels: { ...labels, counted } } : {}));
  }
}
