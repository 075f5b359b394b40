import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type StoredForm, storedWidth } from '../../shared/stored-voxels.ts';
import type { ElementType, Endian } from '../../shared/volume.ts';
import { Base64Decoder } from '../common/base64.ts';
import { type ByteStream, firstBytes, orderedBytes } from '../common/byte-stream.ts';
import { inflate } from '../common/inflate.ts';
import { PieceReader } from '../common/piece-reader.ts';

/** How a file encodes values that are not stored plainly. They are decoded as a stream. */
export interface ValueCoding {
  readonly isBase64: boolean;
  readonly isZlib: boolean;
  /** Width of the lengths before the values. */
  readonly lengthBytes: 4 | 8;
  readonly endian: Endian;
}

/** The maximum ratio of deflate: 258 bytes from two bits. */
const largestExpansion = 1032;

const broken = (what: string) => new StriaError('corrupt', `the values of the VTK file ${what}`);

/** `total` bytes of values; their lengths begin at byte `start`. @throws StriaError `corrupt`, `unsupported` */
export async function decodedValues(
  stream: ByteStream,
  start: number,
  total: number,
  coding: ValueCoding,
  options: JobOptions,
): Promise<ByteStream> {
  const { isBase64, isZlib, lengthBytes } = coding;
  const at = (from: number) => (isBase64 ? base64Bytes(stream, from) : fromByte(stream, from));
  if (!isZlib) {
    const bytes = at(start);
    const [length] = lengthsOf(await bytes.read(0, lengthBytes, options), coding);
    if (length !== total) throw broken(`have ${length} bytes, but its extent needs ${total}`);
    return orderedBytes(Math.min(total, bytes.sizeLimit), (signal) => firstBytes(bytes.pieces(lengthBytes, { signal }), total));
  }
  const first = lengthsOf(await at(start).read(0, 3 * lengthBytes, options), coding);
  const [count = 0, blockBytes = 0, lastBytes = 0] = first;
  if (first.length < 3 || count > 2 ** 20) throw broken(`have ${count} blocks according to their header`);
  const whole = lastBytes === 0 ? count : count - 1;
  if (whole * blockBytes + lastBytes !== total) {
    throw broken(`have ${whole * blockBytes + lastBytes} bytes, but its extent needs ${total}`);
  }
  const headBytes = (3 + count) * lengthBytes;
  const packed = lengthsOf(await at(start).read(0, headBytes, options), coding).slice(3);
  if (packed.length < count) throw broken('end early');
  // The lengths are a separate base64 text.
  const data = at(start + (isBase64 ? 4 * Math.ceil(headBytes / 3) : headBytes));
  return orderedBytes(Math.min(total, data.sizeLimit * largestExpansion), async function* (signal) {
    const reader = new PieceReader(data.pieces(0, { signal }));
    try {
      for (const [index, length] of packed.entries()) {
        const expected = index < whole ? blockBytes : lastBytes;
        let given = 0;
        for await (const piece of inflate(taken(reader, length), signal)) {
          given += piece.byteLength;
          if (given > expected) break;
          yield piece;
        }
        if (given !== expected) throw broken('have a block whose length contradicts its header');
      }
    } finally {
      await reader.close();
    }
  });
}

async function* taken(reader: PieceReader, length: number): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    const piece = await reader.take(left);
    if (piece.byteLength === 0) return;
    left -= piece.byteLength;
    yield piece;
  }
}

function lengthsOf(bytes: Uint8Array, { lengthBytes, endian }: ValueCoding): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.byteLength / lengthBytes) }, (_, index) => {
    const isLittle = endian === 'little';
    if (lengthBytes === 4) return view.getUint32(4 * index, isLittle);
    return Number(view.getBigUint64(8 * index, isLittle));
  });
}

/** A stream without its first bytes. */
function fromByte(stream: ByteStream, from: number): ByteStream {
  return {
    size: stream.size === undefined ? undefined : Math.max(0, stream.size - from),
    sizeLimit: Math.max(0, stream.sizeLimit - from),
    pieces: (start, options) => stream.pieces(from + start, options),
    read: (start, length, options) => stream.read(from + start, length, options),
  };
}

/** The content of base64 from byte `start` to its padding or a tag. Skips spaces and line ends. */
function base64Bytes(stream: ByteStream, start: number): ByteStream {
  return orderedBytes(stream.sizeLimit, async function* (signal) {
    const decoder = new Base64Decoder();
    for await (const piece of stream.pieces(start, { signal })) {
      const bytes = decoder.decode(piece);
      if (!bytes) throw broken('are not valid base64');
      if (bytes.byteLength > 0) yield bytes;
      if (decoder.isOver) return;
    }
  });
}

/** Numbers written as text from byte `start` to a tag, as little-endian values. */
export function textValues(stream: ByteStream, start: number, type: ElementType, as?: StoredForm): ByteStream {
  const width = storedWidth(type, as);
  const put = putters[type];
  return orderedBytes(stream.sizeLimit * width, async function* (signal) {
    let rest = '';
    for await (const piece of stream.pieces(start, { signal })) {
      const found = piece.indexOf(0x3c);
      const text = rest + new TextDecoder('latin1').decode(found < 0 ? piece : piece.subarray(0, found));
      const words = text.split(/[ \t\r\n]+/);
      rest = found < 0 ? (words.pop() ?? '') : '';
      if (rest.length > 1000) throw broken('are not numbers');
      const numbers = words.filter((word) => word !== '');
      const view = new DataView(new ArrayBuffer(width * numbers.length));
      for (const [index, word] of numbers.entries()) {
        if (as === 'i64' || as === 'u64') {
          const integer = /^[+-]?\d{1,20}$/.test(word) ? BigInt(word.replace('+', '')) : undefined;
          if (integer === undefined || integer !== (as === 'i64' ? BigInt.asIntN(64, integer) : BigInt.asUintN(64, integer))) {
            throw broken(`are not 64-bit integers: ${word.slice(0, 40)}`);
          }
          view.setBigInt64(width * index, BigInt.asIntN(64, integer), true);
          continue;
        }
        const value = /^[+-]?(nan|inf)/i.test(word)
          ? /nan/i.test(word)
            ? Number.NaN
            : word.startsWith('-')
              ? -Infinity
              : Infinity
          : Number(word);
        if (Number.isNaN(value) && !/nan/i.test(word)) throw broken(`are not numbers: ${word.slice(0, 40)}`);
        put(view, width * index, value);
      }
      if (numbers.length > 0) yield new Uint8Array(view.buffer);
      if (found >= 0) return;
    }
  });
}

const putters: Record<ElementType, (view: DataView, at: number, value: number) => void> = {
  u8: (view, at, value) => view.setUint8(at, value),
  i8: (view, at, value) => view.setInt8(at, value),
  u16: (view, at, value) => view.setUint16(at, value, true),
  i16: (view, at, value) => view.setInt16(at, value, true),
  u32: (view, at, value) => view.setUint32(at, value, true),
  i32: (view, at, value) => view.setInt32(at, value, true),
  f32: (view, at, value) => view.setFloat32(at, value, true),
  f64: (view, at, value) => view.setFloat64(at, value, true),
};
