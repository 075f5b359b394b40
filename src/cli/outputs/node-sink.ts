import { constants } from 'node:fs';
import { access, type FileHandle, open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ByteSink } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { freeSpace } from '../../node/free-space.ts';
import { renameToFree } from '../../node/rename-to-free.ts';
import { errorCode, systemFault } from '../../node/system-faults.ts';
import { formatBytes } from '../terminal/text.ts';
import { checkEnding } from './file-endings.ts';
import { fileSink, standardGatherBytes } from './file-sink.ts';
import { partialPath, partials } from './partial-files.ts';
import type { PendingFiles } from './pending-files.ts';

export interface NodeSinkOptions {
  /** Whether an existing file may be replaced. */
  readonly overwrite: boolean;
  /** Whether a file that another program creates meanwhile may be replaced, too. */
  readonly force?: boolean | undefined;
  /** Files that are being read. None of them is ever replaced. */
  readonly inputs?: readonly string[];
  /** Ends the wait for the reader of a pipe. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes that will be written, if known. A disk without enough room is then refused at once. */
  readonly byteLength?: number | undefined;
  /** A likely upper bound in bytes if the size is not known. `onLowSpace` is called if the disk has less. */
  readonly mostBytes?: number | undefined;
  readonly onLowSpace?: ((text: string) => void) | undefined;
  /** Called during the last sync of the file if that takes long. */
  readonly whileSyncing?: (() => void) | undefined;
  /** What the file will hold, so that a name with the ending of another format is refused. */
  readonly holds?: 'stria' | 'png' | undefined;
  /** If given, closing the sink leaves the temporary file here, and `commit` of all of them renames it. */
  readonly pending?: PendingFiles | undefined;
}

/**
 * A sink that writes a temporary file beside the target, and renames it once all of it is on the disk. Standard output (`-`), a
 * named pipe and a device (`/dev/null`) are written directly.
 * @throws StriaError `not-writable`, also if the disk is full; `aborted`; `invalid-input` if the target is one of the inputs or
 * a terminal, or if its ending belongs to another format
 */
export async function createNodeSink(path: string, options: NodeSinkOptions): Promise<ByteSink> {
  if (path === standardStream) return (await import('./stdout-sink.ts')).standardOutputSink(options.signal);
  const target = await resolveTarget(path, options);
  if (target.kind === 'pipe') return (await import('./pipe-sink.ts')).openPipeSink(path, options.signal);
  if (target.kind === 'device') return fileSink(await openForWriting(path, path), { path, gatherBytes: 0 });

  if (options.byteLength !== undefined) await checkRoom(path, dirname(target.path), options.byteLength);
  if (options.mostBytes !== undefined) {
    const text = await lowSpace(dirname(target.path), options.mostBytes);
    if (text !== undefined) options.onLowSpace?.(text);
  }
  const partial = partialPath(target.path);
  partials.add(partial);
  let file: FileHandle;
  try {
    file = await openForWriting(partial, path, target.mode);
    if (target.mode !== undefined) await file.chmod(target.mode).catch(() => {});
  } catch (error) {
    partials.delete(partial);
    throw error;
  }
  const commit = async () => {
    const replaces = options.force || (options.overwrite && target.mode !== undefined);
    if (replaces) await rename(partial, target.path);
    else {
      await renameToFree(partial, target.path).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error;
        throw options.overwrite ? createdMeanwhile(path) : existsAlready(path);
      });
    }
    partials.delete(partial);
    await syncFolder(dirname(target.path));
  };
  const discard = async () => {
    await unlink(partial).catch(() => {});
    partials.delete(partial);
  };
  const undo = async () => {
    if (target.mode === undefined) await unlink(target.path).catch(() => {});
  };
  const { pending } = options;
  const guardedCommit = () =>
    commit().catch(async (error: unknown) => {
      await discard();
      throw systemFault('not-writable', path, error);
    });
  return fileSink(file, {
    path,
    gatherBytes: standardGatherBytes,
    hasPositions: true,
    whileSyncing: options.whileSyncing,
    commit: pending ? async () => pending.add({ commit: guardedCommit, undo, discard }) : commit,
    discard,
  });
}

/** Refuses a path as `createNodeSink` would, before work is spent on what could not be written. @throws StriaError like it */
export async function checkTarget(path: string, options: Pick<NodeSinkOptions, 'overwrite' | 'inputs' | 'holds'>): Promise<void> {
  if (path !== standardStream) await resolveTarget(path, options);
}

interface Target {
  /** The path after following links. */
  readonly path: string;
  readonly kind: 'file' | 'pipe' | 'device';
  /** Permissions of the file to be replaced. */
  readonly mode: number | undefined;
}

async function resolveTarget(
  path: string,
  { overwrite, inputs = [], holds }: Pick<NodeSinkOptions, 'overwrite' | 'inputs' | 'holds'>,
): Promise<Target> {
  const facts = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw systemFault('not-writable', path, error);
  });
  if (!facts) {
    const target = await dangling(path);
    if (target !== undefined && !overwrite) throw existsAlready(path);
    await checkFolder(target ?? path);
    checkEnding(path, holds);
    return { path: resolve(target ?? path), kind: 'file', mode: undefined };
  }
  if (facts.isDirectory()) throw new StriaError('not-writable', `${path} is a folder; name a file in it`);
  if (facts.isFIFO()) return { path, kind: 'pipe', mode: undefined };
  if (!facts.isFile()) return { path, kind: 'device', mode: undefined };
  for (const input of inputs) {
    const inputFacts = await stat(input).catch(() => undefined);
    if (inputFacts && inputFacts.ino === facts.ino && inputFacts.dev === facts.dev) {
      throw new StriaError('invalid-input', `${path}: the output would replace the input; give another name with -o`);
    }
  }
  checkEnding(path, holds);
  if (!overwrite) throw existsAlready(path);
  // A read-only file is not replaced, even if its folder allows it.
  await access(path, constants.W_OK).catch((error: unknown) => {
    throw systemFault('not-writable', path, error);
  });
  return { path: await realpath(path), kind: 'file', mode: facts.mode & 0o777 };
}

/** The missing target of a symbolic link. Undefined if the path is not a link. */
async function dangling(path: string): Promise<string | undefined> {
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined) return undefined;
  const named = resolve(dirname(path), target);
  return (await dangling(named)) ?? named;
}

export async function checkFolder(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  const facts = await stat(folder).catch(() => undefined);
  if (!facts) throw new StriaError('not-writable', `${path}: the folder ${folder} does not exist`);
  if (!facts.isDirectory()) throw new StriaError('not-writable', `${path}: ${folder} is not a folder`);
}

/** Assumes enough room if the system does not report free space. */
export async function checkRoom(shown: string, folder: string, byteLength: number): Promise<void> {
  const free = await freeSpace(folder);
  if (free === undefined || byteLength <= free) return;
  const message = `${formatBytes(byteLength)} are needed, but the disk has only ${formatBytes(free)} free`;
  throw new StriaError('not-writable', `${shown}: ${message}; choose another disk with -o`);
}

/** The warning before writing up to `mostBytes`. Undefined if there is room for all of them. */
export async function lowSpace(folder: string, mostBytes: number): Promise<string | undefined> {
  const free = await freeSpace(folder);
  if (free === undefined || mostBytes <= free) return undefined;
  return `low disk space: ${formatBytes(free)} free, and the volume takes ${formatBytes(mostBytes)} if it does not compress`;
}

function createdMeanwhile(shown: string): StriaError {
  return new StriaError(
    'not-writable',
    `${shown} was created by another program meanwhile and is not replaced; run this again to replace it`,
  );
}

export function existsAlready(shown: string): StriaError {
  return new StriaError('not-writable', `${shown} already exists; add -f to replace it, or choose another name with -o`);
}

async function openForWriting(path: string, shown: string, mode?: number): Promise<FileHandle> {
  try {
    // 'wx' for our own temporary files, which must be new; 'w' for devices.
    return await open(path, path === shown ? 'w' : 'wx', mode);
  } catch (error) {
    throw systemFault('not-writable', shown, error);
  }
}

/** Flushes the new name to the disk, where the system can (Windows cannot). */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // The contents are safe; a power failure could lose only the name.
  }
}
