import type { LoggedError } from './gpu/diagnostics.ts';

const mostErrors = 20;
/** The maximum length of an error's text, in characters: the first lines of a stack trace. */
const mostText = 2000;

/** The last uncaught errors of the page, for error reports. */
export class ErrorLog {
  readonly #entries: LoggedError[] = [];

  get entries(): readonly LoggedError[] {
    return this.#entries;
  }

  watch(target: Pick<Window, 'addEventListener'>): void {
    target.addEventListener('error', ({ error, message }) => this.#add(error ?? message));
    target.addEventListener('unhandledrejection', ({ reason }) => this.#add(reason));
  }

  #add(thrown: unknown): void {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    this.#entries.push({ at: Math.round(performance.now() / 1000), text: text.slice(0, mostText) });
    if (this.#entries.length > mostErrors) this.#entries.shift();
  }
}
