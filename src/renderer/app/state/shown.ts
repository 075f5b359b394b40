import { type AppState, openDocument } from './store.ts';

/** Whether a document is open and there is a device to show it. */
export function isReady(state: AppState): boolean {
  return state.document.kind === 'ready' && state.gpu.kind === 'ready';
}

/** Whether voxels are shown, not only surfaces. */
export function hasVolume(state: AppState): boolean {
  return isReady(state) && openDocument(state)?.space === undefined;
}

/** Whether a document is shown, not the Lab. */
export function isInViewer(state: AppState): boolean {
  return isReady(state) && state.page === 'viewer';
}
