import type { ByteSource } from '../../shared/bytes.ts';
import { inContext, StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { maxPictures, type Picture, type PictureFile, type PictureScale, pictureBytes } from '../common/picture.ts';
import { partOf } from '../tiff/block-parts.ts';
import { imageJScale, parseImageJ } from '../tiff/imagej.ts';
import { inkChannels } from '../tiff/ink-channels.ts';
import { isPacked } from '../tiff/packed-samples.ts';
import { readPixelBox } from '../tiff/pixel-box.ts';
import { readDirectory, readNumbers, readTiffHeader, type TiffDirectory, type TiffFile } from '../tiff/tiff-directory.ts';
import { firstNumber, resolutionOf, textOf } from '../tiff/tiff-facts.ts';
import { readLayout } from '../tiff/tiff-layout.ts';
import { openBlocks, readPixels } from '../tiff/tiff-pixels.ts';
import { keepTags, tiffTags } from '../tiff/tiff-tags.ts';
import { palette } from './tiff-palette.ts';

/** NewSubfileType: a reduced version of another picture, or a mask. */
const notAPage = 1 | 4;

/**
 * Opens a TIFF or BigTIFF with one or more pictures: whole numbers of 1, 2, 4, 8, 16, 32 and 64 bits, floats of 16, 32 and 64, in strips or
 * tiles, uncompressed or with LZW, deflate or PackBits, in both byte orders. Thumbnails, reduced versions and masks are
 * skipped. ImageJ's stacks over 4 GiB, which have only one directory, are read completely. Samples are returned as stored:
 * colour maps are not applied, and white-is-zero is not inverted.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function openTiff(source: ByteSource, options: JobOptions): Promise<PictureFile> {
  const file = await readTiffHeader(source, options);
  const pictures: Picture[] = [];
  const seen = new Set<number>();
  let first: TiffDirectory | undefined;
  for (let offset = file.firstDirectory; offset !== 0; ) {
    throwIfAborted(options.signal);
    if (seen.has(offset)) throw new StriaError('corrupt', `the TIFF file's directories form a loop: byte ${offset} occurs twice`);
    if (seen.size === maxPictures) throw new StriaError('unsupported', `the TIFF file has more than ${maxPictures} pictures`);
    seen.add(offset);
    const directory = await readDirectory(file, offset, options);
    if (!((await firstNumber(file, directory, tiffTags.newSubfileType, options)) & notAPage)) {
      const number = pictures.length + 1;
      pictures.push(
        await openPage(file, offset, directory, options).catch((error: unknown) => Promise.reject(inPage(number, error))),
      );
      first ??= directory;
    }
    offset = directory.next;
  }
  const [picture] = pictures;
  if (first === undefined || picture === undefined) throw new StriaError('corrupt', 'the TIFF file holds no picture');
  const imageJ = parseImageJ(await textOf(file, first, tiffTags.description, options));
  const scale = imageJScale(imageJ, await resolutionOf(file, first, options));
  const isWhole = pictures.length > 1 || imageJ.images === undefined;
  const more = isWhole ? undefined : await bigStack(file, first, picture, imageJ.images, options);
  const channels = await inkChannels(file, first, picture.shape.channels, options);
  const areIndexes = (await firstNumber(file, first, tiffTags.photometric, options)) === palette;
  return { ...withSeries(more ?? pictures, scale), channels, areIndexes };
}

function withSeries(pictures: readonly Picture[], scale: PictureScale): PictureFile {
  const { picturesPerTime = pictures.length } = scale;
  const fits = picturesPerTime > 0 && pictures.length % picturesPerTime === 0;
  return { pictures, scale: fits ? scale : { ...scale, picturesPerTime: undefined } };
}

/** Adds the picture's number to a fault, counted from 1 as in image viewers. */
function inPage(number: number, error: unknown): StriaError {
  return inContext(`picture ${number}`, error);
}

async function openPage(
  file: TiffFile,
  offset: number,
  directory: TiffDirectory,
  options: JobOptions,
  shift = 0,
): Promise<Picture> {
  const layout = await readLayout(file, directory, options);
  const { shape, isPlanar } = layout;
  return {
    shape,
    name: await textOf(file, directory, tiffTags.pageName, options),
    // A stack can have many thousand pictures, so their directories are read again instead of kept.
    async *strips(channels, job = {}) {
      const again = await readDirectory(file, offset, job);
      yield* readPixels(file, again, await readLayout(file, again, job), shift, channels, job);
      job.onExtra?.(await keepTags(file, again, job.signal));
    },
    parts: {
      size: partOf(layout),
      isPlanar,
      async open(job) {
        const again = await readDirectory(file, offset, job);
        const blocks = await openBlocks(file, again, await readLayout(file, again, job), shift, { ...job, rows: 0 });
        const tableBytes = 1000 + 16 * blocks.offsets.length;
        return { tableBytes, read: (channels, box, reading) => readPixelBox(blocks, channels, box, reading) };
      },
    },
  };
}

/**
 * The pictures of an ImageJ stack over 4 GiB: it has one directory, whose description gives the number of contiguous pictures.
 * Undefined if the file is too short for them.
 */
async function bigStack(file: TiffFile, directory: TiffDirectory, { shape }: Picture, images: number, options: JobOptions) {
  const layout = await readLayout(file, directory, options);
  const offsets = directory.tags.get(tiffTags.stripOffsets);
  const isPlain = layout.compression === 1 && !layout.isTiled && !isPacked(shape);
  if (!isPlain || offsets === undefined || images > maxPictures) return undefined;
  const [start = 0] = await readNumbers(file, offsets, options);
  const bytes = pictureBytes(shape);
  const end = start + images * bytes;
  if (end > file.source.size || (file.firstDirectory >= start && file.firstDirectory < end)) return undefined;
  const pictures: Picture[] = [];
  for (let index = 0; index < images; index++) {
    pictures.push(await openPage(file, file.firstDirectory, directory, options, index * bytes));
  }
  return pictures;
}
