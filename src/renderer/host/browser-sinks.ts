import { StriaError } from '../../core/shared/errors.ts';
import { isLevelsName } from '../../core/shared/volume-names.ts';
import { toFileFault } from './faults.ts';
import type { HostFolder, HostSink } from './host.ts';

/** A download's blob stays reachable for this long, since the browser may still be asking the user where to save it. */
const downloadGraceMs = 10 * 60 * 1000;

/** The files that are being written. */
const written = new Set<FileSystemFileHandle>();

/**
 * Writes to a file of the File System Access API. The browser keeps the new content in a swap file until `close`.
 * @param discard removes the empty file that the picker created for a new name; called on abort only
 * @throws StriaError `not-writable`, also while another sink writes to the file
 */
export async function pickedSink(
  handle: FileSystemFileHandle,
  folder: string,
  discard: (() => Promise<void>) | undefined,
): Promise<HostSink> {
  const { name } = handle;
  for (const other of written) {
    if (!(await other.isSameEntry(handle))) continue;
    throw new StriaError('not-writable', `'${name}' is being written. Choose another name, or wait until it is saved`);
  }
  const writable = await handle.createWritable().catch((error: unknown) => {
    throw toFileFault(error, 'not-writable', name);
  });
  written.add(handle);
  return {
    name,
    folder,
    async write(bytes) {
      try {
        await writable.write(new Uint8Array(bytes));
      } catch (error) {
        throw toFileFault(error, 'not-writable', name);
      }
    },
    async restart() {
      try {
        // Moves the place of the next write to the start, too.
        await writable.truncate(0);
      } catch (error) {
        throw toFileFault(error, 'not-writable', name);
      }
    },
    async close() {
      try {
        await writable.close();
      } catch (error) {
        await discard?.();
        throw toFileFault(error, 'not-writable', name);
      } finally {
        written.delete(handle);
      }
    },
    async abort() {
      // The stream may already have failed, which does not matter for an abort.
      await writable.abort().catch(() => undefined);
      await discard?.();
      written.delete(handle);
    },
  };
}

/** Collects the bytes as blobs, which the browser keeps outside the page's memory, and downloads them at the end. */
export function downloadSink(name: string): HostSink {
  let parts: Blob[] = [];
  return {
    name,
    folder: 'Downloads',
    async write(bytes) {
      try {
        parts.push(new Blob([new Uint8Array(bytes)]));
      } catch (error) {
        throw toFileFault(error, 'not-writable', name);
      }
    },
    async restart() {
      parts = [];
    },
    async close() {
      const url = URL.createObjectURL(new Blob(parts, { type: 'application/octet-stream' }));
      parts = [];
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), downloadGraceMs);
    },
    async abort() {
      parts = [];
    },
  };
}

/**
 * Downloads with distinct names: `name`, then `name (2)` … A page cannot see the download folder, and a browser renames
 * duplicates without telling the page. An aborted download frees its name.
 */
export function distinctDownloads(): (name: string) => Promise<HostSink> {
  const taken = new Set<string>();
  /** Checks and reserves in one step, so that two downloads never take the same name. Some systems ignore case. */
  const reserve = async (name: string): Promise<boolean> => {
    const isTaken = taken.has(name.toLowerCase());
    taken.add(name.toLowerCase());
    return isTaken;
  };
  return async (name) => {
    const free = await freeName(name, reserve);
    const sink = downloadSink(free);
    return {
      ...sink,
      async abort() {
        taken.delete(free.toLowerCase());
        await sink.abort();
      },
    };
  };
}

/** Creates a file with a free name: `name`, else `name (2)`, `name (3)` … */
export async function createBeside(folder: FileSystemDirectoryHandle, name: string): Promise<HostSink> {
  try {
    // Levels that no longer fit their file are of no use.
    if (isLevelsName(name) && (await exists(folder, name))) {
      return await pickedSink(await folder.getFileHandle(name), folder.name, undefined);
    }
    const free = await freeName(name, (candidate) => exists(folder, candidate));
    const handle = await folder.getFileHandle(free, { create: true });
    return await pickedSink(handle, folder.name, () => removed(() => folder.removeEntry(free)));
  } catch (error) {
    throw toFileFault(error, 'not-writable', name);
  }
}

/** Creates a folder with a free name: `name`, else `name (2)` … */
export async function createFolder(parent: FileSystemDirectoryHandle, name: string): Promise<HostFolder> {
  const free = await freeName(name, (candidate) => exists(parent, candidate)).catch((error: unknown) => {
    throw toFileFault(error, 'not-writable', name);
  });
  const remove = () => removed(() => parent.removeEntry(free, { recursive: true }));
  const made = await parent.getDirectoryHandle(free, { create: true }).catch((error: unknown) => {
    throw toFileFault(error, 'not-writable', name);
  });
  return {
    name: free,
    folder: parent.name,
    async write(fileName, bytes) {
      try {
        const writable = await (await made.getFileHandle(fileName, { create: true })).createWritable();
        await writable.write(new Uint8Array(bytes));
        await writable.close();
      } catch (error) {
        throw toFileFault(error, 'not-writable', fileName);
      }
    },
    close: async () => free,
    async abort() {
      await remove();
    },
  };
}

/**
 * Removes an aborted file or folder. The browser refuses until it has released the file, shortly after its stream ended, so
 * this retries for about a second. If it still fails, the file or folder stays.
 */
export async function removed(remove: () => Promise<void>): Promise<void> {
  for (let waitMs = 1; waitMs <= 512; waitMs *= 2) {
    try {
      return await remove();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'NoModificationAllowedError')) return;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

async function exists(folder: FileSystemDirectoryHandle, name: string): Promise<boolean> {
  try {
    await folder.getFileHandle(name);
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return false;
    if (error instanceof DOMException && error.name === 'TypeMismatchError') return true;
    throw error;
  }
}

/** The first of `name`, `name (2)`, `name (3)` … that is not `taken`. The number goes before the extension. */
export async function freeName(name: string, taken: (candidate: string) => Promise<boolean>): Promise<string> {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${stem} (${count})${ending}`;
    if (!(await taken(candidate))) return candidate;
  }
}
