import type { AppState, AppStore, Overlay } from './store.ts';

/**
 * The overlays that ask about a file or about unfinished work, or for an address. Another overlay in their place would answer no, or drop
 * what was typed.
 */
const questions: ReadonlySet<Overlay> = new Set(['second', 'layer-volumes', 'leave', 'matrix', 'address']);

export function isAsking({ overlay }: Pick<AppState, 'overlay'>): boolean {
  return questions.has(overlay);
}

/**
 * Calls `ask` once no question is open, in the same task, so that nothing else that waits asks in between.
 * @param signal if it is aborted, `ask` is called at once
 */
export async function askNext<T>(store: AppStore, ask: () => T, signal?: AbortSignal): Promise<T> {
  while (isAsking(store.getState()) && !signal?.aborted) await reached(store, (state) => !isAsking(state), signal);
  return ask();
}

/**
 * Resolves once the state is as wanted, after whatever made it so. Before the caller goes on, others may change it again.
 * @param signal if it is aborted, this resolves at once
 */
export async function reached(store: AppStore, isWanted: (state: AppState) => boolean, signal?: AbortSignal): Promise<void> {
  do {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!signal?.aborted && !isWanted(store.getState())) return;
        end();
        signal?.removeEventListener('abort', look);
        resolve();
      };
      const end = store.subscribe(look);
      signal?.addEventListener('abort', look);
      look();
    });
  } while (!signal?.aborted && !isWanted(store.getState()));
}
