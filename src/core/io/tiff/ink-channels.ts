import type { JobOptions } from '../../shared/job.ts';
import type { Channel } from '../../shared/volume.ts';
import { readNumbers, type TiffDirectory, type TiffFile } from './tiff-directory.ts';
import { firstNumber, textsOf } from './tiff-facts.ts';
import { tiffTags } from './tiff-tags.ts';

/** PhotometricInterpretation: each sample is the amount of an ink. TIFF 6.0, section 16. */
export const separated = 5;
const cmyk = ['Cyan', 'Magenta', 'Yellow', 'Black'];
const otherInks = 2;

/**
 * The channels of a picture of inks, named by its inks. Undefined for other pictures.
 * @param count samples per pixel
 */
export async function inkChannels(
  file: TiffFile,
  directory: TiffDirectory,
  count: number,
  options: JobOptions,
): Promise<readonly Channel[] | undefined> {
  if ((await firstNumber(file, directory, tiffTags.photometric, options)) !== separated) return undefined;
  const isCmyk = (await firstNumber(file, directory, tiffTags.inkSet, options)) !== otherInks;
  const inks = isCmyk ? cmyk : await textsOf(file, directory, tiffTags.inkNames, options);
  const extraTag = directory.tags.get(tiffTags.extraSamples);
  const extras = extraTag ? await readNumbers(file, extraTag, options) : [];
  return Array.from({ length: count }, (_, index) => {
    const extra = extras[index - (count - extras.length)];
    if (extra === 1 || extra === 2) return { name: 'Alpha' };
    return { name: (extra === undefined && inks[index]) || `Sample ${index + 1}` };
  });
}
