import { toFileFault } from './faults.ts';
import type { HostFolder, HostSink } from './host.ts';

/** How long a download's blob stays reachable: the browser may still be asking the user where to put it. */
const downloadGraceMs = 10 * 60 * 1000;

/**
 * Writes to a file of the File System Access API. The browser keeps the new content in a swap file until `close`.
 * @param discard Removes the empty file that the picker made for a new name; called on abort only.
 */
export async function pickedSink(
  handle: FileSystemFileHandle,
  folder: string,
  discard: (() => Promise<void>) | undefined,
): Promise<HostSink> {
  const { name } = handle;
  const writable = await handle.createWritable().catch((error: unknown) => {
    throw toFileFault(error, 'not-writable', name);
  });
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
    async close() {
      try {
        await writable.close();
      } catch (error) {
        await discard?.();
        throw toFileFault(error, 'not-writable', name);
      }
    },
    async abort() {
      // The stream may have failed already, which is the same to someone who gives up.
      await writable.abort().catch(() => undefined);
      await discard?.();
    },
  };
}

/** Gathers the bytes as blobs, which the browser keeps outside the page's memory, and downloads them at the end. */
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
 * Downloads that never ask for the same name twice: `name`, then `name (2)` … A page cannot see its user's folder, and a browser renames
 * what is there already without telling the page. A download that is given up frees its name.
 */
export function distinctDownloads(): (name: string) => Promise<HostSink> {
  const taken = new Set<string>();
  /** Checks and reserves at once, so that no two downloads find the same name free. Some systems do not tell A from a. */
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

/** Creates a file that is not there yet: `name`, else `name (2)`, `name (3)` … */
export async function createBeside(folder: FileSystemDirectoryHandle, name: string): Promise<HostSink> {
  try {
    const free = await freeName(name, (candidate) => exists(folder, candidate));
    const handle = await folder.getFileHandle(free, { create: true });
    return await pickedSink(handle, folder.name, () => removed(() => folder.removeEntry(free)));
  } catch (error) {
    throw toFileFault(error, 'not-writable', name);
  }
}

/** Makes a folder that is not there yet: `name`, else `name (2)` … */
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
 * Removes what was given up. The browser lets go of a file a moment after its stream has ended, and until then refuses: it is asked
 * again for about a second. What cannot be removed stays.
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

/** `name`, or with ` (2)`, ` (3)` … before its ending: the first for which `taken` says no. */
export async function freeName(name: string, taken: (candidate: string) => Promise<boolean>): Promise<string> {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${stem} (${count})${ending}`;
    if (!(await taken(candidate))) return candidate;
  }
}
