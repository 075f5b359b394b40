import { toStriaError } from '../../../core/shared/errors.ts';
import type { AppStore } from './store.ts';

/**
 * Says that work on a volume ended because another form or resolution of the volume took its place in GPU memory. Says nothing
 * if the work was cancelled. @param what the work, which begins the message
 */
export function tellReplaced(store: AppStore, what: string, error: unknown, signal: AbortSignal): void {
  if (signal.aborted || toStriaError(error).tag !== 'aborted') return;
  store.setState({ notice: `${what}: the volume in GPU memory was replaced meanwhile. Try again` });
}
