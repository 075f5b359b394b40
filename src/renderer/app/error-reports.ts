import type { FaultData } from '../../core/shared/errors.ts';
import { ErrorLog } from './error-log.ts';
import type { Exports } from './exports.ts';
import { diagnosticsText, reportText } from './gpu/diagnostics.ts';
import type { AppStore } from './state/store.ts';

/** Collects diagnostics and recent errors for error reports. */
export class ErrorReports {
  readonly #store: AppStore;
  readonly #exports: Pick<Exports, 'saveText'>;
  readonly #errors = new ErrorLog();

  constructor(store: AppStore, exports: Pick<Exports, 'saveText'>) {
    this.#store = store;
    this.#exports = exports;
  }

  /** Records the errors of a window from now on. */
  watch(window: Window): void {
    this.#errors.watch(window);
  }

  async copyDiagnostics(fault?: FaultData): Promise<void> {
    const text = await diagnosticsText(this.#store.getState(), fault, this.#errors.entries);
    await navigator.clipboard.writeText(text).then(
      () => this.#store.setState({ notice: 'Diagnostics copied' }),
      () => this.#store.setState({ notice: 'The clipboard is not available here', overlay: 'about' }),
    );
  }

  /** Saves a report that a person can read before sending it. */
  async saveReport(fault?: FaultData): Promise<void> {
    const text = await reportText(this.#store.getState(), fault, this.#errors.entries);
    await this.#exports.saveText('stria-report.txt', text);
  }
}
