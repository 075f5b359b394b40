import { faultToData } from '../../../core/shared/errors.ts';
import type { LabelCounts } from '../../../core/volume/label-counts.ts';
import { baseId } from '../../viewer/model/layers.ts';
import type { FileMeasurer } from '../measure/file-task.ts';
import { isSameDocument } from '../state/document-state.ts';
import type { LabelsState } from '../state/label-state.ts';
import { fraction } from '../state/progress.ts';
import { type AppStore, openDocument } from '../state/store.ts';

type Counted = NonNullable<LabelsState['counted']>;

/**
 * Counts of labels, read from the files of the open volume and of layers, which may take minutes. They are kept while the volume is open,
 * and counting continues while the list of labels is hidden. Ids are `baseId`, or those of layers.
 */
export class FileLabelCounts {
  readonly #store: AppStore;
  readonly #measurerOf: (id: string) => FileMeasurer;
  /** By id, and by index along t in the file, so that each channel has its own entries. */
  readonly #found = new Map<string, LabelCounts>();
  #work: { readonly id: string; readonly timePoint: number; readonly controller: AbortController; state: Counted } | undefined;

  /** @param measurerOf reads the file of the volume that a layer, or the open volume (`baseId`), shows */
  constructor(store: AppStore, measurerOf: (id: string) => FileMeasurer) {
    this.#store = store;
    this.#measurerOf = measurerOf;
    store.subscribe((state, before) => {
      const isSame = isSameDocument(state.document, before.document);
      if (!isSame) this.#found.clear();
      const { id } = this.#work ?? {};
      const look = state.layers.stack.layers.find((each) => each.id === id);
      const isRemoved = id !== undefined && id !== baseId && !look;
      const isOfBase = id === baseId || look?.of === baseId;
      // Once GPU memory holds all voxels of a finer resolution, the GPU counts.
      if (!isSame || isRemoved || (isOfBase && openDocument(state)?.decimation === 1)) this.cancel();
    });
  }

  /** The known counts of a time point. Cancels the counting of any other one. */
  at(id: string, timePoint: number): Counted {
    if (this.#work?.id === id && this.#work.timePoint === timePoint) return this.#work.state;
    this.cancel();
    const counts = this.#found.get(`${id} ${timePoint}`);
    return counts ? { id, kind: 'ready', counts } : { id, kind: 'partial' };
  }

  count(id: string, timePoint: number): void {
    if (this.#work?.id !== id || this.#work.timePoint !== timePoint) void this.#count(id, timePoint);
  }

  cancel(): void {
    if (!this.#work) return;
    const { id, controller } = this.#work;
    controller.abort();
    this.#work = undefined;
    this.#show({ id, kind: 'partial' });
  }

  async #count(id: string, timePoint: number): Promise<void> {
    this.cancel();
    const controller = new AbortController();
    const { signal } = controller;
    const work = { id, timePoint, controller, state: { id, kind: 'counting', done: 0 } as Counted };
    this.#work = work;
    const show = (state: Counted): void => {
      if (signal.aborted) return;
      work.state = state;
      this.#show(state);
    };
    show(work.state);
    try {
      const counts = await this.#measurerOf(id)(
        { kind: 'label-counts', timePoint },
        { signal, onProgress: (progress) => show({ id, kind: 'counting', done: fraction(progress) ?? 0 }) },
      );
      if (!signal.aborted) this.#found.set(`${id} ${timePoint}`, counts);
      show({ id, kind: 'ready', counts });
    } catch (error) {
      show({ id, kind: 'failed', fault: faultToData(error) });
    }
    if (this.#work === work) this.#work = undefined;
  }

  /** Shows counts, unless the list of labels is hidden or shows another volume's labels. */
  #show(counted: Counted): void {
    this.#store.setState(({ labels }) => (labels.counted?.id === counted.id ? { labels: { ...labels, counted } } : {}));
  }
}
