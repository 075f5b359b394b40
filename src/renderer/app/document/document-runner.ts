import type { Progress } from '../../../core/shared/job.ts';
import { type JobProgress, nextProgress, startProgress, throttleProgress } from '../state/progress.ts';
import type { ResidencyState } from '../state/residency-state.ts';
import type { AppState, AppStore } from '../state/store.ts';
import { changeDocument, changeJobProgress, changeLoadProgress, changeResidency, type DocumentEvent } from './document-change.ts';
import { endsJob, isJobStart, phases } from './document-machine.ts';

/** Work that an event started. */
export interface Running {
  /** Aborted by the first event that ends the work. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Sends events to the document's machine, starts the work that they start and aborts the work that they end. */
export class DocumentRunner {
  readonly #store: AppStore;
  #loading: AbortController | undefined;
  #job: AbortController | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(store: AppStore) {
    this.#store = store;
  }

  /** @returns false if the event is ignored in this state */
  send(event: DocumentEvent): boolean {
    const state = this.#store.getState();
    const change = changeDocument(state, event);
    if (!change) return false;
    // Abort before the state changes, so that no listener finds the old work still running.
    if (endsJob(state.life, event.kind)) this.#job?.abort();
    if (phases[state.life.phase][event.kind] !== undefined) this.#loading?.abort();
    this.#store.setState(change);
    return true;
  }

  /** Sends an event that starts loading or a job. Undefined if the event is ignored in this state. */
  begin(event: DocumentEvent): Running | undefined {
    if (!this.send(event)) return undefined;
    const controller = new AbortController();
    const isJob = isJobStart(event.kind);
    if (isJob) this.#job = controller;
    else this.#loading = controller;
    const start = 'progress' in event ? event.progress : undefined;
    const onProgress = this.#reporter(controller.signal, start, isJob ? changeJobProgress : changeLoadProgress);
    return { signal: controller.signal, onProgress };
  }

  /** Says how GPU memory holds the open volume. Phase and job stay, since another job may have begun meanwhile. */
  showResidency(residency: ResidencyState): void {
    this.#store.setState((state) => changeResidency(state, residency));
  }

  /** Queues work on GPU memory: it starts after the previous work has finished and freed its memory. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  #reporter(
    signal: AbortSignal,
    start: JobProgress | undefined,
    change: (state: AppState, progress: JobProgress) => Partial<AppState>,
  ): Running['onProgress'] {
    let progress = start ?? startProgress('', undefined, performance.now());
    return throttleProgress((next) => {
      if (signal.aborted) return;
      progress = nextProgress(progress, next, performance.now());
      this.#store.setState((state) => change(state, progress));
    });
  }
}
