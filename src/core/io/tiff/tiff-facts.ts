import type { JobOptions } from '../../shared/job.ts';
import { type PictureScale, unknownScale } from '../common/picture.ts';
import { readNumbers, readTag, type TiffDirectory, type TiffFile, tagBytes } from './tiff-directory.ts';
import { tiffTags } from './tiff-tags.ts';

/** Longer texts are not parsed, except OME-XML, which can be much longer. */
const longestText = 65_536;

/** The resolution as distances. XResolution counts pixels per inch, per centimetre, or per unit of the program's own. */
export async function resolutionOf(file: TiffFile, directory: TiffDirectory, options: JobOptions): Promise<PictureScale> {
  const x = await inverseOf(file, directory, tiffTags.xResolution, options);
  const y = await inverseOf(file, directory, tiffTags.yResolution, options);
  if (!(Number.isFinite(x) && Number.isFinite(y) && x > 0 && y > 0)) return unknownScale;
  const unit = directory.tags.has(tiffTags.resolutionUnit)
    ? await firstNumber(file, directory, tiffTags.resolutionUnit, options)
    : 2;
  if (unit !== 2 && unit !== 3) return { spatialUnit: 'unknown', spacing: [x, y, x] };
  const millimetres = unit === 2 ? 25.4 : 10;
  return { spatialUnit: 'mm', spacing: [x * millimetres, y * millimetres, x * millimetres] };
}

/** 1 / the value of a tag. Inverting the fraction itself keeps decimal distances exact. */
async function inverseOf(file: TiffFile, directory: TiffDirectory, number: number, options: JobOptions): Promise<number> {
  const tag = directory.tags.get(number);
  if (tag?.type !== 5 || tag.count === 0) return 1 / (await firstNumber(file, directory, number, options));
  const bytes = await readTag(file, tag, options);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getUint32(4, true) / view.getUint32(0, true);
}

/** The first of a tag's numbers; 0 without any. */
export async function firstNumber(file: TiffFile, { tags }: TiffDirectory, number: number, options: JobOptions): Promise<number> {
  const tag = tags.get(number);
  return tag === undefined ? 0 : ((await readNumbers(file, tag, options))[0] ?? 0);
}

/** A tag's text; '' if there is none or it is too long. */
export async function textOf(
  file: TiffFile,
  directory: TiffDirectory,
  number: number,
  options: JobOptions,
  longest = longestText,
): Promise<string> {
  return (await textsOf(file, directory, number, options, longest))[0] ?? '';
}

/** The texts of a tag, which end with zeros; none if the tag is too long. */
export async function textsOf(
  file: TiffFile,
  { tags }: TiffDirectory,
  number: number,
  options: JobOptions,
  longest = longestText,
): Promise<readonly string[]> {
  const tag = tags.get(number);
  if (tag === undefined || tag.type !== 2 || tagBytes(tag) > longest) return [];
  return new TextDecoder().decode(await readTag(file, tag, options)).split('\0');
}
