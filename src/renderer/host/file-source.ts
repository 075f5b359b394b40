import type { ByteSource } from '../../core/shared/bytes.ts';
import { type FaultData, faultFromData, StriaError } from '../../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../core/shared/job.ts';
import { addressSource } from './address-files.ts';
import { toFileFault } from './faults.ts';
import type { FileHandle } from './host.ts';
import { servedSource } from './served-source.ts';
import { holdLock } from './thread-life.ts';

const opened = new WeakMap<FileHandle, ByteSource>();
const releases = new WeakMap<FileHandle, () => void>();

/** Reads a host's file. Works in a window and in a worker. */
export function sourceOf(handle: FileHandle): ByteSource {
  switch (handle.kind) {
    case 'blob':
      return blobSource(handle.name, handle.blob);
    case 'url':
      return urlSource(handle.name, handle.size, handle.url);
    case 'address':
      return once(handle, () => addressSource(handle));
    case 'port':
      return once(handle, () => portSource(handle));
  }
}

/** Ends the use of a handle by a thread that goes on, so that the thread that reads the file can free it. Running reads get no answer. */
export function closeSource(handle: FileHandle): void {
  if (handle.kind !== 'port') return;
  handle.port.close();
  releases.get(handle)?.();
}

function portSource(handle: FileHandle & { kind: 'port' }): ByteSource {
  const source = servedSource(handle.name, handle.size, handle.port);
  const { held, release } = holdLock(handle.lock);
  releases.set(handle, release);
  return {
    ...source,
    async read(...range) {
      await held;
      return source.read(...range);
    },
  };
}

/** The only source of a handle: one at an address caches blocks, and one at a port listens there. */
function once(handle: FileHandle, open: () => ByteSource): ByteSource {
  const source = opened.get(handle) ?? open();
  opened.set(handle, source);
  return source;
}

function blobSource(name: string, blob: Blob): ByteSource {
  return {
    name,
    size: blob.size,
    ...(blob instanceof File && { modifiedMs: blob.lastModified }),
    async read(offset, length, options) {
      throwIfAborted(options?.signal);
      const { start, end } = clip(name, blob.size, offset, length);
      try {
        const bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
        throwIfAborted(options?.signal);
        return whole(name, bytes, end - start);
      } catch (error) {
        throw toFileFault(error, 'not-readable', name);
      }
    },
  };
}

function urlSource(name: string, size: number, url: string): ByteSource {
  return {
    name,
    size,
    async read(offset, length, options) {
      throwIfAborted(options?.signal);
      const { start, end } = clip(name, size, offset, length);
      if (start === end) return new Uint8Array(0);
      try {
        return whole(name, await fetchRange(name, size, url, start, end, options), end - start);
      } catch (error) {
        throw toFileFault(error, 'not-readable', name);
      }
    },
  };
}

/** Fetches the bytes from `start` to before `end` by one range request, and checks the response. */
async function fetchRange(
  name: string,
  size: number,
  url: string,
  start: number,
  end: number,
  options: JobOptions | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url, {
    headers: { range: `bytes=${start}-${end - 1}` },
    cache: 'no-store',
    signal: options?.signal ?? null,
  });
  // Main's own answer for a file in a folder.
  if (response.status === 403 && response.headers.get('content-type')?.startsWith('application/json'))
    throw faultFromData((await response.json()) as FaultData);
  if (response.status !== 206) {
    await response.body?.cancel();
    throw new StriaError('not-readable', `'${name}' ${whyNot(response.status)}`);
  }
  if (response.headers.get('content-range') !== `bytes ${start}-${end - 1}/${size}`) {
    await response.body?.cancel();
    throw new StriaError('not-readable', `'${name}' has changed since it was opened. Open it again`);
  }
  return new Uint8Array(await response.arrayBuffer());
}

function whyNot(status: number): string {
  if (status === 404) return 'no longer exists at its old location. Open it again';
  if (status === 409 || status === 416) return 'has changed since it was opened. Open it again';
  if (status === 403) return 'cannot be read: permission was denied';
  if (status === 200) return 'cannot be read: its server does not support range requests';
  return `cannot be read: the server answered ${status}`;
}

/** The part of a requested range that is within the file. */
function clip(name: string, size: number, offset: number, length: number): { start: number; end: number } {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw new StriaError('not-readable', `'${name}': no such range: ${length} bytes from ${offset}`);
  }
  const start = Math.min(offset, size);
  return { start, end: Math.min(start + length, size) };
}

function whole(name: string, bytes: Uint8Array<ArrayBuffer>, expected: number): Uint8Array<ArrayBuffer> {
  if (bytes.byteLength === expected) return bytes;
  throw new StriaError('not-readable', `'${name}' returned ${bytes.byteLength} bytes instead of ${expected}`);
}
