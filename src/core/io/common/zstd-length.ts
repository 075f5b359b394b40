import { StriaError } from '../../shared/errors.ts';

const zstdMagic = 0xfd2fb528;
/** The last four bits of a skippable frame's magic number are arbitrary. */
const skippableMagic = 0x184d2a50;
/** A Zstandard block holds at most 128 KiB. Some encoders split blocks, so a quarter of that is assumed. */
const zstdBlock = 32 * 1024;

/**
 * The length of the content of all frames. If the header of a frame does not state it, a quarter of its blocks' capacity is assumed.
 * Source: RFC 8878, 3.1.
 *
 * @throws StriaError `corrupt` if the data is not a sequence of complete frames. The decoder would wait forever for the rest of a frame's header.
 */
export function zstdBytes(bytes: Uint8Array): number {
  const frames = new FrameReader(bytes);
  let length = 0;
  do length += frames.next();
  while (!frames.isAtEnd);
  return length;
}

class FrameReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#view.byteLength;
  }

  /** Skips a frame. @returns the length of its content */
  next(): number {
    const magic = this.#take(4).getUint32(0, true);
    if ((magic & ~15) >>> 0 === skippableMagic) {
      this.#take(this.#take(4).getUint32(0, true));
      return 0;
    }
    if (magic !== zstdMagic) throw new StriaError('corrupt', 'the compressed data is not valid Zstandard');
    const descriptor = this.#take(1).getUint8(0);
    const stated = this.#statedLength(descriptor);
    const blocks = this.#blocks();
    const hasChecksum = (descriptor & 4) !== 0;
    this.#take(hasChecksum ? 4 : 0);
    return stated ?? blocks;
  }

  /** The rest of a frame's header. */
  #statedLength(descriptor: number): number | undefined {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const sizeFlag = descriptor >> 6;
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number;
    this.#take((isSingleSegment ? 0 : 1) + dictionaryBytes);
    if (sizeFlag === 0) return isSingleSegment ? this.#take(1).getUint8(0) : undefined;
    if (sizeFlag === 1) return this.#take(2).getUint16(0, true) + 256;
    if (sizeFlag === 2) return this.#take(4).getUint32(0, true);
    return Number(this.#take(8).getBigUint64(0, true));
  }

  #blocks(): number {
    let length = 0;
    for (let isLast = false; !isLast; ) {
      const header = this.#take(3);
      const word = header.getUint16(0, true) | (header.getUint8(2) << 16);
      const [type, size] = [(word >> 1) & 3, word >> 3];
      isLast = (word & 1) !== 0;
      length += type === 2 ? Math.max(zstdBlock, size) : size;
      this.#take(type === 1 ? 1 : size);
    }
    return length;
  }

  #take(length: number): DataView {
    const view = this.#view;
    if (this.#at + length > view.byteLength) throw new StriaError('corrupt', 'the Zstandard data end inside a frame');
    const taken = new DataView(view.buffer, view.byteOffset + this.#at, length);
    this.#at += length;
    return taken;
  }
}
