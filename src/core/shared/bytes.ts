import type { JobOptions } from './job.ts';

export interface ReadOptions extends JobOptions {
  /** Memory of at least `length` bytes for the result. A source that can read into it saves an allocation. */
  readonly into?: ArrayBuffer | undefined;
}

/** A file that any thread of the host may read while it is open, as data that can be posted to threads. */
export interface SharedFile {
  /** The file's name in messages. */
  readonly path: string;
  readonly descriptor: number;
}

/**
 * Reads from byte `position` into all of `target`, blocking its thread, and returns the number of bytes read: fewer only at the
 * end. The host implements it. @throws StriaError `not-readable`
 */
export type ReadSharedFile = (file: SharedFile, position: number, target: Uint8Array<ArrayBuffer>) => number;

/** A file, a blob or a buffer with random access. The host implements it; core reads it. */
export interface ByteSource {
  /** File name without its folder, for messages and for detecting the format. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** When the file was last modified, in whole milliseconds since 1970. Undefined if that is not known. */
  readonly modifiedMs?: number | undefined;
  /** The same bytes as a file that other threads can read. Undefined if they cannot. */
  readonly file?: SharedFile | undefined;
  /**
   * Reads `length` bytes from `offset`, fewer only at the end of the source. The caller owns the result.
   * @throws StriaError `not-readable`, `aborted`
   */
  read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array<ArrayBuffer>>;
}

/** Finds a file beside another one (`scan.img` beside `scan.hdr`). Undefined if there is none. */
export type SiblingFinder = (name: string) => Promise<ByteSource | undefined>;

/**
 * Takes bytes in order. Nothing appears under the final name until `close`; `abort` leaves nothing behind. The caller may reuse
 * the bytes once the promise has resolved.
 */
export interface ByteSink {
  /** @throws StriaError `not-writable` */
  write(bytes: Uint8Array): Promise<void>;
  /** Like `write`, for many consecutive pieces in few system calls. Undefined for sinks that gain nothing from it. */
  writeParts?(parts: readonly Uint8Array[]): Promise<void>;
  /** How many writes may be under way at once. The bytes are in the order of the calls. Default 1. */
  readonly writesAtOnce?: number | undefined;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/** Pieces for a sink without `writeParts` are joined up to this size, because each write may cost a message or a system call. */
const joinedBytes = 2 ** 18;

/** Writes pieces in order, in as few writes as the sink allows. @throws StriaError `not-writable` */
export async function writeParts(sink: ByteSink, parts: readonly Uint8Array[]): Promise<void> {
  if (sink.writeParts) return sink.writeParts(parts);
  for (let first = 0; first < parts.length; ) {
    let end = first;
    let bytes = 0;
    do {
      bytes += (parts[end] as Uint8Array).byteLength;
      end++;
    } while (end < parts.length && bytes + (parts[end] as Uint8Array).byteLength <= joinedBytes);
    await sink.write(end === first + 1 ? (parts[first] as Uint8Array) : joinParts(parts.slice(first, end), bytes));
    first = end;
  }
}

function joinParts(parts: readonly Uint8Array[], byteLength: number): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(byteLength);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.byteLength;
  }
  return joined;
}

/**
 * Opens the sink of one output file, by its name without folder. A format may write several files (`.hdr` and `.img`).
 * @param byteLength how many bytes will be written, if known
 */
export type SinkMaker = (name: string, byteLength?: number) => Promise<ByteSink>;

/** A source over bytes in memory. */
export function memorySource(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    size: bytes.byteLength,
    // Not slice(): a Node Buffer's slice would share memory, but the caller owns the result.
    read: async (offset, length) => new Uint8Array(bytes.subarray(offset, offset + length)),
  };
}

/** A sink that keeps everything in memory; `bytes()` joins it. */
export function memorySink(): ByteSink & { bytes(): Uint8Array<ArrayBuffer> } {
  let parts: Uint8Array[] = [];
  return {
    async write(bytes) {
      parts.push(new Uint8Array(bytes));
    },
    async close() {},
    async abort() {
      parts = [];
    },
    bytes: () =>
      joinParts(
        parts,
        parts.reduce((sum, part) => sum + part.byteLength, 0),
      ),
  };
}
