import { constants, unlinkSync } from 'node:fs';
import { access, type FileHandle, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ByteSink } from '../core/shared/bytes.ts';
import { StriaError } from '../core/shared/errors.ts';
import { errorCode, systemFault } from './system-faults.ts';

export interface NodeSinkOptions {
  /** Whether an existing file may be replaced. */
  readonly overwrite: boolean;
  /** Files that are being read: none of them is ever replaced. */
  readonly inputs?: readonly string[];
}

/** Temporary files that stand open. Whatever ends the process in order takes them away. */
const partials = new Set<string>();
process.on('exit', () => {
  for (const path of partials) {
    try {
      unlinkSync(path);
    } catch {
      // It is gone already.
    }
  }
});

/**
 * A sink that writes `.NAME.PID-RANDOM.partial` beside the target, and gives it the target's name once all is on the disk.
 * A device or a pipe (`/dev/null`) is written directly.
 * @throws StriaError `not-writable`; `invalid-input` where the target is one of the inputs
 */
export async function createNodeSink(path: string, options: NodeSinkOptions): Promise<ByteSink> {
  const target = await resolveTarget(path, options);
  if (target.direct)
    return handleSink(
      await openForWriting(path, path),
      path,
      0,
      async () => {},
      async () => {},
    );

  // No secret: it opens only what is not there yet. (Loading node:crypto takes some milliseconds.)
  const random = Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  const name = basename(target.path).slice(0, 150);
  const partial = join(dirname(target.path), `.${name}.${process.pid}-${random}.partial`);
  partials.add(partial);
  let handle: FileHandle;
  try {
    handle = await openForWriting(partial, path, target.mode);
  } catch (error) {
    partials.delete(partial);
    throw error;
  }
  return handleSink(
    handle,
    path,
    gatherBytes,
    async () => {
      // What has come into being since the start is not replaced either.
      if (!options.overwrite) await refuseExisting(path, target.path);
      await rename(partial, target.path);
      partials.delete(partial);
      await syncFolder(dirname(target.path));
    },
    async () => {
      await unlink(partial).catch(() => {});
      partials.delete(partial);
    },
  );
}

interface Target {
  /** With links followed. */
  readonly path: string;
  readonly direct: boolean;
  /** Permissions of the file that is replaced. */
  readonly mode: number | undefined;
}

async function resolveTarget(path: string, { overwrite, inputs = [] }: NodeSinkOptions): Promise<Target> {
  const facts = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw systemFault('not-writable', path, error);
  });
  if (!facts) {
    await checkFolder(path);
    return { path: resolve(path), direct: false, mode: undefined };
  }
  if (facts.isDirectory()) throw new StriaError('not-writable', `${path}: it is a folder; name a file in it`);
  if (!facts.isFile()) return { path, direct: true, mode: undefined };
  for (const input of inputs) {
    const inputFacts = await stat(input).catch(() => undefined);
    if (inputFacts && inputFacts.ino === facts.ino && inputFacts.dev === facts.dev) {
      throw new StriaError('invalid-input', `${path}: the output would replace the input; give another name with -o`);
    }
  }
  if (!overwrite) await refuseExisting(path, path);
  // A file that may not be written is not replaced, though its folder would allow it.
  await access(path, constants.W_OK).catch((error: unknown) => {
    throw systemFault('not-writable', path, error);
  });
  return { path: await realpath(path), direct: false, mode: facts.mode & 0o777 };
}

async function checkFolder(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  const facts = await stat(folder).catch(() => undefined);
  if (!facts) throw new StriaError('not-writable', `${path}: the folder ${folder} does not exist`);
  if (!facts.isDirectory()) throw new StriaError('not-writable', `${path}: ${folder} is not a folder`);
}

async function refuseExisting(shown: string, path: string): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new StriaError('not-writable', `${shown}: it exists already; add -f to replace it, or name another with -o`);
}

async function openForWriting(path: string, shown: string, mode?: number): Promise<FileHandle> {
  try {
    // 'wx' for our own temporary files, which must be new; plain 'w' for devices.
    return await open(path, path === shown ? 'w' : 'wx', mode);
  } catch (error) {
    throw systemFault('not-writable', shown, error);
  }
}

/** Smaller writes are gathered to this: a volume's chunks come by the thousand, and each call costs some 50 µs. */
const gatherBytes = 2 ** 18;

/** @param limit writes of up to so many bytes are gathered */
function handleSink(
  handle: FileHandle,
  path: string,
  limit: number,
  commit: () => Promise<void>,
  discard: () => Promise<void>,
): ByteSink {
  let open = true;
  const gathered = new Uint8Array(limit);
  let gatheredLength = 0;
  const put = async (bytes: Uint8Array) => {
    for (let written = 0; written < bytes.byteLength; ) {
      written += (await handle.write(bytes, written, bytes.byteLength - written)).bytesWritten;
    }
  };
  const flush = async () => {
    const length = gatheredLength;
    gatheredLength = 0;
    await put(gathered.subarray(0, length));
  };
  const guarded = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw systemFault('not-writable', path, error);
    }
  };
  const shut = async () => {
    if (!open) return;
    open = false;
    await handle.close();
  };
  const abort = async () => {
    await shut().catch(() => {});
    await discard();
  };
  return {
    write: (bytes) =>
      guarded(async () => {
        if (!open) throw new StriaError('internal', `${path}: written after its end`);
        if (gatheredLength + bytes.byteLength > limit) await flush();
        if (bytes.byteLength > limit) return put(bytes);
        gathered.set(bytes, gatheredLength);
        gatheredLength += bytes.byteLength;
      }),
    close: async () => {
      if (!open) return;
      try {
        await guarded(async () => {
          await flush();
          await syncFile(handle);
          await shut();
          await commit();
        });
      } catch (error) {
        await abort();
        throw error;
      }
    },
    abort,
  };
}

/** Puts the file on the disk. Pipes and devices know no such thing. */
async function syncFile(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
  }
}

/** Puts the new name on the disk, where the system can (Windows cannot). */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file itself is safe; only its name might be lost with the power.
  }
}
