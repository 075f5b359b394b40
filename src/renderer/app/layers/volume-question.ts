import { StriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { HostFile } from '../../host/host.ts';
import type { AddingJob } from '../state/adding-queue.ts';
import { askNext } from '../state/questions.ts';
import type { AppStore } from '../state/store.ts';

/** One of several volumes of a file. */
export interface ChosenVolume {
  readonly id: string;
  readonly label: string;
}

/** Asks which of a file's volumes to add as a layer: the overlay 'layer-volumes'. */
export class VolumeQuestion {
  readonly #store: AppStore;
  #answer: ((chosen: ChosenVolume | undefined) => void) | undefined;

  constructor(store: AppStore) {
    this.#store = store;
    store.subscribe(({ overlay }, before) => {
      if (before.overlay === 'layer-volumes' && overlay !== 'layer-volumes') this.#end(undefined);
    });
  }

  /** Asks once no other question is open. @throws StriaError `aborted` if the question is closed without an answer, or by the signal */
  async ask(file: HostFile, { signal, onQuestion }: AddingJob): Promise<ChosenVolume> {
    const close = () => this.#close();
    const ask = () => {
      throwIfAborted(signal);
      signal.addEventListener('abort', close);
      const answer = new Promise<ChosenVolume | undefined>((resolve) => {
        this.#answer = resolve;
      });
      onQuestion(file);
      this.#store.setState({ overlay: 'layer-volumes' });
      return answer;
    };
    const chosen = await askNext(this.#store, ask, signal);
    signal.removeEventListener('abort', close);
    if (chosen === undefined || signal.aborted) throw new StriaError('aborted', 'no volume was chosen');
    return chosen;
  }

  choose(chosen: ChosenVolume): void {
    this.#end(chosen);
    this.#close();
  }

  #close(): void {
    this.#end(undefined);
    if (this.#store.getState().overlay === 'layer-volumes') this.#store.setState({ overlay: 'none' });
  }

  #end(chosen: ChosenVolume | undefined): void {
    this.#answer?.(chosen);
    this.#answer = undefined;
  }
}
