import type { ByteSink, SinkMaker } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import { joinBytes } from '../../common/byte-stream.ts';
import { crc32 } from '../../common/crc32.ts';

/** 1 January 1980, the earliest date in a ZIP. A fixed date makes archives of equal files equal. */
const date = 0x0021;
/** The value of a 32-bit field that refers to the ZIP64 extra field. */
const inExtra = 0xffffffff;
/** ZIP64 came with version 4.5. */
const version = 45;
/** Names are UTF-8. */
const flags = 0x0800;

interface Entry {
  readonly name: Uint8Array;
  readonly offset: number;
  readonly size: number;
  readonly crc: number;
}

/**
 * Writes files into a ZIP, sequentially and uncompressed, because OME-Zarr's chunks are already compressed. It has ZIP64 fields, so
 * its size is not limited. Source: APPNOTE.TXT 6.3.9.
 */
export class ZipSinks {
  readonly #sink: ByteSink;
  readonly #entries: Entry[] = [];
  #offset = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** A sink for one file. It holds the data until it is closed, because length and checksum are known only then. */
  readonly open: SinkMaker = async (path) => {
    const parts: Uint8Array[] = [];
    return {
      write: async (bytes) => void parts.push(bytes.slice()),
      close: () => this.#add(path, parts),
      abort: async () => {},
    };
  };

  async #add(path: string, parts: readonly Uint8Array[]): Promise<void> {
    const size = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const crc = parts.reduce((sum, part) => crc32(part, sum), 0);
    if (size >= inExtra) throw new StriaError('internal', `${path} is too long for an entry`);
    const entry = { name: new TextEncoder().encode(path), offset: this.#offset, size, crc };
    this.#entries.push(entry);
    await this.#write(localHeader(entry));
    for (const part of parts) await this.#write(part);
  }

  /** Writes the directory. Leaves the sink open. */
  async end(): Promise<void> {
    const start = this.#offset;
    for (const entry of this.#entries) await this.#write(directoryEntry(entry));
    const count = this.#entries.length;
    await this.#write(directoryEnd(count, start, this.#offset - start));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#sink.write(bytes);
    this.#offset += bytes.byteLength;
  }
}

/** Concatenated little-endian numbers, given as [bytes, value]. */
function fields(...numbers: readonly (readonly [width: 2 | 4 | 8, value: number])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [width]) => sum + width, 0)));
  let at = 0;
  for (const [width, value] of numbers) {
    if (width === 2) view.setUint16(at, value, true);
    else if (width === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += width;
  }
  return new Uint8Array(view.buffer);
}

function localHeader({ name, size, crc }: Entry): Uint8Array {
  return joinBytes([
    fields([4, 0x04034b50], [2, version], [2, flags], [2, 0], [2, 0], [2, date]),
    fields([4, crc], [4, size], [4, size], [2, name.length], [2, 0]),
    name,
  ]);
}

function directoryEntry({ name, size, crc, offset }: Entry): Uint8Array {
  const isFar = offset >= inExtra;
  return joinBytes([
    fields([4, 0x02014b50], [2, version], [2, version], [2, flags], [2, 0], [2, 0], [2, date]),
    fields([4, crc], [4, size], [4, size], [2, name.length], [2, isFar ? 12 : 0], [2, 0], [2, 0], [2, 0], [4, 0]),
    fields([4, isFar ? inExtra : offset]),
    name,
    isFar ? fields([2, 1], [2, 8], [8, offset]) : new Uint8Array(),
  ]);
}

function directoryEnd(count: number, start: number, length: number): Uint8Array {
  const large = fields(
    [4, 0x06064b50],
    [8, 44],
    [2, version],
    [2, version],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, length],
    [8, start],
  );
  const locator = fields([4, 0x07064b50], [4, 0], [8, start + length], [4, 1]);
  const small = (value: number, limit: number) => Math.min(value, limit);
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, small(count, 0xffff)],
    [2, small(count, 0xffff)],
    [4, small(length, inExtra)],
    [4, small(start, inExtra)],
    [2, 0],
  );
  return joinBytes([large, locator, end]);
}
