import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ByteSource, SiblingFinder } from '../core/shared/bytes.ts';
import { StriaError } from '../core/shared/errors.ts';
import { throwIfAborted } from '../core/shared/job.ts';
import { errorCode, systemFault } from './system-faults.ts';

/** One read call asks for this much at most, so that a cancel is seen soon. */
const maxReadBytes = 16 * 2 ** 20;

/** The files that a command reads. `close` closes them all. */
export class NodeFiles {
  readonly #handles: FileHandle[] = [];
  readonly #paths: string[] = [];

  /** All that were opened. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  /** @throws StriaError `not-readable` */
  async open(path: string): Promise<ByteSource> {
    let handle: FileHandle;
    try {
      handle = await open(path, 'r');
    } catch (error) {
      throw systemFault('not-readable', path, error);
    }
    this.#handles.push(handle);
    this.#paths.push(path);
    const facts = await handle.stat();
    if (facts.isDirectory()) throw new StriaError('not-readable', `${path}: it is a folder; name a file`);
    if (!facts.isFile()) {
      throw new StriaError(
        'not-readable',
        `${path}: it is no ordinary file; Stria reads at any place, so write it to a file first`,
      );
    }
    return {
      name: basename(path),
      size: facts.size,
      file: { path, descriptor: handle.fd },
      read: reader(handle, path, facts.size),
    };
  }

  /**
   * A file that is open only while a piece of it is read: for stacks of more files than may be open at once.
   * @throws StriaError `not-readable`
   */
  static async openWhenRead(path: string): Promise<ByteSource> {
    const first = new NodeFiles();
    const { name, size } = await first.open(path).finally(() => first.close());
    return {
      name,
      size,
      read: async (offset, length, options) => {
        const files = new NodeFiles();
        try {
          return await (await files.open(path)).read(offset, length, options);
        } finally {
          await files.close();
        }
      },
    };
  }

  /** Finds files in the folder of `path`. A name that points elsewhere is not found. */
  siblingsOf(path: string): SiblingFinder {
    return async (name) => {
      if (name !== basename(name) || name === '' || name === '.' || name === '..' || name.includes('\0')) return undefined;
      const sibling = join(dirname(path), name);
      try {
        return await this.open(sibling);
      } catch (error) {
        if (error instanceof StriaError && errorCode(error.cause) === 'ENOENT') return undefined;
        throw error;
      }
    };
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#handles.splice(0).map((handle) => handle.close()));
  }
}

function reader(handle: FileHandle, path: string, size: number): ByteSource['read'] {
  return async (offset, length, { signal, into } = {}) => {
    throwIfAborted(signal);
    const wanted = Math.max(0, Math.min(length, size - offset));
    const bytes = into ? new Uint8Array(into, 0, wanted) : allocate(wanted, path);
    let filled = 0;
    while (filled < wanted) {
      throwIfAborted(signal);
      const ask = Math.min(maxReadBytes, wanted - filled);
      const { bytesRead } = await handle.read(bytes, filled, ask, offset + filled).catch((error: unknown) => {
        throw systemFault('not-readable', path, error);
      });
      // The file has shrunk since it was opened.
      if (bytesRead === 0) return bytes.slice(0, filled);
      filled += bytesRead;
    }
    return bytes;
  };
}

function allocate(byteLength: number, path: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(byteLength);
  } catch (error) {
    throw new StriaError('out-of-memory', `${path}: no memory for ${byteLength} bytes at once`, { cause: error });
  }
}
