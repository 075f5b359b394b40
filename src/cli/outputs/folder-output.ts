import { mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { SinkMaker } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { errorCode, systemFault } from '../../node/system-faults.ts';
import { fileSink, standardGatherBytes } from './file-sink.ts';
import { checkFolder, checkRoom, existsAlready, syncFolder } from './node-sink.ts';
import { partialFolder, partials } from './partial-files.ts';

/** A folder of files that appears under its name once it is complete. */
export interface FolderOutput {
  /** Opens the sink of a file, by its path in the folder. */
  readonly makeSink: SinkMaker;
  /** Gives the folder its name. @throws StriaError `not-writable` */
  commit(): Promise<void>;
  /** Removes everything. */
  discard(): Promise<void>;
}

export interface FolderOutputOptions {
  /** Whether an existing folder may be replaced. */
  readonly overwrite: boolean;
  /** A folder may be replaced only if it contains one of these names. */
  readonly known: readonly string[];
}

/**
 * Writes a folder of files into a temporary one beside the target.
 * @throws StriaError `not-writable`
 */
export async function createFolderOutput(path: string, { overwrite, known }: FolderOutputOptions): Promise<FolderOutput> {
  const shown = path.replace(/[/\\]+$/, '');
  const target = await realpath(shown).catch(() => resolve(shown));
  const facts = await stat(target).catch(() => undefined);
  if (facts !== undefined) await checkReplaceable(target, shown, facts.isDirectory(), known, overwrite);
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
      return fileSink(handle, { path: shownFile, gatherBytes: standardGatherBytes });
    },
    commit: async () => {
      const old = facts === undefined ? undefined : partialFolder(target);
      if (old !== undefined) await guarded(rename(target, old));
      try {
        await guarded(rename(partial, target));
      } catch (error) {
        if (old !== undefined) await rename(old, target).catch(() => {});
        const wasMade = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errorCode((error as StriaError).cause) ?? '');
        throw wasMade ? existsAlready(shown) : error;
      }
      partials.delete(partial);
      if (old !== undefined) await rm(old, { recursive: true, force: true }).catch(() => {});
      await syncFolder(dirname(target));
    },
    discard,
  };
}

/** A folder with other contents is never removed, not even on request. */
async function checkReplaceable(
  target: string,
  shown: string,
  isFolder: boolean,
  known: readonly string[],
  overwrite: boolean,
): Promise<void> {
  if (!isFolder) throw new StriaError('not-writable', `${shown} is a file, and a folder would be written; name another with -o`);
  const names = await readdir(target).catch((error: unknown) => {
    throw systemFault('not-writable', shown, error);
  });
  if (names.length > 0 && !names.some((name) => known.includes(name))) {
    throw new StriaError('not-writable', `${shown} is a folder that holds something else; name a new one with -o`);
  }
  if (!overwrite) throw existsAlready(shown);
}
