import { type ByteSource, memorySource } from '../core/shared/bytes.ts';
import { StriaError } from '../core/shared/errors.ts';
import type { FileLike } from './types.ts';

/** Turns the argument of `open` into a source of bytes, with a function that closes it. @throws StriaError `not-readable` */
export async function sourceOf(input: string | URL | Blob | ArrayBuffer | Uint8Array | FileLike): Promise<OwnSource> {
  if (input instanceof ArrayBuffer) return keep(memorySource('volume.stria', new Uint8Array(input)));
  if (input instanceof Uint8Array) return keep(memorySource('volume.stria', input));
  if (input instanceof Blob) return keep(fileSource(blobFile(input)));
  if (typeof input === 'object' && 'read' in input) return keep(fileSource(callersFile(input)));
  const text = String(input);
  return /^https?:/.test(text) ? keep(fileSource(await webFile(text))) : nodeSource(text, input);
}

interface OwnSource {
  readonly source: ByteSource;
  close(): Promise<void>;
}

function keep(source: ByteSource): OwnSource {
  return { source, close: async () => {} };
}

/** A file whose `read` returns bytes that the caller may keep. */
interface OwnFile {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

function fileSource({ size, read }: OwnFile): ByteSource {
  return {
    name: 'volume.stria',
    size,
    async read(offset, length) {
      if (length === 0) return new Uint8Array(0);
      try {
        return await read(offset, length);
      } catch (error) {
        if (error instanceof StriaError) throw error;
        throw new StriaError('not-readable', `bytes ${offset} to ${offset + length} cannot be read: ${String(error)}`, {
          cause: error,
        });
      }
    },
  };
}

/** Copies the bytes that were read, because they may be a view of memory that the caller reuses. */
function callersFile(file: FileLike): OwnFile {
  return { size: file.size, read: async (offset, length) => new Uint8Array(await file.read(offset, length)) };
}

function blobFile(blob: Blob): OwnFile {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}

async function webFile(url: string): Promise<OwnFile> {
  const get = async (offset: number, length: number): Promise<Response> => {
    const response = await fetch(url, { headers: { Range: `bytes=${offset}-${offset + length - 1}` } });
    if (response.status === 206) return response;
    await response.body?.cancel();
    const why = response.ok ? 'does not answer range requests; download the file' : `answers ${response.status}`;
    throw new StriaError('not-readable', `the server of ${url} ${why}`);
  };
  try {
    // A GET of one byte, because some servers answer HEAD without a length.
    const response = await get(0, 1);
    await response.arrayBuffer();
    const size = Number(/\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1] ?? (await wholeLength(url)));
    if (!Number.isSafeInteger(size))
      throw new StriaError('not-readable', `the server of ${url} does not say how long the file is`);
    return { size, read: async (offset, length) => new Uint8Array(await (await get(offset, length)).arrayBuffer()) };
  } catch (error) {
    if (error instanceof StriaError) throw error;
    throw new StriaError('not-readable', `${url} cannot be read: ${String(error)}`, { cause: error });
  }
}

/** A page sees the Content-Range of another origin only if the server exposes it, but always Content-Length. */
async function wholeLength(url: string): Promise<string | undefined> {
  const response = await fetch(url, { method: 'HEAD' });
  const isPlain = response.ok && !response.headers.has('Content-Encoding');
  return isPlain ? (response.headers.get('Content-Length') ?? undefined) : undefined;
}

/** The part of node:fs/promises that is used here. It is not imported by name, because that would break bundling for browsers. */
interface NodeFiles {
  open(path: string | URL): Promise<{
    stat(): Promise<{ readonly size: number }>;
    read(target: Uint8Array, at: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
    close(): Promise<void>;
  }>;
}

async function nodeSource(path: string, input: unknown): Promise<OwnSource> {
  const node = (globalThis as { process?: { getBuiltinModule?(name: string): unknown } }).process;
  const files = node?.getBuiltinModule?.('node:fs/promises') as NodeFiles | undefined;
  if (!files) throw new StriaError('not-readable', `${path} is not a web address, and paths can be opened only in Node`);
  try {
    const file = await files.open(input instanceof URL ? input : path);
    const { size } = await file.stat();
    const read = async (offset: number, length: number) => {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      return bytes.subarray(0, bytesRead);
    };
    return { source: fileSource({ size, read }), close: () => file.close() };
  } catch (error) {
    throw new StriaError('not-readable', `${path} cannot be read: ${String(error)}`, { cause: error });
  }
}
