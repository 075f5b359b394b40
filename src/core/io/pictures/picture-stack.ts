import type { ByteSource } from '../../shared/bytes.ts';
import { inContext, StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { isWorthDeflating, type PictureFormat, type SourceDescription, safeName } from '../../shared/source.ts';
import { type Channel, colorChannels, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { diagonalAffine } from '../common/affine.ts';
import { isGzip, plainBytes } from '../common/byte-stream.ts';
import {
  maxPictures,
  type Picture,
  type PictureFile,
  type PictureShape,
  pictureBytes,
  type RowStrip,
} from '../common/picture.ts';
import type { OpenOptions, OpenVolume } from '../common/volume-reader.ts';
import { compareNatural } from './natural-order.ts';
import { ExtraPool, encodePictureTable, storedForm } from './picture-table.ts';
import { openPng } from './png-reader.ts';
import { recognisePicture } from './recognise.ts';
import { stackBoxes } from './stack-boxes.ts';
import { openTiff } from './tiff-reader.ts';

const openers: Readonly<Record<PictureFormat, (source: ByteSource, options: JobOptions) => Promise<PictureFile>>> = {
  png: openPng,
  tiff: openTiff,
};

/** The maximum size of a piece of voxels. */
const pieceBytes = 2 ** 22;

/** A picture up to this size is read once for all channels and kept in memory; a larger one is read again for each channel. */
const smallPictureBytes = 2 ** 26;

/** A picture with its name in the stack and in messages. */
interface NamedPicture extends Picture {
  readonly fullName: string;
}

/**
 * Opens pictures as one volume: x and y as in the pictures, z their number. Files are taken in natural order of their names
 * (`frame2` before `frame10`), the pictures of one file in its own order. Gray pictures are one time point. The samples of RGB,
 * RGBA and gray with alpha become planes along t: all red, then all green, then all blue. Pictures are read by rows.
 *
 * Spacing comes from the first file's resolution. If no distance between pictures is given, it equals the distance between
 * pixels.
 * @param sources all PNG or all TIFF; they must stay readable
 * @throws StriaError `invalid-input` for pictures that do not match, naming the odd one; `unsupported`, `corrupt`,
 * `not-readable`, `aborted`, in the context of the file if there are several
 */
export async function openStack(
  sources: readonly ByteSource[],
  options: Pick<OpenOptions, 'pictureMemory' | 'onRemark'> & JobOptions = {},
): Promise<OpenVolume> {
  const sorted = [...sources].sort((a, b) => compareNatural(a.name, b.name));
  const [firstSource] = sorted;
  if (firstSource === undefined) throw new StriaError('invalid-input', 'a stack needs at least one picture');
  const format = await pictureFormatOf(firstSource, options);
  const pictures: NamedPicture[] = [];
  let first: PictureFile | undefined;
  for (const source of sorted) {
    const file = await openFile(source, format, firstSource, options).catch((error: unknown) => {
      throw sorted.length > 1 ? inContext(source.name, error) : error;
    });
    first ??= file;
    for (const [index, picture] of file.pictures.entries()) {
      const fullName = file.pictures.length > 1 ? `picture ${index + 1} of ${source.name}` : source.name;
      // The picture of a single-picture file is named after the file; a file of many names its own pictures.
      const name = file.pictures.length > 1 ? picture.name : source.name;
      checkFits({ ...picture, fullName }, pictures[0]);
      pictures.push({ ...picture, name: name === '' ? '' : safeName(name), fullName });
    }
    if (pictures.length > maxPictures) throw new StriaError('unsupported', `a stack has at most ${maxPictures} pictures`);
  }
  if (first?.areIndexes)
    options.onRemark?.(`${firstSource.name}: its values are indexes into a palette, whose colours the app gives to labels`);
  const info = describeStack(pictures, first as PictureFile, sorted.length === 1);
  return stackVolume(info, format, pictures, safeName(firstSource.name), {
    isOfFiles: sorted.length > 1,
    limitBytes: options.pictureMemory,
  });
}

async function pictureFormatOf(source: ByteSource, options: JobOptions): Promise<PictureFormat> {
  const head = await plainBytes(source).read(0, 8, options);
  const format = recognisePicture(head);
  if (format !== undefined) return format;
  if (isGzip(head))
    throw new StriaError('unsupported', `${source.name} is gzipped, but PNG and TIFF are not read from gzip; gunzip it first`);
  throw new StriaError('invalid-input', `${source.name} is neither PNG nor TIFF`);
}

async function openFile(source: ByteSource, format: PictureFormat, first: ByteSource, options: JobOptions): Promise<PictureFile> {
  throwIfAborted(options.signal);
  const own = await pictureFormatOf(source, options);
  if (own !== format) {
    throw new StriaError(
      'invalid-input',
      `it is ${own.toUpperCase()}, but ${first.name} is ${format.toUpperCase()}; all pictures of a stack must have the same format`,
    );
  }
  return openers[format](source, options);
}

function checkFits(picture: NamedPicture, first: NamedPicture | undefined): void {
  if (first === undefined) return;
  const isLike = (['width', 'height', 'type', 'channels', 'bits'] as const).every(
    (key) => picture.shape[key] === first.shape[key],
  );
  if (isLike) return;
  throw new StriaError(
    'invalid-input',
    `${picture.fullName} is ${describeShape(picture.shape)}, but ${first.fullName} is ${describeShape(first.shape)}; all pictures of a stack must match`,
  );
}

function describeShape(shape: PictureShape): string {
  const { width, height, type, channels, bits } = shape;
  const depth = bits < 8 ? `${bits} bits` : (storedForm(shape) ?? type);
  return `${width} × ${height}, ${depth}${channels > 1 ? `, ${channels} samples per pixel` : ''}`;
}

function describeStack(pictures: readonly Picture[], { scale, channels: named }: PictureFile, isOneFile: boolean): VolumeInfo {
  const { width, height, type, channels } = (pictures[0] as Picture).shape;
  const { spatialUnit, picturesPerTime, timeStep } = scale;
  // A file's time series becomes t only if t is not needed for samples.
  const depth = isOneFile && channels === 1 && picturesPerTime !== undefined ? picturesPerTime : pictures.length;
  const knownStep = depth < pictures.length ? timeStep : undefined;
  const spacing = [...scale.spacing, knownStep ?? 1] as const;
  return {
    dims: [width, height, depth, (pictures.length / depth) * channels],
    type,
    spacing,
    spatialUnit,
    timeUnit: knownStep === undefined ? 'unknown' : 's',
    affine: diagonalAffine(spacing),
    slope: 1,
    intercept: 0,
    ...(channels === 1 && (type === 'u8' || type === 'u16') && scale.scaling),
    ...(channels > 1 && { channels: named ?? sampleChannels(channels) }),
  };
}

/** Names of a pixel's samples: those of colours if the number of samples fits, otherwise numbers. */
function sampleChannels(count: number): readonly Channel[] {
  if (count === 2) return [{ name: 'Gray' }, { name: 'Alpha' }];
  if (count <= colorChannels.length) return colorChannels.slice(0, count);
  return Array.from({ length: count }, (_, index) => ({ name: `Sample ${index + 1}` }));
}

function stackVolume(
  info: VolumeInfo,
  format: PictureFormat,
  pictures: readonly NamedPicture[],
  name: string,
  { isOfFiles, limitBytes }: { isOfFiles: boolean; limitBytes: number | undefined },
): OpenVolume {
  const { shape } = pictures[0] as Picture;
  const { channels, bits } = shape;
  const extras: (Uint8Array | undefined)[] = pictures.map(() => undefined);
  const pool = new ExtraPool();

  async function* strips(index: number, wanted: readonly number[], signal?: AbortSignal): AsyncGenerator<RowStrip> {
    const picture = pictures[index] as NamedPicture;
    const onExtra = (extra: Uint8Array) => {
      extras[index] ??= pool.keep(extra);
    };
    try {
      yield* picture.strips(wanted, { signal, limitBytes, onExtra });
    } catch (error) {
      throw pictures.length > 1 ? inContext(picture.fullName, error) : error;
    }
  }

  /** All channels of the only picture, one after another, from a single read. */
  async function* smallPicture(signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const planeBytes = pictureBytes(shape) / channels;
    const planes = new Uint8Array(pictureBytes(shape));
    let filled = 0;
    for await (const strip of strips(0, allChannels(channels), signal)) {
      for (const [channel, rows] of strip.entries()) planes.set(rows, channel * planeBytes + filled);
      filled += strip[0]?.byteLength ?? 0;
    }
    yield planes;
  }

  /** One channel after another. Each reads the pictures again, so that no picture is kept in memory. */
  async function* byChannel(signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let channel = 0; channel < channels; channel++) {
      for (let index = 0; index < pictures.length; index++) {
        throwIfAborted(signal);
        for await (const [rows] of strips(index, [channel], signal)) yield rows as Uint8Array;
      }
    }
  }

  async function* voxels({ signal, onProgress }: JobOptions = {}): AsyncGenerator<Uint8Array> {
    const total = volumeBytes(info);
    let done = 0;
    const isSmall = channels > 1 && pictures.length === 1 && pictureBytes(shape) <= smallPictureBytes;
    for await (const voxels of isSmall ? smallPicture(signal) : byChannel(signal)) {
      for (let at = 0; at < voxels.byteLength; at += pieceBytes) {
        const piece = voxels.byteLength <= pieceBytes ? voxels : voxels.slice(at, at + pieceBytes);
        // Updated before the yield: the caller may transfer the piece, which then has no length.
        done += piece.byteLength;
        yield piece;
        onProgress?.({ stage: 'Reading', done, total });
      }
    }
  }

  async function source(): Promise<SourceDescription> {
    const entries = [];
    for (const [index, { name: pictureName }] of pictures.entries()) {
      if (extras[index] === undefined) for await (const _ of strips(index, [0]));
      entries.push({ name: pictureName, extra: extras[index] ?? new Uint8Array() });
    }
    const before = encodePictureTable({ channels, bits, pages: entries });
    const stackName = isOfFiles ? name.replace(/(\.[^.]*)?$/, '-stack$1') : name;
    return { format, endian: 'little', parts: [{ name: safeName(stackName), before, hasVoxels: true, after: new Uint8Array() }] };
  }

  const nameOf = (index: number) => (pictures.length > 1 ? pictures[index]?.fullName : undefined);
  const parts = pictures.flatMap((picture) => picture.parts ?? []);
  const leveled = async () => stackBoxes(shape, parts, info.dims[2], nameOf, limitBytes);
  const areInParts = parts.length === pictures.length;
  return {
    info,
    format,
    deflatesSource: isWorthDeflating(format, []),
    sampleForm: storedForm(shape),
    voxels,
    ...(areInParts && { leveled }),
    source,
  };
}

function allChannels(count: number): number[] {
  return Array.from({ length: count }, (_, channel) => channel);
}
