import type { HostFile } from '../../host/host.ts';
import { isAsking, reached } from '../state/questions.ts';
import type { AppState, AppStore } from '../state/store.ts';

interface Waiting {
  readonly files: readonly HostFile[];
  readonly open: () => Promise<void>;
  /** The document's progress is the search for this file, so it ends with it. */
  readonly isSought: boolean;
}

/**
 * Opens files at once, unless the user is being asked a question, or is about to be. Then they wait until it is answered and what was
 * opened before them is open, so that no file takes the place of another one's question.
 */
export class OpeningTurns {
  readonly #store: AppStore;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(store: AppStore) {
    this.#store = store;
  }

  /**
   * @param open resolves when the files are being opened, or their question is asked; does not throw
   * @param isSought whether the document's progress is the search for these files: what waits, waits for them, too
   */
  async take(files: readonly HostFile[], open: () => Promise<void>, isSought = false): Promise<void> {
    const isQuestion = isAsking(this.#store.getState());
    if (this.#isBusy || isQuestion) {
      const turn = { files, open, isSought };
      if (isSought) this.#waiting.unshift(turn);
      else this.#waiting.push(turn);
      this.#show();
      // Questions show the files that wait.
      if (!isQuestion) this.#store.setState({ notice: `${nameOf(files)} follows once the file before it is open` });
      if (this.#isBusy) return;
    }
    this.#isBusy = true;
    try {
      if (this.#waiting.length === 0) await open();
      await this.#openWaiting();
    } finally {
      this.#isBusy = false;
    }
  }

  async #openWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      await reached(this.#store, (state) => isSettled(state) || (this.#waiting[0]?.isSought === true && !isAsking(state)));
      const next = this.#waiting.shift();
      this.#show();
      const { document } = this.#store.getState();
      // The next file takes the place of this message.
      if (document.kind === 'failed') this.#store.setState({ notice: `${document.name}: ${document.fault.message}` });
      await next?.open();
    }
  }

  #show(): void {
    this.#store.setState({ waitingFiles: this.#waiting.flatMap(({ files }) => files.map(({ name }) => name)) });
  }
}

/** Whether no question is open and nothing is being opened. */
function isSettled(state: AppState): boolean {
  return !isAsking(state) && !['loading', 'choice', 'layout'].includes(state.document.kind);
}

function nameOf([first, ...others]: readonly HostFile[]): string {
  return `${first?.name ?? ''}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}
