import { toStriaError } from '../../../core/shared/errors.ts';
import type { AppStore } from './store.ts';

/** Runs work that may fail, and shows a fault as a notice. Cancelling is not a fault. */
export async function orNotice(store: AppStore, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const fault = toStriaError(error);
    if (fault.tag !== 'aborted') store.setState({ notice: fault.message });
  }
}
