import { StriaError } from '../../shared/errors.ts';
import { isPictureFormat, type PictureFormat, type SourceDescription } from '../../shared/source.ts';
import type { StoredForm } from '../../shared/stored-voxels.ts';
import { elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { maxPictures } from '../common/picture.ts';
import { encodePictureTable, type PictureTable, parsePictureTable, storedForm } from './picture-table.ts';

const endings: Readonly<Record<PictureFormat, string>> = { png: 'png', tiff: 'tif' };

/** The pictures to be written. */
export interface PicturePlan {
  readonly format: PictureFormat;
  readonly table: PictureTable;
  /** Names of the files: one per picture (PNG), or a single one (TIFF). */
  readonly files: readonly string[];
}

/**
 * The pictures of a volume: one for each slice of each time point. If the volume came from pictures with several samples a
 * pixel, the samples are recombined. Pictures keep the pixels and, as far as the format allows, their spacing; they cannot keep
 * an affine, slope and intercept.
 * @param source what the volume came from
 * @throws StriaError `unsupported` for a type that the format cannot store
 */
export function describePictures(
  info: VolumeInfo,
  format: PictureFormat,
  baseName: string,
  source: SourceDescription | undefined,
): SourceDescription {
  const known = source !== undefined && isPictureFormat(source.format) ? tableOf(source) : undefined;
  const channels = known?.channels ?? 1;
  const count = (info.dims[2] * info.dims[3]) / channels;
  if (!Number.isInteger(count))
    throw new StriaError('corrupt', `${info.dims[3]} time points cannot be divided into pictures of ${channels} samples`);
  if (count > maxPictures)
    throw new StriaError('unsupported', `the volume has ${count} slices, more than ${maxPictures}: use --to nrrd`);
  const bits = 8 * elementBytes(info.type);
  const pages = Array.from({ length: count }, (_, index) => ({
    name: withEnding(known?.pages[index]?.name ?? '', format),
    extra: new Uint8Array(),
  }));
  const before = encodePictureTable({
    channels,
    bits: source?.format === 'png' ? Math.min(bits, known?.bits ?? bits) : bits,
    pages,
  });
  const name = `${baseName}.${endings[format]}`;
  const description: SourceDescription = {
    format,
    endian: 'little',
    parts: [{ name, before, hasVoxels: true, after: new Uint8Array() }],
  };
  planPictures(info, format, description);
  return description;
}

function withEnding(name: string, format: PictureFormat): string {
  return name === '' || format === 'tiff' ? name : `${name.replace(/\.(png|tiff?)$/i, '')}.${endings[format]}`;
}

/** The form of the voxels in the file of a description, if it is not that of the volume. Undefined if the table of pictures is damaged. */
export function formInSource({ type }: VolumeInfo, description: SourceDescription): StoredForm | undefined {
  if (!isPictureFormat(description.format)) return description.stored?.as;
  try {
    return storedForm({ type, bits: tableOf(description).bits });
  } catch {
    // Restoring and verifying say what is wrong with it.
    return undefined;
  }
}

/**
 * Plans the pictures of a description, after checking that they can be written.
 * @param outputName name of a single file, or the stem of numbered ones
 * @throws StriaError `corrupt` if the table does not match the volume; `unsupported` for what the format cannot store
 */
export function planPictures(
  info: VolumeInfo,
  format: PictureFormat,
  description: SourceDescription,
  outputName?: string | undefined,
): PicturePlan {
  const table = tableOf(description);
  const { channels, bits, pages } = table;
  const [width, height, depth, times] = info.dims;
  const { type } = info;
  if (pages.length * channels !== depth * times || (channels > 1 && times !== channels)) {
    throw new StriaError(
      'corrupt',
      `the table describes ${pages.length} pictures of ${channels} samples, but the volume is ${info.dims.join('×')}`,
    );
  }
  const isWide = bits === 64 && (type === 'i32' || type === 'u32');
  if (bits > 8 * elementBytes(type) && !isWide)
    throw new StriaError('corrupt', `the table describes samples of ${bits} bits, but the volume is ${type}`);
  if (bits < 8 && (type !== 'u8' || channels > 1)) {
    throw new StriaError('corrupt', `the table describes samples of ${bits} bits, but the pixels have ${channels} of ${type}`);
  }
  if (format === 'png') {
    if (type !== 'u8' && type !== 'u16') {
      throw new StriaError(
        'unsupported',
        `PNG cannot store ${type}, only u8 and u16; write TIFF (--to tiff) or NRRD (--to nrrd)`,
      );
    }
    if (channels > 4)
      throw new StriaError('unsupported', `PNG cannot store ${channels} samples per pixel; write TIFF (--to tiff)`);
    if (Math.max(width, height) >= 2 ** 31) {
      throw new StriaError('unsupported', `slices of ${width} × ${height} are too large for PNG; write TIFF (--to tiff)`);
    }
  }
  const name = outputName ?? description.parts[0]?.name ?? '';
  return { format, table, files: format === 'tiff' ? [name] : pngNames(table, name, outputName !== undefined) };
}

/** The pictures' own names if all have one, otherwise `stem-0001.png` and so on. */
function pngNames({ pages }: PictureTable, name: string, isGiven: boolean): readonly string[] {
  const names = pages.map((page) => page.name);
  const areFiles =
    names.every((own) => /\.png$/i.test(own)) && new Set(names.map((own) => own.toLowerCase())).size === names.length;
  if (areFiles && !isGiven) return names;
  if (pages.length === 1) return [name];
  const stem = name.replace(/\.png$/i, '');
  const digits = Math.max(4, String(pages.length).length);
  return pages.map((_, index) => `${stem}-${String(index + 1).padStart(digits, '0')}.png`);
}

function tableOf({ parts }: SourceDescription): PictureTable {
  return parsePictureTable(parts[0]?.before ?? new Uint8Array());
}
