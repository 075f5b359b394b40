import type { UnfinishedKind } from '../../../core/shared/ipc.ts';
import type { Host } from '../../host/host.ts';
import type { AppState, AppStore } from '../state/store.ts';

/** What closing the window would lose. A compressed volume does not count, since its source still exists. */
export function unfinishedWork(
  state: Pick<AppState, 'save' | 'compression' | 'queue' | 'output' | 'measurements' | 'savedMeasurements'>,
): UnfinishedKind[] {
  const { save, compression, queue, output, measurements, savedMeasurements } = state;
  const isQueued = queue.some(({ state: row }) => row.kind === 'running' || row.kind === 'waiting');
  const found: Record<UnfinishedKind, boolean> = {
    saving: save.kind === 'saving',
    compressing: isQueued || (compression.kind === 'running' && compression.isAsked),
    pictures: output.pictureWork.kind === 'working' || output.movieWork.kind === 'running',
    measurements: measurements.length > 0 && measurements !== savedMeasurements,
  };
  return (Object.keys(found) as UnfinishedKind[]).filter((kind) => found[kind]);
}

/** Makes the shell ask before the window closes over unfinished work. */
export function watchUnfinished(store: AppStore, host: Pick<Host, 'setUnfinished'>): void {
  const { setUnfinished } = host;
  if (setUnfinished === undefined) {
    window.addEventListener('beforeunload', (event) => {
      if (unfinishedWork(store.getState()).length > 0) event.preventDefault();
    });
    return;
  }
  let told = '';
  const tell = (state: AppState) => {
    const kinds = unfinishedWork(state);
    if (kinds.join() === told) return;
    told = kinds.join();
    setUnfinished(kinds);
  };
  tell(store.getState());
  store.subscribe(tell);
}
