import type { FolderHeaders } from '../../../core/io/folder-headers.ts';
import type { HostFile } from '../../host/host.ts';

const kept = new WeakMap<HostFile, FolderHeaders>();

/** Keeps the headers that one worker has read in a folder for the next worker. */
export function keepHeaders(file: HostFile, headers: FolderHeaders | undefined): void {
  if (headers) kept.set(file, headers);
}

/** Takes the kept headers, once: the folder may have changed when it is opened again. */
export function takeHeaders(file: HostFile): FolderHeaders | undefined {
  const headers = kept.get(file);
  kept.delete(file);
  return headers;
}
