import type { UnfinishedKind } from '../core/shared/ipc.ts';

export interface CloseGuardOptions {
  /** What would be lost now. */
  readonly unfinished: () => readonly UnfinishedKind[];
  /** Resolves to true to close anyway. */
  readonly ask: (kinds: readonly UnfinishedKind[]) => Promise<boolean>;
  readonly leave: () => void;
  readonly stay: () => void;
}

/**
 * Handles a window's `close`: keeps the window open while asking once whether to lose unfinished work. The work continues
 * meanwhile. A page's own `beforeunload` would be ignored until the user has clicked in the page.
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
