import type { ByteSink } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { errorCode, systemFault } from '../../node/system-faults.ts';

/** A file open for writing: a `FileHandle`, or standard output. */
export interface WritableFile {
  write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>;
  /** Writes some of the pieces, in order. */
  writev?(parts: readonly Uint8Array[]): Promise<{ readonly bytesWritten: number }>;
  /** Syncs everything written so far to the disk. */
  datasync?(): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileSinkOptions {
  /** The file's path in messages. */
  readonly path: string;
  /** Smaller writes are collected into writes of this size. With 0 each write goes out at once. */
  readonly gatherBytes: number;
  /** Gives the file its final name once all of it is on the disk. */
  readonly commit?: () => Promise<void>;
  /** Removes the file after a failure or a cancel. */
  readonly discard?: () => Promise<void>;
}

/** Chunks arrive by the thousand, and each system call costs about 50 µs, so small writes are gathered into this size. */
export const standardGatherBytes = 2 ** 18;

/** The largest single write: systems refuse 2 GiB, and a cancel takes effect between calls. */
const mostAtOnce = 2 ** 26;

/** The largest write of pieces, so that a cancel takes effect soon. */
const partsAtOnce = 2 ** 24;

/**
 * After this many bytes the file is synced to the disk while writing goes on. Otherwise the system would start with the last
 * `sync`, and the disk would idle until then.
 */
const unsyncedBytes = 2 ** 25;

/** Gathered bytes are written after this time at the latest, so that `recover` finds them if the process is killed. */
const longestWaitMs = 500;

/** A sink that writes to an open file, and closes it. */
export function fileSink(file: WritableFile, { path, gatherBytes, commit, discard }: FileSinkOptions): ByteSink {
  let open = true;
  const gathered = new Uint8Array(gatherBytes);
  let gatheredLength = 0;
  let timer: NodeJS.Timeout | undefined;
  /** A flush started by the timer, and any error it threw. */
  let timedFlush: Promise<void> | undefined;
  let timedFault: unknown;

  let unsynced = 0;
  let syncing: Promise<void> | undefined;

  const put = async (bytes: Uint8Array) => {
    for (let written = 0; written < bytes.byteLength; ) {
      const length = Math.min(mostAtOnce, bytes.byteLength - written);
      written += (await file.write(bytes, written, length)).bytesWritten;
    }
    syncBeside(bytes.byteLength);
  };
  const putParts = async (parts: readonly Uint8Array[]) => {
    if (!file.writev) {
      for (const part of parts) await put(part);
      return;
    }
    for (let left = parts; left.length > 0; ) {
      const { bytesWritten } = await file.writev(firstOf(left, partsAtOnce));
      left = after(left, bytesWritten);
      syncBeside(bytesWritten);
    }
  };
  /** Starts a sync if enough was written since the last one and none is running. Its errors occur again in the last sync. */
  const syncBeside = (bytesWritten: number) => {
    unsynced += bytesWritten;
    if (!file.datasync || syncing || unsynced < unsyncedBytes) return;
    unsynced = 0;
    syncing = file
      .datasync()
      .catch((error: unknown) => {
        if (!isUnsupported(error)) timedFault ??= error;
      })
      .finally(() => {
        syncing = undefined;
      });
  };
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const length = gatheredLength;
    gatheredLength = 0;
    if (length > 0) await put(gathered.subarray(0, length));
  };
  const startTimer = () => {
    timer = setTimeout(() => {
      timedFlush = flush().catch((error: unknown) => {
        timedFault = error;
      });
    }, longestWaitMs);
    timer.unref();
  };
  const endTimedFlush = async () => {
    await timedFlush;
    timedFlush = undefined;
    if (timedFault !== undefined) throw timedFault;
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
    clearTimeout(timer);
    await timedFlush;
    await syncing;
    await file.close();
  };
  const abort = async () => {
    await shut().catch(() => {});
    await discard?.();
  };
  return {
    write: (bytes) =>
      guarded(async () => {
        if (!open) throw new StriaError('internal', `${path}: written after it was closed`);
        if (timedFlush) await endTimedFlush();
        if (gatheredLength + bytes.byteLength > gatherBytes) await flush();
        if (bytes.byteLength > gatherBytes) return put(bytes);
        gathered.set(bytes, gatheredLength);
        gatheredLength += bytes.byteLength;
        if (timer === undefined) startTimer();
      }),
    writeParts: (parts) =>
      guarded(async () => {
        if (!open) throw new StriaError('internal', `${path}: written after it was closed`);
        if (timedFlush) await endTimedFlush();
        const byteLength = parts.reduce((sum, part) => sum + part.byteLength, 0);
        if (gatheredLength + byteLength > gatherBytes) await flush();
        if (byteLength > gatherBytes) return putParts(parts.filter((part) => part.byteLength > 0));
        for (const part of parts) {
          gathered.set(part, gatheredLength);
          gatheredLength += part.byteLength;
        }
        if (timer === undefined && gatheredLength > 0) startTimer();
      }),
    close: async () => {
      if (!open) return;
      try {
        await guarded(async () => {
          await endTimedFlush();
          await flush();
          await syncing;
          if (timedFault !== undefined) throw timedFault;
          await syncFile(file);
          await shut();
          await commit?.();
        });
      } catch (error) {
        await abort();
        throw error;
      }
    },
    abort,
  };
}

/** Flushes the file to the disk. Devices do not support this. */
async function syncFile(file: WritableFile): Promise<void> {
  try {
    await file.sync();
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  }
}

function isUnsupported(error: unknown): boolean {
  return ['EINVAL', 'ENOTSUP', 'EROFS'].includes(errorCode(error) ?? '');
}

/** The first pieces, up to a total length, the last of them cut. */
function firstOf(parts: readonly Uint8Array[], byteLength: number): Uint8Array[] {
  const first: Uint8Array[] = [];
  let left = byteLength;
  for (const part of parts) {
    if (left === 0) break;
    first.push(part.subarray(0, left));
    left -= Math.min(left, part.byteLength);
  }
  return first;
}

/** The rest of the pieces after their first bytes. */
function after(parts: readonly Uint8Array[], byteLength: number): readonly Uint8Array[] {
  let left = byteLength;
  let at = 0;
  for (; at < parts.length && left >= (parts[at] as Uint8Array).byteLength; at++) left -= (parts[at] as Uint8Array).byteLength;
  const rest = parts.slice(at);
  if (left > 0) rest[0] = (rest[0] as Uint8Array).subarray(left);
  return rest;
}
