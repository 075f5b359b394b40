import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type ElementType, elementBytes } from '../../shared/volume.ts';
import { checkPictureShape, maxChannels, type PictureShape, usualExpansion } from '../common/picture.ts';
import { wideBits } from './packed-samples.ts';
import { compressionOf, jpegCompression } from './tiff-compression.ts';
import { readNumbers, readTag, type TiffDirectory, type TiffFile, tagBytes } from './tiff-directory.ts';
import { tiffTags } from './tiff-tags.ts';

/** How the pixels of a TIFF picture are stored. Strips are blocks as wide as the picture. */
export interface TiffLayout {
  readonly shape: PictureShape;
  readonly compression: number;
  /** 1: none. 2: each sample minus its left neighbour. 3: the same for the bytes of floats, sorted by significance. */
  readonly predictor: 1 | 2 | 3;
  /** Each sample has separate blocks. */
  readonly isPlanar: boolean;
  readonly isTiled: boolean;
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** For JPEG: whether colours are YCbCr, which the decoder converts to RGB. */
  readonly isYbr: boolean;
  /** For JPEG: the tables that all blocks share. */
  readonly tables: Uint8Array | undefined;
}

/** Four Huffman and four quantization tables take at most 2 KiB. */
const longestTables = 2 ** 16;
const yCbCr = 6;

const unreadColours: Readonly<Record<number, string>> = {
  [yCbCr]: 'YCbCr',
  8: 'CIE L*a*b*',
  9: 'ICC L*a*b*',
  10: 'ITU L*a*b*',
  32803: 'a camera’s colour filter',
  32844: 'LogL',
  32845: 'LogLuv',
};

/**
 * The layout of a directory's pixels, validated. @throws StriaError `corrupt` for impossible values; `unsupported`, naming what
 * Stria does not read
 */
export async function readLayout(file: TiffFile, directory: TiffDirectory, options: JobOptions): Promise<TiffLayout> {
  const values = async (tag: number): Promise<readonly number[] | undefined> => {
    const found = directory.tags.get(tag);
    return found === undefined || found.count === 0 ? undefined : readNumbers(file, found, options);
  };
  const value = async (tag: number) => (await values(tag))?.[0];
  const [width, height] = [await value(tiffTags.width), await value(tiffTags.height)];
  if (width === undefined || height === undefined)
    throw new StriaError('corrupt', 'the TIFF file does not give the size of its picture');
  const channels = (await value(tiffTags.samplesPerPixel)) ?? 1;
  if (channels < 1 || channels > maxChannels) {
    throw new StriaError(
      'unsupported',
      `Stria does not read TIFF with ${channels} samples per pixel; it reads 1 to ${maxChannels}`,
    );
  }
  const bits = same((await values(tiffTags.bitsPerSample)) ?? [1], 'bits');
  const type = elementTypeOf(bits, same((await values(tiffTags.sampleFormat)) ?? [1], 'types'));
  if (bits < 8 && channels > 1) {
    throw new StriaError(
      'unsupported',
      `Stria does not read TIFF with ${channels} samples per pixel of ${bits} bits each; save it with 8 bits`,
    );
  }
  const colours = await value(tiffTags.photometric);
  const compression = (await value(tiffTags.compression)) ?? 1;
  const isJpeg = compression === jpegCompression;
  const isYbr = isJpeg && colours === yCbCr;
  const unread = isYbr ? undefined : unreadColours[colours ?? 1];
  if (unread !== undefined)
    throw new StriaError('unsupported', `Stria does not read TIFF in ${unread} colours; save it as gray or RGB`);
  if (((await value(tiffTags.fillOrder)) ?? 1) !== 1) {
    throw new StriaError(
      'unsupported',
      'Stria does not read TIFF with reversed bits (FillOrder 2); save it with another program',
    );
  }
  const depths = [(await value(tiffTags.imageDepth)) ?? 1, (await value(tiffTags.tileDepth)) ?? 1];
  if (depths.some((depth) => depth > 1)) {
    throw new StriaError(
      'unsupported',
      'Stria does not read TIFF with several slices in a page (ImageDepth); save each slice as a page',
    );
  }
  const shape: PictureShape = { width, height, type, channels, bits };
  // The picture's samples may be larger than those in the file.
  const expansion = ((compressionOf(compression).expansion ?? usualExpansion) * 8 * elementBytes(type)) / bits;
  if (isJpeg && (elementBytes(type) > 2 || bits < 8))
    throw new StriaError('corrupt', `the TIFF file says that its JPEG holds ${type}`);
  checkPictureShape(shape, file.source.size, expansion);
  const isTiled = directory.tags.has(tiffTags.tileOffsets);
  const blockWidth = isTiled ? ((await value(tiffTags.tileWidth)) ?? 0) : width;
  const rows = isTiled
    ? ((await value(tiffTags.tileHeight)) ?? 0)
    : Math.min((await value(tiffTags.rowsPerStrip)) ?? height, height);
  const isPlanar = ((await value(tiffTags.planarConfiguration)) ?? 1) === 2 && channels > 1;
  checkPictureShape(
    { ...shape, width: blockWidth, height: rows, channels: isPlanar ? 1 : channels },
    file.source.size,
    expansion,
  );
  const predictor = predictorOf((await value(tiffTags.predictor)) ?? 1, shape, compression);
  const tablesTag = isJpeg ? directory.tags.get(tiffTags.jpegTables) : undefined;
  if (tablesTag !== undefined && tagBytes(tablesTag) > longestTables) {
    throw new StriaError('corrupt', `the TIFF file's JPEG tables claim ${tagBytes(tablesTag)} bytes`);
  }
  const tables = tablesTag && (await readTag(file, tablesTag, options));
  return { shape, compression, predictor, isPlanar, isTiled, blockWidth, blockHeight: rows, isYbr, tables };
}

function same(values: readonly number[], what: string): number {
  const first = values[0] as number;
  if (values.some((value) => value !== first)) {
    throw new StriaError('unsupported', `Stria does not read TIFF whose samples have different ${what} (${values.join(', ')})`);
  }
  return first;
}

/**
 * TIFF's SampleFormat: 1 unsigned, 2 signed, 3 floating point, 4 undefined, which is read as unsigned. Half floats become f32,
 * 1, 2 and 4 bits u8, and whole numbers of 64 bits those of 32.
 */
function elementTypeOf(bits: number, format: number): ElementType {
  const kind = { 1: 'u', 2: 'i', 3: 'f', 4: 'u' }[format];
  const types: readonly ElementType[] = ['u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'f32', 'f64'];
  const type = types.find((known) => known === `${kind}${bits}`);
  if (type !== undefined) return type;
  if (kind === 'f' && bits === 16) return 'f32';
  if (kind === 'u' && [1, 2, 4].includes(bits)) return 'u8';
  if (bits === wideBits && kind !== undefined) return `${kind as 'u' | 'i'}32`;
  const word = { u: 'whole numbers', i: 'signed whole numbers', f: 'floating point' }[kind ?? ''] ?? `sample format ${format}`;
  throw new StriaError(
    'unsupported',
    `Stria does not read TIFF of ${bits} bits, ${word}; it reads whole numbers of 1, 2, 4, 8, 16, 32 and 64 bits and floating point of 16, 32 and 64`,
  );
}

function predictorOf(predictor: number, { type, bits }: PictureShape, compression: number): 1 | 2 | 3 {
  // Without compression, with PackBits and JPEG there is no predictor, whatever the tag says. TIFF 6.0, section 14.
  if (predictor === 1 || compression === 1 || compression === 32773 || compression === jpegCompression) return 1;
  const isFloat = type === 'f32' || type === 'f64';
  if (predictor === 2 && !isFloat && bits >= 8) return 2;
  if (predictor === 3 && isFloat) return 3;
  throw new StriaError(
    'unsupported',
    `Stria does not read TIFF of ${bits < 8 ? `${bits} bits` : type} with predictor ${predictor}; save it without a predictor`,
  );
}
