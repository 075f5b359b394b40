import { type UnfinishedKind, unfinishedKinds } from '../../../core/shared/ipc.ts';
import type { Host } from '../../host/host.ts';
import type { AppState, AppStore } from '../state/store.ts';

type Work = Pick<AppState, 'save' | 'compression' | 'queue' | 'output' | 'measurements' | 'savedMeasurements'>;

/** The work that would be lost if the window were closed. A compressed volume is not included, since its source still exists. */
export function unfinishedWork(state: Work): UnfinishedKind[] {
  const isQueued = state.queue.some(({ state: row }) => row.kind === 'running' || row.kind === 'waiting');
  const kinds = lostWithDocument(state);
  return unfinishedKinds.filter((kind) => kinds.includes(kind) || (kind === 'compressing' && isQueued));
}

/** The work that would be lost if the volume were closed or replaced. The queue is not affected. */
export function lostWithDocument({
  save,
  compression,
  output,
  measurements,
  savedMeasurements,
}: Omit<Work, 'queue'>): UnfinishedKind[] {
  const found: Record<UnfinishedKind, boolean> = {
    saving: save.kind === 'saving' || output.surfaceWork.kind === 'working',
    compressing: compression.kind === 'running' && compression.isAsked,
    pictures: output.pictureWork.kind === 'working' || output.movieWork.kind === 'running',
    measurements: measurements.length > 0 && measurements !== savedMeasurements,
  };
  return unfinishedKinds.filter((kind) => found[kind]);
}

/** Makes the shell ask before a window with unfinished work closes. */
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
