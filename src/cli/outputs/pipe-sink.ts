import { constants, open } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ByteSink } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { errorCode, systemFault } from '../../node/system-faults.ts';

/** Polling interval while waiting for a pipe's reader. */
const readerPollMs = 50;

/**
 * Opens a named pipe once it has a reader. Neither the wait nor a write blocks a thread, so a signal can end them.
 * @throws StriaError `not-writable`, `aborted`
 */
export async function openPipeSink(path: string, signal: AbortSignal | undefined): Promise<ByteSink> {
  for (;;) {
    try {
      const descriptor = await promisify(open)(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return pipeSink(new Socket({ fd: descriptor, readable: false, writable: true }), path, signal);
    } catch (error) {
      // ENXIO: the pipe has no reader.
      if (errorCode(error) !== 'ENXIO') throw systemFault('not-writable', path, error);
    }
    await sleep(readerPollMs, undefined, { signal });
  }
}

/** A sink that writes to the reader of a pipe. What was read cannot be taken back. */
export function pipeSink(pipe: Writable, path: string, signal: AbortSignal | undefined): ByteSink {
  let fault: StriaError | undefined;
  let rejectWaiting: ((fault: StriaError) => void) | undefined;
  const fail = (cause: StriaError) => {
    fault ??= cause;
    rejectWaiting?.(fault);
  };
  const onAbort = () => {
    fail(new StriaError('aborted', 'cancelled'));
    pipe.destroy();
  };
  pipe.on('error', (error) => fail(systemFault('not-writable', path, error)));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  /** Waits until `begin` calls back or the pipe fails. */
  const settled = (begin: (done: () => void) => void) =>
    new Promise<void>((resolve, reject) => {
      if (fault) return reject(fault);
      rejectWaiting = reject;
      begin(resolve);
    });
  const end = () => signal?.removeEventListener('abort', onAbort);
  return {
    write: (bytes) => settled((done) => void pipe.write(bytes, (error) => error ?? done())),
    close: async () => {
      await settled((done) => void pipe.end(done));
      end();
    },
    abort: async () => {
      end();
      pipe.destroy();
    },
  };
}
