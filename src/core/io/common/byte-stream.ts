import type { ByteSource, SharedFile } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';

export interface PieceOptions extends JobOptions {
  /** Each piece is released when the next is requested, so all may share one buffer. */
  readonly reuse?: boolean | undefined;
}

/** Bytes that can be read sequentially from any start: a plain file, or the contents of a gzip file. */
export interface ByteStream {
  /** In bytes; undefined for gzip, whose size is known only after decompression. */
  readonly size: number | undefined;
  /** An upper bound of the size, to detect headers that promise more than the file can hold. */
  readonly sizeLimit: number;
  /** The file with these bytes, if other threads may read it too. */
  readonly file?: SharedFile | undefined;
  /** All bytes from `start` on, in pieces, which may share buffers. @throws StriaError `corrupt`, `not-readable`, `aborted` */
  pieces(start: number, options?: PieceOptions): AsyncGenerator<Uint8Array>;
  /**
   * Reads into all of `target`, which is its whole buffer or the start of it, without an extra copy if the source allows.
   * Undefined for sequential sources. @throws as `pieces`
   */
  fill?(target: Uint8Array<ArrayBuffer>, start: number, options?: JobOptions): Promise<void>;
  /** Reads `length` bytes from `start`, fewer only at the end. @throws as `pieces` */
  read(start: number, length: number, options?: JobOptions): Promise<Uint8Array>;
}

/** Bytes that are read from a file at once. A multiple of every element width. */
export const pieceBytes = 2 * 2 ** 20;

/** The maximum ratio of deflate: 258 bytes from two bits. */
const largestExpansion = 1032;

/** A file's bytes, unchanged. */
export function plainBytes(source: ByteSource): ByteStream {
  return {
    size: source.size,
    sizeLimit: source.size,
    file: source.file,
    async *pieces(start, { signal, reuse } = {}) {
      const into = reuse ? new ArrayBuffer(Math.min(pieceBytes, Math.max(0, source.size - start))) : undefined;
      for (let at = start; at < source.size; ) {
        throwIfAborted(signal);
        const piece = await source.read(at, Math.min(pieceBytes, source.size - at), { signal, into });
        if (piece.byteLength === 0) throw becameShorter(at);
        // Updated before the yield: the caller may transfer the piece, which then has no length.
        at += piece.byteLength;
        yield piece;
      }
    },
    async fill(target, start, { signal } = {}) {
      throwIfAborted(signal);
      const bytes = await source.read(start, target.byteLength, { signal, into: target.buffer });
      if (bytes.byteLength < target.byteLength) throw becameShorter(start + bytes.byteLength);
      if (bytes.buffer !== target.buffer) target.set(bytes);
    },
    async read(start, length, { signal } = {}) {
      const end = Math.min(start + length, source.size);
      const parts: Uint8Array[] = [];
      for (let at = start; at < end; ) {
        throwIfAborted(signal);
        const part = await source.read(at, end - at, { signal });
        if (part.byteLength === 0) throw becameShorter(at);
        parts.push(part);
        at += part.byteLength;
      }
      return joinBytes(parts);
    },
  };
}

export function becameShorter(at: number): StriaError {
  return new StriaError('not-readable', `the file became shorter while it was read (at byte ${at})`);
}

/** The contents of the gzip stream in `inner` that starts at byte `innerStart`. */
export function gunzippedBytes(inner: ByteStream, innerStart = 0): ByteStream {
  return orderedBytes(inner.sizeLimit * largestExpansion, async function* (signal) {
    const { gunzip } = await import('./gunzip.ts');
    yield* gunzip(() => inner.pieces(innerStart, { signal }), signal);
  });
}

/** The contents of the zlib stream in `inner` that starts at byte `innerStart` and has `length` bytes. */
export function inflatedBytes(inner: ByteStream, innerStart: number, length: number): ByteStream {
  return orderedBytes(Math.min(length, inner.sizeLimit) * largestExpansion, async function* (signal) {
    const { inflate } = await import('./inflate.ts');
    yield* inflate(firstBytes(inner.pieces(innerStart, { signal }), length), signal);
  });
}

export async function* firstBytes(pieces: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const piece of pieces) {
    const part = piece.subarray(0, left);
    left -= part.byteLength;
    if (part.byteLength > 0) yield part;
    if (left === 0) return;
  }
}

/**
 * Bytes that can only be produced in order, from the first one. @param make produces all of them, in pieces with buffers of
 * their own
 */
export function orderedBytes(
  sizeLimit: number,
  make: (signal: AbortSignal | undefined) => AsyncGenerator<Uint8Array>,
): ByteStream {
  async function* pieces(start: number, { signal }: JobOptions = {}): AsyncGenerator<Uint8Array> {
    let skip = start;
    for await (const piece of make(signal)) {
      const from = Math.min(skip, piece.byteLength);
      skip -= from;
      if (from < piece.byteLength) yield piece.subarray(from);
    }
  }
  return {
    size: undefined,
    sizeLimit,
    pieces,
    async read(start, length, options) {
      const parts: Uint8Array[] = [];
      let missing = length;
      if (missing > 0) {
        for await (const piece of pieces(start, options)) {
          parts.push(piece.subarray(0, missing));
          missing -= Math.min(missing, piece.byteLength);
          if (missing === 0) break;
        }
      }
      return joinBytes(parts);
    },
  };
}

/** A file's bytes, decompressed if they are gzip. */
export async function openBytes(source: ByteSource, options: JobOptions): Promise<ByteStream> {
  const plain = plainBytes(source);
  return isGzip(await plain.read(0, 2, options)) ? gunzippedBytes(plain) : plain;
}

/**
 * All bytes of a small file: a header, a sidecar.
 * @throws StriaError `unsupported` if there are more than `limit`; as `ByteStream.read`
 */
export async function readWhole(stream: ByteStream, limit: number, options: JobOptions): Promise<Uint8Array> {
  const bytes = await stream.read(0, limit + 1, options);
  if (bytes.byteLength > limit)
    throw new StriaError('unsupported', `the header is larger than ${limit} bytes, which Stria does not read`);
  return bytes;
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** `scan.nii` for `scan.nii.gz`. */
export function nameWithoutGzip(name: string): string {
  return name.replace(/\.gz$/i, '');
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.byteLength;
  }
  return joined;
}
