import { readSync } from 'node:fs';
import type { ReadSharedFile } from '../core/shared/bytes.ts';
import { systemFault } from './system-faults.ts';

/** File descriptors belong to the whole process, so any thread may read at any position. */
export const readSharedFile: ReadSharedFile = ({ path, descriptor }, position, target) => {
  let filled = 0;
  try {
    while (filled < target.byteLength) {
      const bytesRead = readSync(descriptor, target, filled, target.byteLength - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
  } catch (error) {
    throw systemFault('not-readable', path, error);
  }
  return filled;
};
