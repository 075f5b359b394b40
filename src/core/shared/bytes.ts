import type { JobOptions } from './job.ts';

export interface ReadOptions extends JobOptions {
  /** At least `length` bytes of memory that the result may lie in: a source that can read into it saves fresh memory. */
  readonly into?: ArrayBuffer | undefined;
}

/** A file that all of the host's threads may read while it stands open, as data that can be posted to them. */
export interface SharedFile {
  /** For messages. */
  readonly path: string;
  readonly descriptor: number;
}

/**
 * Reads into all of `target` from byte `position` on, and says how many bytes there were: fewer only at the end. Its thread waits
 * for it. The host makes it. @throws StriaError `not-readable`
 */
export type ReadSharedFile = (file: SharedFile, position: number, target: Uint8Array<ArrayBuffer>) => number;

/** A file, a blob or a buffer that can be read anywhere. The host makes it; core reads it. */
export interface ByteSource {
  /** File name without its folder, for messages and for telling formats apart. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Where other threads find the same bytes. Left out where they cannot. */
  readonly file?: SharedFile | undefined;
  /**
   * Reads `length` bytes from `offset`, fewer only at the end of the source. The caller owns the result.
   * @throws StriaError `not-readable`, `aborted`
   */
  read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array<ArrayBuffer>>;
}

/** Finds a file that lies beside another one (`scan.img` beside `scan.hdr`), or undefined where there is none. */
export type SiblingFinder = (name: string) => Promise<ByteSource | undefined>;

/**
 * Takes bytes in order. Nothing is visible under the final name until `close`; `abort` leaves nothing behind.
 * The writer may reuse the bytes once the promise has resolved.
 */
export interface ByteSink {
  /** @throws StriaError `not-writable` */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/**
 * Makes the sink of one output file, by its name without folder. A format may write more than one (`.hdr` and `.img`).
 * @param byteLength how many bytes will be written, where that is known
 */
export type SinkMaker = (name: string, byteLength?: number) => Promise<ByteSink>;

/** A source over bytes in memory. */
export function memorySource(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    size: bytes.byteLength,
    // Not slice(): a Node Buffer's would share memory, and the caller owns what it is given.
    read: async (offset, length) => new Uint8Array(bytes.subarray(offset, offset + length)),
  };
}

/** A sink that keeps what it is given; `bytes()` joins it. */
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
    bytes() {
      const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
      let offset = 0;
      for (const part of parts) {
        joined.set(part, offset);
        offset += part.byteLength;
      }
      return joined;
    },
  };
}
