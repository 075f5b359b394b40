import { Gunzip } from 'fflate';
import { StriaError } from '../../shared/errors.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { crc32 } from './crc32.ts';

/** Bytes given to the inflater at once. The output can be 1032 times as large and is kept in memory. */
const nativeInputBytes = 64 * 1024;
const memberInputBytes = 16 * 1024;

/**
 * Decompresses gzip with one or several members (bgzip, `cat a.gz b.gz`) as a stream, with back-pressure.
 *
 * The platform's DecompressionStream does the work. Node accepts several members, but browsers refuse the second. If the platform
 * refuses, the data is decompressed again, member by member, and the bytes that were already returned are skipped. That second
 * pass also gives a precise error message.
 *
 * @param input opens the compressed bytes from their start
 * @throws StriaError `corrupt` for broken or truncated gzip, including wrong checksums; `aborted`; errors of `input`
 */
export async function* gunzip(input: () => AsyncGenerator<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  let given = 0;
  try {
    for await (const piece of decompressNatively('gzip', cut(input(), nativeInputBytes), signal)) {
      given += piece.byteLength;
      yield piece;
    }
    return;
  } catch (error) {
    if (error instanceof StriaError) throw error;
  }
  for await (const piece of gunzipMembers(cut(input(), memberInputBytes), signal)) {
    const from = Math.min(given, piece.byteLength);
    given -= from;
    if (from < piece.byteLength) yield piece.subarray(from);
  }
}

async function* cut(pieces: AsyncGenerator<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += length) yield piece.subarray(at, at + length);
  }
}

/**
 * Decompresses with the platform. 'deflate' means zlib's format, 'deflate-raw' that of ZIP. Only one write is in flight, and
 * available output is returned before more input is written. Without that, Node's stream would queue 16,384 pieces.
 */
export async function* decompressNatively(
  format: 'gzip' | 'deflate' | 'deflate-raw',
  input: AsyncGenerator<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const inflater = new DecompressionStream(format) as ReadableWritablePair<Uint8Array, Uint8Array>;
  const writer = inflater.writable.getWriter();
  const reader = inflater.readable.getReader();
  const readAhead = () => {
    const read = reader.read();
    // Awaited below. If it fails while the caller works on a piece, nothing else would handle that.
    read.catch(() => undefined);
    return read;
  };
  try {
    let output = readAhead();
    for await (const bytes of input) {
      throwIfAborted(signal);
      const written = writer.write(bytes).then(() => undefined);
      for (;;) {
        const given = await Promise.race([output, written]);
        if (given === undefined || given.done) break;
        output = readAhead();
        yield given.value;
        throwIfAborted(signal);
      }
    }
    const closed = writer.close();
    closed.catch(() => undefined);
    for (let given = await output; !given.done; given = await reader.read()) {
      yield given.value;
      throwIfAborted(signal);
    }
    await closed;
  } finally {
    // Not awaited: a failed stream may never answer.
    reader.cancel().catch(() => undefined);
    writer.abort().catch(() => undefined);
  }
}

/** A member's trailer: the CRC-32 of its content, then its length modulo 2³². */
const trailerBytes = 8;
/** Number of recent bytes that are kept. The longest gzip header has 10 bytes, 64 KiB of extra field and two names. */
const keptBytes = 128 * 1024;

/** Decompresses with fflate, which accepts several members but does not check trailers. They are checked here. */
async function* gunzipMembers(input: AsyncGenerator<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let crc = 0;
  let memberLength = 0;
  let kept: Uint8Array = new Uint8Array();
  let taken = 0;
  const checkTrailer = (end: number) => {
    const at = end - trailerBytes - (taken - kept.byteLength);
    const view = new DataView(kept.buffer, kept.byteOffset, kept.byteLength);
    if (at < 0 || view.getUint32(at, true) !== crc || view.getUint32(at + 4, true) !== memberLength) {
      throw new StriaError('corrupt', 'the gzip data is broken or truncated: its checksum does not match its content');
    }
    crc = 0;
    memberLength = 0;
  };
  const checkHeader = (start: number) => {
    const at = start - (taken - kept.byteLength);
    if (!isKnownHeader(kept.subarray(at))) {
      throw new StriaError('corrupt', 'the gzip data is broken: its header is not valid in any version of gzip');
    }
  };
  const inflater = new Gunzip((piece) => {
    crc = crc32(piece, crc);
    memberLength = (memberLength + piece.byteLength) >>> 0;
    if (piece.byteLength > 0) ready.push(piece);
  });
  inflater.onmember = (start) => {
    checkTrailer(start);
    checkHeader(start);
  };
  const push = (bytes: Uint8Array, last: boolean) => {
    try {
      inflater.push(bytes, last);
    } catch (error) {
      if (error instanceof StriaError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new StriaError('corrupt', `the gzip data is broken or truncated: ${reason}`, { cause: error });
    }
  };
  for await (const bytes of input) {
    throwIfAborted(signal);
    kept = joinPair(kept.subarray(Math.max(0, kept.byteLength - keptBytes)), bytes);
    const before = taken;
    taken += bytes.byteLength;
    if (before < headerStart && taken >= headerStart) checkHeader(0);
    push(bytes, false);
    yield* ready;
    ready = [];
  }
  push(new Uint8Array(), true);
  checkTrailer(taken);
  yield* ready;
}

/** Start of a gzip header: the magic number, the method and the flags. */
const headerStart = 4;

/** RFC 1952, 2.3.1: the method is deflate, and a decompressor must refuse reserved flags. fflate checks neither. */
function isKnownHeader([magic1, magic2, method, flags = 0]: Uint8Array): boolean {
  return magic1 === 0x1f && magic2 === 0x8b && method === 8 && (flags & 0xe0) === 0;
}

function joinPair(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.byteLength + b.byteLength);
  joined.set(a);
  joined.set(b, a.byteLength);
  return joined;
}
