import type { JobOptions } from '../../shared/job.ts';
import { type Channel, swapBytes, type VolumeInfo } from '../../shared/volume.ts';
import { diagonalAffine } from '../common/affine.ts';
import { type PictureScale, type PictureShape, pictureBytes } from '../common/picture.ts';
import { type Hyperstack, imageJScale, parseHyperstack, parseImageJ } from '../tiff/imagej.ts';
import { isPacked } from '../tiff/packed-samples.ts';
import { readNumbers, readTag, type TiffDirectory, type TiffFile, tagBytes } from '../tiff/tiff-directory.ts';
import { resolutionOf } from '../tiff/tiff-facts.ts';
import { readLayout } from '../tiff/tiff-layout.ts';
import { tiffTags } from '../tiff/tiff-tags.ts';
import type { DirectoryChain } from './directory-chain.ts';
import { channelsOf } from './ome-geometry.ts';
import { levelShapes } from './ome-series.ts';
import type { TiffSeries } from './series.ts';

/**
 * An ImageJ hyperstack with several channels. Channels vary fastest, then slices, then time points. A hyperstack over 4 GiB has a
 * single directory, and its pictures are consecutive in the file. Undefined for any other description.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function openHyperstack(
  chain: DirectoryChain,
  first: TiffDirectory,
  description: string,
  job: JobOptions,
): Promise<TiffSeries | undefined> {
  const stack = parseHyperstack(description);
  if (stack === undefined || stack.channels === 1) return undefined;
  const { file } = chain;
  const [shape] = (await levelShapes(chain, 0, job)) as [PictureShape];
  const count = stack.channels * stack.slices * stack.frames;
  const step = first.next === 0 && (await isContiguous(file, first, shape, count, job)) ? pictureBytes(shape) : undefined;
  const sizes = { Z: stack.slices, C: stack.channels, T: stack.frames };
  const scale = imageJScale(parseImageJ(description), await resolutionOf(file, first, job));
  const spacing = [...scale.spacing, stack.frameInterval ?? 1] as const;
  const scaling = shape.channels === 1 && (shape.type === 'u8' || shape.type === 'u16') ? scale.scaling : undefined;
  const channels = await displayOf(file, first, { ...stack, scaling }, job);
  return {
    name: '',
    sizes,
    levels: [shape],
    missing: 0,
    tags: tagsOf(description),
    describe: (): VolumeInfo => ({
      dims: [shape.width, shape.height, sizes.Z, sizes.C * shape.channels * sizes.T],
      type: shape.type,
      spacing,
      spatialUnit: scale.spatialUnit,
      timeUnit: stack.frameInterval === undefined ? 'unknown' : 's',
      affine: diagonalAffine(spacing),
      slope: 1,
      intercept: 0,
      ...scaling,
      channels: channelsOf(channels, sizes.C, shape.channels),
    }),
    async check(options) {
      if (step === undefined) await chain.find(count - 1, options);
    },
    async place(plane) {
      const number = plane.C + sizes.C * (plane.Z + sizes.Z * plane.T);
      return step === undefined ? { chain, directory: number, shift: 0 } : { chain, directory: 0, shift: number * step };
    },
  };
}

/** Whether all pictures follow the first one's pixels, uncompressed. */
async function isContiguous(file: TiffFile, first: TiffDirectory, shape: PictureShape, count: number, job: JobOptions) {
  const { compression, isTiled } = await readLayout(file, first, job);
  const offsets = first.tags.get(tiffTags.stripOffsets);
  if (compression !== 1 || isTiled || isPacked(shape) || offsets === undefined) return false;
  const [start = 0] = await readNumbers(file, offsets, job);
  return start + count * pictureBytes(shape) <= file.source.size;
}

const metadataTag = 50839;
const metadataCountsTag = 50838;
/** Longer metadata are skipped: the labels of slices grow with the number of slices. */
const longestMetadata = 2 ** 24;
const lutBytes = 768;

/**
 * The channels' colours and display ranges, if present. ImageJ's metadata are a header (`IJIJ`, then type and number of each kind of
 * value) and the values. Another tag has their lengths. Source: ImageJ's TiffEncoder.
 */
async function displayOf(
  file: TiffFile,
  { tags }: TiffDirectory,
  stack: Hyperstack & Pick<PictureScale, 'scaling'>,
  job: JobOptions,
) {
  const channels = Array.from({ length: stack.channels }, () => ({ name: '', color: undefined as string | undefined }));
  const [tag, countsTag] = [tags.get(metadataTag), tags.get(metadataCountsTag)];
  if (tag === undefined || countsTag === undefined || tagBytes(tag) > longestMetadata) return channels;
  const bytes = await readTag(file, tag, job);
  const counts = await readNumbers(file, countsTag, job);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = file.endian === 'little';
  let value = 1;
  let at = counts[0] ?? 0;
  const display: Channel[] = channels;
  // Ranges are of stored values.
  const { slope, intercept } = stack.scaling ?? { slope: 1, intercept: 0 };
  for (let entry = 4; entry + 8 <= Math.min(counts[0] ?? 0, bytes.byteLength); entry += 8) {
    const kind = kindOf(view.getUint32(entry, isLittle));
    const number = view.getUint32(entry + 4, isLittle);
    for (let index = 0; index < number && value < counts.length; index++, value++) {
      const part = bytes.slice(at, at + (counts[value] as number));
      at += counts[value] as number;
      if (kind === 'luts' && part.byteLength === lutBytes && display[index] !== undefined && stack.isColored) {
        display[index] = { ...(display[index] as Channel), color: brightest(part) };
      }
      if (kind !== 'rang') continue;
      if (!isLittle) swapBytes(part, 8);
      const ranges = new Float64Array(part.buffer, 0, Math.floor(part.byteLength / 8));
      for (const [channel, before] of display.entries()) {
        const [low = 0, high = 0] = ranges.subarray(2 * channel);
        if (!(low < high && Number.isFinite(high - low))) continue;
        const [from, to] = [slope * low + intercept, slope * high + intercept];
        display[channel] = { ...before, window: [Math.min(from, to), Math.max(from, to)] };
      }
    }
  }
  return display.map((channel) => ({ ...channel, color: channel.color }));
}

function kindOf(number: number): string {
  return String.fromCharCode(number >>> 24, (number >> 16) & 255, (number >> 8) & 255, number & 255);
}

/** The last colour of a table of 256 reds, 256 greens, 256 blues. */
function brightest(table: Uint8Array): string {
  return `#${[255, 511, 767].map((at) => (table[at] as number).toString(16).padStart(2, '0')).join('')}`;
}

function tagsOf(description: string) {
  return description.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    const name = line.slice(0, at);
    return at < 1 ? [] : [{ id: `ImageJ/${name}`, name, value: line.slice(at + 1).trim(), isPersonal: false }];
  });
}
