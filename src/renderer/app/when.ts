import { isFinished } from './state/queue-rows.ts';
import { isReady } from './state/shown.ts';
import { type AppState, openDocument } from './state/store.ts';
import { presetsOf } from './view/window-presets.ts';

// Whether commands are enabled.

export const always = (): boolean => true;

export function isRunning(state: AppState): boolean {
  return state.compression.kind === 'running' || state.save.kind === 'saving';
}

/** Whether levels can be kept beside the file, and are not there, being made or waiting to be made. */
export function canKeepLevels({ document, queue, levelsKeptOf }: AppState): boolean {
  if (document.kind !== 'ready' || !document.document.canKeepLevels) return false;
  const { opened } = document.document;
  return levelsKeptOf !== opened && !queue.some((row) => row.levelsOf === opened && !isFinished(row));
}

/** Whether there is something to cancel. */
export function canCancel(state: AppState): boolean {
  return isRunning(state) || state.document.kind === 'loading' || state.residency?.progress !== undefined;
}

/** Whether the compressed version can be decoded for comparison with the source. */
export function canCompareCompressed(state: AppState): boolean {
  const canBeCompressed = state.residency?.canBeCompressed === true;
  return isReady(state) && state.compressed !== undefined && state.compression.kind !== 'running' && canBeCompressed;
}

/** A volume that was compressed straight from its file is already saved. */
export function canSave(state: AppState): boolean {
  const document = openDocument(state);
  return state.compressed !== undefined && !isRunning(state) && document?.decimation === 1 && document.space === undefined;
}

export function whyNotSave(state: AppState): string {
  const { document, compression, save, compressed } = state;
  if (document.kind === 'loading') return 'Nothing to save yet: the volume is still loading';
  if (document.kind !== 'ready') return 'Nothing to save: no volume is open';
  if (save.kind === 'saving') return 'Already saving';
  if (compression.kind === 'running') return 'Nothing to save yet: compression is still running';
  if (compressed) return 'Already saved: this volume was compressed straight to a file';
  return 'Nothing to save yet: compress the volume first (C)';
}

export function whyNoSurface(state: AppState): string {
  const document = openDocument(state);
  if (!document || document.space) return 'No volume is open';
  if (document.decimation === 1) return 'Show the volume first';
  return document.isHeldBack
    ? 'Only a lower resolution is loaded over the network: download the file and open that'
    : 'Only some of the voxels fit into GPU memory: use the command `stria mesh`, which reads the file';
}

export function hasPreset(state: AppState, id: string): boolean {
  const document = openDocument(state);
  return document !== undefined && presetsOf(document).some((preset) => preset.id === id);
}

export function hasMeasurements(state: AppState): boolean {
  return isReady(state) && state.measurements.length > 0;
}

export function canPlay(state: AppState): boolean {
  return state.playback !== undefined;
}

export function isPlayerOpen(state: AppState): boolean {
  return state.playback?.isOpen === true;
}
