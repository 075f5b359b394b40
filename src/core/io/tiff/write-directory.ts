import type { StoredTag } from './tiff-tags.ts';

// Writes directories of TIFF 6.0 and BigTIFF, little-endian, each followed by its values.

export const tiffTypes = { ascii: 2, short: 3, long: 4, rational: 5, long8: 16 } as const;

/** Bytes of a directory with its values: a multiple of 8. */
export function directoryBytes(tags: readonly StoredTag[], isBig: boolean): number {
  const word = isBig ? 8 : 4;
  return tags.reduce(
    (sum, { values }) => sum + (values.byteLength > word ? align8(values.byteLength) : 0),
    align8(listBytes(tags, isBig)),
  );
}

function listBytes(tags: readonly StoredTag[], isBig: boolean): number {
  const word = isBig ? 8 : 4;
  return (isBig ? 8 : 2) + tags.length * (4 + 2 * word) + word;
}

/**
 * @param tags in ascending order, as TIFF requires
 * @param start offset of the directory in the file: a multiple of 8
 * @param next offset of the next directory; 0 after the last
 */
export function encodeDirectory(
  tags: readonly StoredTag[],
  { start, next, isBig }: { readonly start: number; readonly next: number; readonly isBig: boolean },
): Uint8Array<ArrayBuffer> {
  const word = isBig ? 8 : 4;
  const bytes = new Uint8Array(directoryBytes(tags, isBig));
  const view = new DataView(bytes.buffer);
  const putWord = (at: number, value: number) =>
    isBig ? view.setBigUint64(at, BigInt(value), true) : view.setUint32(at, value, true);
  if (isBig) putWord(0, tags.length);
  else view.setUint16(0, tags.length, true);
  let valuesAt = align8(listBytes(tags, isBig));
  for (const [index, { tag, type, count, values }] of tags.entries()) {
    const at = (isBig ? 8 : 2) + index * (4 + 2 * word);
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    putWord(at + 4, count);
    if (values.byteLength <= word) {
      bytes.set(values, at + 4 + word);
      continue;
    }
    putWord(at + 4 + word, start + valuesAt);
    bytes.set(values, valuesAt);
    valuesAt += align8(values.byteLength);
  }
  putWord(listBytes(tags, isBig) - word, next);
  return bytes;
}

/** The first bytes of a file. @param first offset of the first directory */
export function encodeHeader(first: number, isBig: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(isBig ? 16 : 8));
  view.setUint16(0, 0x4949, true);
  view.setUint16(2, isBig ? 43 : 42, true);
  view.setUint32(4, isBig ? 8 : first, true);
  if (isBig) view.setBigUint64(8, BigInt(first), true);
  return new Uint8Array(view.buffer);
}

export function align8(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

/** Whole numbers; for rationals, numerators and denominators. */
export function numberTag(
  tag: number,
  type: Exclude<(typeof tiffTypes)[keyof typeof tiffTypes], 2>,
  values: readonly number[],
): StoredTag {
  const bytes = { 3: 2, 4: 4, 5: 4, 16: 8 }[type];
  const view = new DataView(new ArrayBuffer(values.length * bytes));
  for (const [index, value] of values.entries()) {
    if (bytes === 2) view.setUint16(index * bytes, value, true);
    else if (bytes === 8) view.setBigUint64(index * bytes, BigInt(value), true);
    else view.setUint32(index * bytes, value, true);
  }
  const count = type === tiffTypes.rational ? values.length / 2 : values.length;
  return { tag, type, count, values: new Uint8Array(view.buffer) };
}

export function textTag(tag: number, value: string): StoredTag {
  const values = new TextEncoder().encode(`${value}\0`);
  return { tag, type: tiffTypes.ascii, count: values.byteLength, values };
}
