import { constants, open as openDescriptor } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { StriaError } from '../core/shared/errors.ts';
import type { JobOptions } from '../core/shared/job.ts';
import { systemFault } from './system-faults.ts';

/** Opens a named pipe for reading. Waiting for a writer blocks no thread, so a signal can end the wait. */
export async function openPipe(path: string): Promise<Readable> {
  const descriptor = await promisify(openDescriptor)(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw systemFault('not-readable', path, error);
  });
  return new Socket({ fd: descriptor, readable: true, writable: false });
}

/**
 * Reads a pipe to its end into a temporary file, because readers need random access. The file is unlinked at once, so it
 * disappears when it is closed, however the process ends.
 * @param shown the pipe's name in messages
 * @throws StriaError `not-readable`, `not-writable`, `aborted`
 */
export async function spool(pipe: Readable, shown: string, { signal, onProgress }: JobOptions): Promise<FileHandle> {
  const path = join(tmpdir(), `stria-input-${process.pid}-${Math.floor(Math.random() * 2 ** 32).toString(16)}`);
  const inTmp = (error: unknown) => {
    const { message } = systemFault('not-writable', tmpdir(), error);
    return new StriaError('not-writable', `${message}; ${shown} is buffered there; set TMPDIR to use another folder`, {
      cause: error,
    });
  };
  const file = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw inTmp(error);
  });
  try {
    await unlink(path);
    if (signal) addAbortSignal(signal, pipe);
    let done = 0;
    for await (const piece of readPieces(pipe, shown)) {
      await file.writeFile(piece).catch((error: unknown) => {
        throw inTmp(error);
      });
      done += piece.byteLength;
      onProgress?.({ stage: 'Reading', done, total: undefined });
    }
    return file;
  } catch (error) {
    pipe.destroy();
    await file.close();
    throw error;
  }
}

async function* readPieces(pipe: Readable, shown: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of pipe) yield piece as Uint8Array;
  } catch (error) {
    throw systemFault('not-readable', shown, error);
  }
}
