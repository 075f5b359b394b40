import { renameSync } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { SinkMaker } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { errorCode, systemFault } from '../../node/system-faults.ts';
import { fileSink, standardGatherBytes } from './file-sink.ts';
import { checkFolder, checkRoom, existsAlready, syncFolder } from './node-sink.ts';
import { findReplaced, partialFolder, partials, replacedFolder } from './partial-files.ts';

/** A folder of files that appears under its name once it is complete. */
export interface FolderOutput {
  /** Opens the sink of a file, by its path in the folder. */
  readonly makeSink: SinkMaker;
  /** Gives the folder its name. @throws StriaError `not-writable` */
  commit(): Promise<void>;
  /** Removes everything. */
  discard(): Promise<void>;
}

/** The contents of a folder that may be replaced. Paths are relative to it, with slashes. */
export interface FolderLayout {
  /** A name that the folder must contain, unless it is empty. */
  readonly marker: string;
  readonly files: RegExp;
  readonly folders: RegExp;
}

export interface FolderOutputOptions {
  /** Whether an existing folder may be replaced. */
  readonly overwrite: boolean;
  /** Files that are being read. A folder that contains one of them is never replaced. */
  readonly inputs: readonly string[];
  /** A folder with any other contents is never replaced. */
  readonly layout: FolderLayout;
}

/**
 * Writes a folder of files into a temporary one beside the target.
 * @throws StriaError `not-writable`; `invalid-input` if the target contains an input
 */
export async function createFolderOutput(path: string, options: FolderOutputOptions): Promise<FolderOutput> {
  const shown = path.replace(/[/\\]+$/, '');
  const target = await realpath(shown).catch(() => resolve(shown));
  if (!(await checkTarget(target, shown, options))) await refuseReplaced(target, shown);
  await checkFolder(shown);
  const partial = partialFolder(target);
  const guarded = async (work: Promise<unknown>, name = shown) => {
    await work.catch((error: unknown) => {
      throw systemFault('not-writable', name, error);
    });
  };
  partials.add(partial);
  const discard = async () => {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    partials.delete(partial);
  };
  try {
    await guarded(mkdir(partial));
  } catch (error) {
    partials.delete(partial);
    throw error;
  }
  return {
    makeSink: async (name, byteLength) => {
      const shownFile = join(shown, name);
      if (byteLength !== undefined) await checkRoom(shown, dirname(target), byteLength);
      const file = join(partial, name);
      await guarded(mkdir(dirname(file), { recursive: true }), shownFile);
      const handle = await open(file, 'wx').catch((error: unknown) => {
        throw systemFault('not-writable', shownFile, error);
      });
      return fileSink(handle, { path: shownFile, gatherBytes: standardGatherBytes, hasPositions: true });
    },
    commit: async () => {
      // Writing may have taken hours, and the target may have changed since.
      const exists = await checkTarget(target, shown, options);
      const old = exists ? replacedFolder(target) : undefined;
      swapIn(partial, target, old, shown);
      partials.delete(partial);
      await syncFolder(dirname(target));
      if (old !== undefined) await removeReplaced(old, target);
    },
    discard,
  };
}

/**
 * Renames the target to `old`, if that is given, and the temporary folder to the target. Both renames are synchronous, so that no
 * exit of this process comes between them.
 */
function swapIn(partial: string, target: string, old: string | undefined, shown: string): void {
  try {
    if (old !== undefined) renameSync(target, old);
  } catch (error) {
    throw systemFault('not-writable', shown, error);
  }
  try {
    renameSync(partial, target);
  } catch (error) {
    try {
      if (old !== undefined) renameSync(old, target);
    } catch {
      throw new StriaError('not-writable', `${shown} could not be replaced; its former contents are in ${old}`, { cause: error });
    }
    const wasMade = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '');
    throw wasMade ? existsAlready(shown) : systemFault('not-writable', shown, error);
  }
}

/** Removes the former contents once the new ones are in place. Their new name lets a later run offer to remove them if this one is killed. */
async function removeReplaced(old: string, target: string): Promise<void> {
  const leftover = partialFolder(target);
  partials.add(leftover);
  await rename(old, leftover)
    .then(() => rm(leftover, { recursive: true, force: true }))
    .catch(() => {});
  partials.delete(leftover);
}

/**
 * Whether the target exists.
 * @throws StriaError if it may not be replaced. A folder with other contents is never replaced, not even on request.
 */
async function checkTarget(target: string, shown: string, { overwrite, inputs, layout }: FolderOutputOptions): Promise<boolean> {
  const facts = await stat(target).catch(() => undefined);
  if (facts === undefined) return false;
  if (!facts.isDirectory()) {
    throw new StriaError('not-writable', `${shown} is a file, but the output is a folder; give another name with -o`);
  }
  for (const input of inputs) {
    const real = await realpath(input).catch(() => resolve(input));
    if (isWithin(target, real)) {
      throw new StriaError('invalid-input', `${shown} contains the input ${input}; name another folder with -o`);
    }
  }
  const other = await findOther(target, layout).catch((error: unknown) => {
    throw systemFault('not-writable', shown, error);
  });
  if (other !== undefined) {
    throw new StriaError('not-writable', `${shown} is a folder with other contents (${other}); name a new folder with -o`);
  }
  if (!overwrite) throw existsAlready(shown);
  return true;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The first file or folder that does not belong to the layout. Links do not belong to it. */
async function findOther(target: string, { marker, files, folders }: FolderLayout): Promise<string | undefined> {
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(join(target, folder), { withFileTypes: true });
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      const isOwn = entry.isDirectory() ? folders.test(path) : entry.isFile() && files.test(path);
      if (!isOwn) return path;
      if (entry.isDirectory()) waiting.push(`${path}/`);
    }
    const isMarked = folder !== '' || entries.length === 0 || entries.some(({ name }) => name === marker);
    if (!isMarked) return entries[0]?.name;
  }
  return undefined;
}

/** A run that was killed while replacing a folder may have left the only copy of the former contents. */
async function refuseReplaced(target: string, shown: string): Promise<void> {
  const [old] = await findReplaced(target);
  if (old === undefined) return;
  const message = `an interrupted run moved its former contents to ${old}; rename that folder to ${basename(target)}, or move it elsewhere`;
  throw new StriaError('not-writable', `${shown}: ${message}`);
}
