import { StriaError } from '../../shared/errors.ts';

const zstdMagic = 0xfd2fb528;
/** A Zstandard block holds at most 128 KiB. Some encoders split blocks, so a quarter of that is assumed. */
const zstdBlock = 32 * 1024;

/**
 * The length of a frame's content. If its header does not state it, a quarter of what its blocks can hold.
 * Source: RFC 8878, 3.1.1.
 */
export function zstdBytes(bytes: Uint8Array): number {
  const view = viewOf(bytes, 6);
  if (view.getUint32(0, true) !== zstdMagic) throw new StriaError('corrupt', 'the compressed data is not valid Zstandard');
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number;
  const sizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
  const sizeAt = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  viewOf(bytes, sizeAt + sizeBytes);
  if (sizeBytes === 1) return view.getUint8(sizeAt);
  if (sizeBytes === 2) return view.getUint16(sizeAt, true) + 256;
  if (sizeBytes === 4) return view.getUint32(sizeAt, true);
  if (sizeBytes === 8) return Number(view.getBigUint64(sizeAt, true));
  return zstdBlockBytes(view, sizeAt);
}

function zstdBlockBytes(view: DataView, start: number): number {
  let length = 0;
  for (let at = start; at + 3 <= view.byteLength; ) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const [isLast, type, size] = [header & 1, (header >> 1) & 3, header >> 3];
    length += type === 2 ? Math.max(zstdBlock, size) : size;
    at += 3 + (type === 1 ? 1 : size);
    if (isLast) break;
  }
  return length;
}

function viewOf(bytes: Uint8Array, length: number): DataView {
  if (bytes.byteLength < length) throw new StriaError('corrupt', 'the Zstandard data end inside their header');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
