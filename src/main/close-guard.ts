import type { UnfinishedKind } from '../core/shared/ipc.ts';

export interface CloseGuardOptions {
  /** The work that would be lost now. */
  readonly unfinished: () => readonly UnfinishedKind[];
  /** Resolves to true to close anyway. */
  readonly ask: (kinds: readonly UnfinishedKind[]) => Promise<boolean>;
  readonly leave: () => void;
  readonly stay: () => void;
}

/**
 * Handles a window's `close` event: keeps the window open and asks once whether to lose unfinished work, which continues
 * meanwhile. A `beforeunload` listener in the page would be ignored until the user has clicked in the page.
 */
export function createCloseGuard({
  unfinished,
  ask,
  leave,
  stay,
}: CloseGuardOptions): (event: { preventDefault(): void }) => void {
  let isAsking = false;
  return (event) => {
    const kinds = unfinished();
    if (kinds.length === 0) return;
    event.preventDefault();
    if (isAsking) return;
    isAsking = true;
    void ask(kinds)
      .finally(() => {
        isAsking = false;
      })
      .then((leaves) => (leaves ? leave() : stay()));
  };
}
