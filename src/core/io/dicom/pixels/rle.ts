import { StriaError } from '../../../shared/errors.ts';

const headerBytes = 64;
const maxSegments = 15;

/**
 * Decodes a frame of DICOM RLE (PS3.5, G) into little-endian planes, one per sample. There is a segment for each byte of each
 * sample, highest byte first.
 * @param width bytes per sample
 * @throws StriaError `corrupt`
 */
export function decodeRle(bytes: Uint8Array, pixels: number, samples: number, width: 1 | 2 | 4): Uint8Array<ArrayBuffer>[] {
  if (bytes.byteLength < headerBytes) throw wrong('it is shorter than its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  if (count !== samples * width || count > maxSegments) throw wrong(`it has ${count} segments instead of ${samples * width}`);
  const starts = Array.from({ length: count }, (_, index) => view.getUint32(4 + 4 * index, true));
  const planes = Array.from({ length: samples }, () => new Uint8Array(pixels * width));
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? bytes.byteLength;
    if (start < headerBytes || end > bytes.byteLength || end < start) throw wrong(`its segment ${index + 1} is out of bounds`);
    const plane = planes[Math.floor(index / width)] as Uint8Array;
    decodeSegment(bytes, start, end, plane, width - 1 - (index % width), width);
  }
  return planes;
}

/** PackBits: n from 0 to 127 precedes n + 1 literal bytes; n from 129 on precedes one byte that is repeated 257 − n times. */
function decodeSegment(bytes: Uint8Array, start: number, end: number, plane: Uint8Array, first: number, step: number): void {
  let to = first;
  for (let at = start; to < plane.length; ) {
    if (at + 1 >= end) throw wrong('it ends early');
    const code = bytes[at++] as number;
    if (code === 128) continue;
    if (code < 128) {
      if (at + code >= end) throw wrong('it ends early');
      for (let left = code; left >= 0 && to < plane.length; left--, to += step) plane[to] = bytes[at + code - left] as number;
      at += code + 1;
    } else {
      const value = bytes[at++] as number;
      for (let left = 257 - code; left > 0 && to < plane.length; left--, to += step) plane[to] = value;
    }
  }
}

function wrong(says: string): StriaError {
  return new StriaError('corrupt', `a picture's run lengths are broken: ${says}`);
}
