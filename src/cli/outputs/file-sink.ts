import type { ByteSink } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { errorCode, systemFault } from '../../node/system-faults.ts';

/** A file open for writing: a `FileHandle`, or standard output. */
export interface WritableFile {
  /** @param position in the file. Undefined: after the last write */
  write(bytes: Uint8Array, offset: number, length: number, position?: number): Promise<{ readonly bytesWritten: number }>;
  /** Writes some of the pieces, in order. */
  writev?(parts: readonly Uint8Array[], position?: number): Promise<{ readonly bytesWritten: number }>;
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
  /** Whether writes go to positions, as only a file allows. Then several can be under way at once. */
  readonly hasPositions?: boolean;
  /** Called during the last sync if it takes long, as for much data on a disk. All bytes are written then. */
  readonly whileSyncing?: (() => void) | undefined;
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

/** A sync that takes no longer leaves no time for other work. */
const shortSyncMs = 5;

/** Gathered bytes are written after this time at the latest, so that `recover` finds them if the process is killed. */
const longestWaitMs = 500;

/**
 * The system lets one write at a time into a file. The second one waits in a thread, so it begins when the first one ends, even if
 * JavaScript is busy.
 */
const writesAtOnce = 2;

/** A sink that writes to an open file, and closes it. */
export function fileSink(file: WritableFile, options: FileSinkOptions): ByteSink {
  const { path, gatherBytes, hasPositions = false, whileSyncing, commit, discard } = options;
  let open = true;
  /** Where the next bytes go. */
  let position = 0;
  const gathered = new Uint8Array(gatherBytes);
  let gatheredLength = 0;
  let timer: NodeJS.Timeout | undefined;
  /** A flush started by the timer. */
  let timedFlush: Promise<void> | undefined;
  /** The first error of a write or a sync. */
  let fault: unknown;
  /** Resolves when the next call may begin. */
  let turn = Promise.resolve();
  /** Resolves when all calls have ended. */
  let ended = turn;

  let unsynced = 0;
  let syncing: Promise<void> | undefined;

  const keepFault = (error: unknown) => {
    fault ??= error;
  };
  const checkOpen = () => {
    if (!open) throw new StriaError('internal', `${path}: written after it was closed`);
  };
  const checkFault = () => {
    if (fault !== undefined) throw fault;
  };
  const writeSome: WriteSome = ([first], at) => file.write(first, 0, Math.min(mostAtOnce, first.byteLength), at);
  const writeSomeParts: WriteSome = (parts, at) => file.writev?.(firstOf(parts, partsAtOnce), at) ?? writeSome(parts, at);
  const put = async (parts: readonly Uint8Array[], write: WriteSome) => {
    let at = position;
    position += lengthOf(parts);
    for (let left = parts; isFilled(left); ) {
      checkOpen();
      const { bytesWritten } = await write(left, hasPositions ? at : undefined);
      at += bytesWritten;
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
        if (!isUnsupported(error)) keepFault(error);
      })
      .finally(() => {
        syncing = undefined;
      });
  };
  const takeGathered = () => {
    clearTimeout(timer);
    timer = undefined;
    const taken = gathered.subarray(0, gatheredLength);
    gatheredLength = 0;
    return taken;
  };
  const flush = async () => {
    const taken = takeGathered();
    if (taken.byteLength > 0) await put([taken], writeSome);
  };
  const gather = (parts: readonly Uint8Array[]) => {
    for (const part of parts) {
      gathered.set(part, gatheredLength);
      gatheredLength += part.byteLength;
    }
    if (timer !== undefined || gatheredLength === 0) return;
    timer = setTimeout(() => {
      timedFlush = flush().catch(keepFault);
    }, longestWaitMs);
    timer.unref();
  };
  const guarded = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw systemFault('not-writable', path, error);
    }
  };
  /** One call after another. In a file, the next one begins once this one has begun its own write. */
  const inTurn = (parts: readonly Uint8Array[], write: WriteSome): Promise<void> => {
    const before = turn;
    let endTurn = () => {};
    turn = new Promise((resolve) => {
      endTurn = resolve;
    });
    const work = async () => {
      await before;
      await timedFlush;
      checkOpen();
      checkFault();
      const byteLength = lengthOf(parts);
      if (byteLength <= gatherBytes) {
        if (gatheredLength + byteLength > gatherBytes) await flush();
        return gather(parts);
      }
      // A copy, because the next call may gather during this one. One call writes both.
      const waiting = takeGathered().slice();
      const putting = waiting.byteLength > 0 ? put([waiting, ...parts], writeSomeParts) : put(parts, write);
      if (hasPositions) endTurn();
      await putting;
    };
    const call = guarded(() =>
      work().catch((error: unknown) => {
        keepFault(error);
        throw error;
      }),
    ).finally(endTurn);
    // Without a result, because each would hold all results before it.
    ended = Promise.allSettled([ended, call]).then(() => {});
    return call;
  };
  const shut = async () => {
    if (!open) return;
    open = false;
    clearTimeout(timer);
    await ended;
    await timedFlush;
    await syncing;
    await file.close();
  };
  const abort = async () => {
    await shut().catch(() => {});
    await discard?.();
  };
  return {
    write: (bytes) => inTurn([bytes], writeSome),
    writeParts: (parts) =>
      inTurn(
        parts.filter((part) => part.byteLength > 0),
        writeSomeParts,
      ),
    writesAtOnce: hasPositions ? writesAtOnce : 1,
    close: async () => {
      if (!open) return;
      try {
        await guarded(async () => {
          await ended;
          await timedFlush;
          checkFault();
          await flush();
          await syncing;
          checkFault();
          await syncFile(file, whileSyncing);
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

/** Writes some of the first bytes. @param at their position, in files that have positions */
type WriteSome = (parts: Parts, at: number | undefined) => Promise<{ readonly bytesWritten: number }>;

/** At least one, none of them empty. */
type Parts = readonly [Uint8Array, ...Uint8Array[]];

function isFilled(parts: readonly Uint8Array[]): parts is Parts {
  return parts.length > 0;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Flushes the file to the disk. Devices do not support this. @param meanwhile called if it takes long */
async function syncFile(file: WritableFile, meanwhile?: () => void): Promise<void> {
  const timer = meanwhile && setTimeout(meanwhile, shortSyncMs);
  try {
    await file.sync();
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  } finally {
    clearTimeout(timer);
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
