import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import type { HostFile } from '../../host/host.ts';
import { isSameDocument } from './document-state.ts';
import type { FailedFile, LayersState } from './layer-state.ts';
import { type JobProgress, startProgress } from './progress.ts';
import type { AppStore } from './store.ts';
import { Turns } from './turns.ts';

/** What work that adds to the layer list is given. After `signal` is aborted, it shows nothing more. */
export interface AddingJob {
  readonly signal: AbortSignal;
  onProgress(progress: JobProgress): void;
  /** Shows that the user is asked which volume of the file to add. */
  onQuestion(file: HostFile): void;
}

/**
 * Adds layers and surfaces to the list, one after the other, and owns what the list says about them: `adding`, `waiting` and
 * `notAdded` of `LayersState`. Ends with the open volume and with the device.
 */
export class AddingQueue {
  readonly #store: AppStore;
  readonly #turns: Turns;

  constructor(store: AppStore) {
    this.#store = store;
    this.#turns = new Turns((waiting) => this.#change({ waiting }));
    store.subscribe((state, before) => {
      if (!isSameDocument(state.document, before.document)) this.cancel();
      else if (state.gpu !== before.gpu && state.gpu.kind !== 'ready') this.#deviceLost();
    });
  }

  /**
   * Does the work once what was requested before is done. A failure is listed until it is dismissed, or until something is added
   * after the queue is empty.
   * @param name of the file or surface @param stage the first of its progress
   * @param isNew false if it was requested together with something before it, whose message stays
   * @returns the work's result; undefined if it failed or was cancelled
   */
  async add<Result>(
    name: string,
    stage: string,
    work: (job: AddingJob) => Promise<Result>,
    isNew = true,
  ): Promise<Result | undefined> {
    if (isNew && !this.#turns.isBusy) this.#change({ notAdded: [] });
    return this.#turns.take(name, (signal) => this.#run(name, stage, work, signal));
  }

  /** Ends what is being added, drops what waits, and removes the messages. */
  cancel(): void {
    this.#turns.cancel();
    const { adding, notAdded } = this.#state;
    if (adding.kind !== 'none' || notAdded.length > 0) this.#change({ adding: { kind: 'none' }, notAdded: [] });
  }

  async #run<Result>(
    name: string,
    stage: string,
    work: (job: AddingJob) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const show = (adding: LayersState['adding']) => {
      if (!signal.aborted) this.#change({ adding });
    };
    const onProgress = (progress: JobProgress) => show({ kind: 'loading', name, progress });
    onProgress(startProgress(stage, undefined, performance.now()));
    try {
      return await work({ signal, onProgress, onQuestion: (file) => show({ kind: 'choosing', name, file }) });
    } catch (error) {
      const isOver = signal.aborted || ['aborted', 'device-lost'].includes(toStriaError(error).tag);
      if (!isOver) this.#list([{ name, fault: faultToData(error) }]);
      return undefined;
    } finally {
      // Otherwise the next one is shown in the same task.
      if (this.#state.waiting.length === 0) show({ kind: 'none' });
    }
  }

  #deviceLost(): void {
    const { adding, waiting, notAdded } = this.#state;
    const names = 'name' in adding ? [adding.name, ...waiting] : waiting;
    if (names.length === 0) return;
    const fault = faultToData(new StriaError('device-lost', 'It was not added. Add it again'));
    this.cancel();
    this.#list([...notAdded, ...names.map((name) => ({ name, fault }))]);
  }

  #list(failed: readonly FailedFile[]): void {
    this.#change({ notAdded: [...this.#state.notAdded, ...failed] });
  }

  get #state(): LayersState {
    return this.#store.getState().layers;
  }

  #change(change: Partial<Pick<LayersState, 'adding' | 'waiting' | 'notAdded'>>): void {
    this.#store.setState(({ layers }) => ({ layers: { ...layers, ...change } }));
  }
}
