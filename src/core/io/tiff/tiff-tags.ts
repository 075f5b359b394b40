import { StriaError } from '../../shared/errors.ts';
import { swapBytes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { maxExtraBytes } from '../common/picture.ts';
import { readNumbers, readTag, type TiffDirectory, type TiffFile, tagBytes } from './tiff-directory.ts';

export const tiffTags = {
  newSubfileType: 254,
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  description: 270,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  xResolution: 282,
  yResolution: 283,
  planarConfiguration: 284,
  pageName: 285,
  resolutionUnit: 296,
  predictor: 317,
  colourMap: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  subDirectories: 330,
  inkSet: 332,
  inkNames: 333,
  extraSamples: 338,
  sampleFormat: 339,
  jpegTables: 347,
  imageDepth: 32997,
  tileDepth: 32998,
} as const;

/** Tags that describe the storage of pixels, which is rewritten, or contain file offsets, which change. */
const storageTags: ReadonlySet<number> = new Set<number>([
  tiffTags.newSubfileType,
  255,
  tiffTags.width,
  tiffTags.height,
  tiffTags.bitsPerSample,
  tiffTags.compression,
  tiffTags.fillOrder,
  tiffTags.stripOffsets,
  tiffTags.samplesPerPixel,
  tiffTags.rowsPerStrip,
  tiffTags.stripByteCounts,
  tiffTags.planarConfiguration,
  288,
  289,
  292,
  293,
  tiffTags.predictor,
  tiffTags.tileWidth,
  tiffTags.tileHeight,
  tiffTags.tileOffsets,
  tiffTags.tileByteCounts,
  tiffTags.subDirectories,
  tiffTags.sampleFormat,
  tiffTags.jpegTables,
  512,
  513,
  514,
  34665,
  34853,
  40965,
]);

export function isStorageTag(tag: number): boolean {
  return storageTags.has(tag);
}

/** A tag with its values, little-endian. */
export interface StoredTag {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly values: Uint8Array;
}

/** Tag, type, count and length of the values. */
const storedHeadBytes = 12;

/** The colours of 16 bits: three numbers of 16 bits each. Indexes mean nothing without them. */
const longestPalette = 6 * 2 ** 16;

/**
 * The tags of a picture that are kept, except those that are too large; the colours of a palette do not count. Each is `u16` tag, `u16`
 * type, `u32` count, `u32` length of its values in bytes, and the values, all little-endian.
 */
export async function keepTags(file: TiffFile, { tags }: TiffDirectory, signal?: AbortSignal): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for (const tag of tags.values()) {
    const isPalette = tag.tag === tiffTags.colourMap && tagBytes(tag) <= longestPalette;
    const bytes = isPalette ? 0 : storedHeadBytes + tagBytes(tag);
    if (storageTags.has(tag.tag) || length + bytes > maxExtraBytes) continue;
    length += bytes;
    const values = await readTag(file, tag, { signal });
    const counts = tag.tag === imageJMetadata && file.endian === 'big' ? tags.get(imageJCounts) : undefined;
    const isSwapped = counts?.type === 4 && tagBytes(counts) <= maxExtraBytes;
    kept.push(
      encodeStoredTag({ ...tag, values: isSwapped ? littleEndian(values, await readNumbers(file, counts, { signal })) : values }),
    );
  }
  return joinBytes(kept);
}

const [imageJCounts, imageJMetadata] = [50838, 50839];
/** The width of the letters or numbers in ImageJ's metadata, by kind: 'info', 'labl', 'prop', 'rang'. All others are bytes. */
const metadataWidths: Readonly<Record<number, 2 | 8>> = { 1768842863: 2, 1818321516: 2, 1886547824: 2, 1918987879: 8 };

/**
 * ImageJ's metadata are a tag of bytes, but its numbers and letters have the file's byte order, which the written file does not have.
 * @param counts the lengths of the header and of each value
 */
function littleEndian(big: Uint8Array, counts: readonly number[]): Uint8Array {
  const bytes = big.slice();
  const view = new DataView(bytes.buffer);
  const head = Math.min(counts[0] ?? 0, bytes.byteLength);
  let at = head;
  let value = 1;
  for (let entry = 4; entry + 8 <= head; entry += 8) {
    const width = metadataWidths[view.getUint32(entry)] ?? 1;
    for (let left = view.getUint32(entry + 4); left > 0 && value < counts.length; left--) {
      const length = counts[value++] as number;
      swapBytes(bytes.subarray(at, at + length), width);
      at += length;
    }
  }
  swapBytes(bytes.subarray(0, head), 4);
  return bytes;
}

function encodeStoredTag({ tag, type, count, values }: StoredTag): Uint8Array {
  const head = new DataView(new ArrayBuffer(storedHeadBytes));
  head.setUint16(0, tag, true);
  head.setUint16(2, type, true);
  head.setUint32(4, count, true);
  head.setUint32(8, values.byteLength, true);
  return joinBytes([new Uint8Array(head.buffer), values]);
}

/** Parses the output of `keepTags`. @throws StriaError `corrupt` */
export function parseStoredTags(bytes: Uint8Array): StoredTag[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tags: StoredTag[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const end = at + storedHeadBytes + (at + storedHeadBytes <= bytes.byteLength ? view.getUint32(at + 8, true) : 0);
    if (end > bytes.byteLength) throw new StriaError('corrupt', 'the kept TIFF tags end early');
    const [tag, type, count] = [view.getUint16(at, true), view.getUint16(at + 2, true), view.getUint32(at + 4, true)];
    const values = bytes.subarray(at + storedHeadBytes, end);
    if (tagBytes({ tag, type, count, inline: undefined, offset: 0 }) !== values.byteLength) {
      throw new StriaError('corrupt', `the kept TIFF tag ${tag} has ${values.byteLength} bytes for ${count} values`);
    }
    tags.push({ tag, type, count, values });
    at = end;
  }
  return tags;
}
