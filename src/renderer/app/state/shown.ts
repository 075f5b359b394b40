import { type AppState, openDocument } from './store.ts';

/** A volume is shown. */
export function isReady(state: AppState): boolean {
  return state.document.kind === 'ready' && state.gpu.kind === 'ready';
}

/** Voxels are shown: not surfaces alone. */
export function hasVolume(state: AppState): boolean {
  return isReady(state) && openDocument(state)?.space === undefined;
}

/** A volume is shown, and not the Lab in its place. */
export function isInViewer(state: AppState): boolean {
  return isReady(state) && state.page === 'viewer';
}
