import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ByteSource, SiblingFinder } from '../core/shared/bytes.ts';
import { StriaError } from '../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../core/shared/job.ts';
import { shownPath, standardStream } from '../core/shared/standard-streams.ts';
import { errorCode, systemFault } from './system-faults.ts';

/** The size of one read call, small enough that a cancel takes effect soon, and that several calls share a large read. */
const maxReadBytes = 4 * 2 ** 20;

/** Read calls at a time: one thread copies from the system's cache more slowly than a GPU takes voxels. */
const readsAtOnce = 4;

/** Further files beside a file are open only while they are read: a set may have more files than a process may open. */
const openSiblings = 32;

/** The files that a command reads. `close` closes them all. */
export class NodeFiles {
  readonly #job: JobOptions;
  readonly #open: { readonly handle: FileHandle; readonly path: string; readonly facts: BigIntStats }[] = [];
  /** Files that are open only while they are read. */
  readonly #closed: { readonly path: string; readonly facts: FileIdentity }[] = [];
  readonly #paths: string[] = [];
  readonly #noted = new Set<string>();

  /** @param job progress and cancellation of spooling a pipe */
  constructor(job: JobOptions = {}) {
    this.#job = job;
  }

  /** Adds the path of a file that others open. */
  note(path: string): void {
    this.#noted.add(path);
  }

  /** The paths of all files opened by name. */
  get paths(): readonly string[] {
    return [...this.#paths, ...this.#noted];
  }

  /**
   * Opens a file, or a pipe: standard input if the path is `-`, or a named pipe. A pipe's contents are spooled to a temporary
   * file.
   * @throws StriaError `not-readable`, `aborted`
   */
  async open(path: string): Promise<ByteSource> {
    if (path === standardStream) return this.#openStandardInput();
    const facts = await stat(path).catch((error: unknown) => {
      throw systemFault('not-readable', path, error);
    });
    if (facts.isFIFO()) {
      this.#paths.push(path);
      const { openPipe } = await import('./spool.ts');
      return this.#spooled(await openPipe(path), path, basename(path));
    }
    return (await this.#openFile(path)).source;
  }

  async #openFile(path: string): Promise<{ source: ByteSource; facts: BigIntStats }> {
    const handle = await openForReading(path);
    const facts = await handle.stat({ bigint: true });
    this.#open.push({ handle, path, facts });
    this.#paths.push(path);
    if (facts.isDirectory()) throw new StriaError('not-readable', `${path} is a folder; name a file`);
    if (!facts.isFile()) throw new StriaError('not-readable', `${path} is not a regular file; copy its contents to a file first`);
    const source = sourceOf(handle, path, basename(path), Number(facts.size));
    return { source: { ...source, modifiedMs: Number(facts.mtimeNs / 1_000_000n) }, facts };
  }

  async #openStandardInput(): Promise<ByteSource> {
    const shown = shownPath(standardStream, 'input');
    if (process.stdin.isTTY) throw new StriaError('invalid-input', `${shown} is a terminal; redirect a file or a program to it`);
    return this.#spooled(process.stdin, shown, 'stdin');
  }

  async #spooled(pipe: Readable, shown: string, name: string): Promise<ByteSource> {
    const { spool } = await import('./spool.ts');
    const handle = await spool(pipe, shown, this.#job);
    const facts = await handle.stat({ bigint: true });
    this.#open.push({ handle, path: shown, facts });
    return sourceOf(handle, shown, name, Number(facts.size));
  }

  /**
   * Checks that no file was written to since it was opened, because the data read might mix old and new contents.
   * @throws StriaError `not-readable`
   */
  async checkUnchanged(): Promise<void> {
    for (const { handle, path, facts } of this.#open) refuseChanged(path, facts, await handle.stat({ bigint: true }));
    for (const { path, facts } of this.#closed) {
      const now = await stat(path, { bigint: true }).catch((error: unknown) => {
        throw systemFault('not-readable', path, error);
      });
      refuseChanged(path, facts, now);
    }
  }

  /**
   * A file that is open only while a piece of it is read, for stacks of more files than may be open at once. Each time it must
   * be the same, unchanged file.
   * @param known facts about the file found earlier; otherwise it is opened to find them
   * @throws StriaError `not-readable`
   */
  static async openWhenRead(path: string, known?: FileIdentity): Promise<ByteSource> {
    const facts = known ?? (await NodeFiles.#identify(path));
    return {
      name: basename(path),
      size: Number(facts.size),
      modifiedMs: Number(facts.mtimeNs / 1_000_000n),
      async read(offset, length, options) {
        const handle = await openForReading(path);
        try {
          const bytes = await reader(handle, path, Number(facts.size))(offset, length, options);
          // Checked after reading, so that an earlier replacement is noticed too.
          refuseChanged(path, facts, await handle.stat({ bigint: true }));
          return bytes;
        } finally {
          await handle.close();
        }
      },
    };
  }

  static async #identify(path: string): Promise<FileIdentity> {
    const files = new NodeFiles();
    try {
      return (await files.#openFile(path)).facts;
    } finally {
      await files.close();
    }
  }

  /** Finds files in the folder of `path`. A name that leads to another folder is not found. @throws StriaError `not-readable` */
  siblingsOf(path: string): SiblingFinder {
    return async (name) => {
      if (path === standardStream) return undefined;
      if (name !== basename(name) || name === '' || name === '.' || name === '..' || name.includes('\0')) return undefined;
      const sibling = join(dirname(path), name);
      try {
        if (this.#open.length < openSiblings) return (await this.#openFile(sibling)).source;
        const facts = await NodeFiles.#identify(sibling);
        this.#closed.push({ path: sibling, facts });
        this.#paths.push(sibling);
        return await NodeFiles.openWhenRead(sibling, facts);
      } catch (error) {
        if (error instanceof StriaError && errorCode(error.cause) === 'ENOENT') return undefined;
        throw error;
      }
    };
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#open.splice(0).map(({ handle }) => handle.close()));
  }
}

async function openForReading(path: string): Promise<FileHandle> {
  try {
    // If the path has become a pipe by now, this does not wait for its writer.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw systemFault('not-readable', path, error);
  }
}

/** What changes when a file is replaced or written to. */
const identityFacts = ['dev', 'ino', 'size', 'mtimeNs'] as const;
export type FileIdentity = Pick<BigIntStats, (typeof identityFacts)[number]>;

export function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): FileIdentity {
  return { dev, ino, size, mtimeNs };
}

function refuseChanged(path: string, before: FileIdentity, now: FileIdentity): void {
  const isSame = identityFacts.every((fact) => before[fact] === now[fact]);
  if (isSame) return;
  throw new StriaError('not-readable', `${path} changed while it was read; run the command again once it is complete`);
}

function sourceOf(handle: FileHandle, path: string, name: string, size: number): ByteSource {
  return { name, size, file: { path, descriptor: handle.fd }, read: reader(handle, path, size) };
}

function reader(handle: FileHandle, path: string, size: number): ByteSource['read'] {
  return async (offset, length, { signal, into } = {}) => {
    throwIfAborted(signal);
    const wanted = Math.max(0, Math.min(length, size - offset));
    const bytes = into ? new Uint8Array(into, 0, wanted) : allocate(wanted, path);
    let asked = 0;
    /** Where the file ends, if it has shrunk since it was opened. */
    let end = wanted;
    const readPieces = async () => {
      while (asked < wanted) {
        const [first, last] = [asked, Math.min(wanted, asked + maxReadBytes)];
        asked = last;
        for (let filled = first; filled < last && filled < end; ) {
          throwIfAborted(signal);
          const { bytesRead } = await handle.read(bytes, filled, last - filled, offset + filled).catch((error: unknown) => {
            throw systemFault('not-readable', path, error);
          });
          if (bytesRead === 0) end = Math.min(end, filled);
          filled += bytesRead;
        }
      }
    };
    const calls = Array.from({ length: Math.min(readsAtOnce, Math.ceil(wanted / maxReadBytes)) }, readPieces);
    // All calls must have ended when the caller frees the memory.
    await Promise.allSettled(calls);
    await Promise.all(calls);
    return end < wanted ? bytes.slice(0, end) : bytes;
  };
}

function allocate(byteLength: number, path: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(byteLength);
  } catch (error) {
    throw new StriaError('out-of-memory', `${path}: not enough memory for ${byteLength} bytes at once`, { cause: error });
  }
}
