import { StriaError } from '../../shared/errors.ts';
import { type Channel, type ElementType, elementBytes, type VolumeInfo } from '../../shared/volume.ts';

/** The maximum number of pictures in a stack. */
export const maxPictures = 2 ** 18;
/** The maximum number of samples of a pixel. */
export const maxChannels = 64;
/** The maximum size of the metadata kept for one picture. */
export const maxExtraBytes = 2 ** 16;

/** A picture of a stack, with its header read and its pixels still to be read. */
export interface Picture {
  readonly shape: PictureShape;
  /** Its name in its file; empty if it has none. */
  readonly name: string;
  /**
   * The picture from top to bottom, in strips of whole rows. Each call reads the file again.
   * @param channels indexes of the requested samples of a pixel
   * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
   */
  strips(channels: readonly number[], options?: StripOptions): AsyncGenerator<RowStrip>;
  /** Undefined if the picture can only be read from top to bottom. */
  readonly parts?: PictureParts | undefined;
}

/** A picture that is stored in parts, which can be read one by one. */
export interface PictureParts {
  /** The part that is best read at once, in pixels. */
  readonly size: readonly [columns: number, rows: number];
  /** Whether each sample of a pixel is stored in parts of its own. */
  readonly isPlanar: boolean;
  /** Finds out where the parts are. @throws as `Picture.strips` */
  open(options: Omit<StripOptions, 'onExtra'>): Promise<PictureReader>;
}

/** Reads boxes of a picture. */
export interface PictureReader {
  /** The memory that it takes, in bytes. */
  readonly tableBytes: number;
  /** The rows of a box for each requested channel. @throws as `Picture.strips` */
  read(channels: readonly number[], box: PixelBox, options: Pick<StripOptions, 'signal'>): Promise<RowStrip>;
}

/** A part of a picture, in pixels. It lies inside the picture. */
export interface PixelBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** For each requested channel, little-endian samples of some rows. They belong to the caller. */
export type RowStrip = readonly Uint8Array<ArrayBuffer>[];

export interface StripOptions {
  readonly signal?: AbortSignal | undefined;
  /** Memory limit in bytes. Default: `defaultPictureMemory`. */
  readonly limitBytes?: number | undefined;
  /** Called after the last strip with the metadata in the format's encoding (see `PictureEntry.extra`). */
  readonly onExtra?: ((extra: Uint8Array) => void) | undefined;
}

/** The properties that all pictures of a stack share. */
export interface PictureShape {
  readonly width: number;
  readonly height: number;
  readonly type: ElementType;
  /** Samples per pixel. */
  readonly channels: number;
  /** Bits of a sample in the file: fewer than `type` has for PNG of 1, 2 or 4 bits. */
  readonly bits: number;
}

/** The pictures of one file. */
export interface PictureFile {
  readonly pictures: readonly Picture[];
  readonly scale: PictureScale;
  /** The samples of a pixel, if they are not gray, red, green and blue. */
  readonly channels?: readonly Channel[] | undefined;
  /** The samples are indexes into a palette that is not applied. */
  readonly areIndexes?: boolean | undefined;
}

/** The size of pixels, as far as the file gives it. */
export interface PictureScale {
  readonly spatialUnit: VolumeInfo['spatialUnit'];
  /** Distances between pixels along x and y, and between pictures along z. */
  readonly spacing: readonly [number, number, number];
  /** How many pictures form one time point, if the file is a series. */
  readonly picturesPerTime?: number | undefined;
  /** Seconds between time points. */
  readonly timeStep?: number | undefined;
  /** The physical value is slope × stored + intercept. */
  readonly scaling?: { readonly slope: number; readonly intercept: number } | undefined;
}

export const unknownScale: PictureScale = { spatialUnit: 'unknown', spacing: [1, 1, 1] };

/** Pictures are read and written by rows. If that is impossible, as for an interlaced PNG, this much memory may be used. */
const defaultPictureMemory = 2 ** 29;

/** The target size of one channel in a strip, in bytes. */
const stripBytes = 2 ** 21;

/** Number of rows in a strip. */
export function stripRows({ width, height, type }: Pick<PictureShape, 'width' | 'height' | 'type'>): number {
  return Math.min(height, Math.max(1, Math.floor(stripBytes / (width * elementBytes(type)))));
}

/**
 * @param what needs the memory, with its size
 * @param remedy what else the user can do
 * @throws StriaError `unsupported` over the limit
 */
export function checkMemory(bytes: number, limitBytes: number | undefined, what: string, remedy: string): void {
  const limit = limitBytes ?? defaultPictureMemory;
  if (bytes <= limit) return;
  const mebibytes = (count: number) => `${Math.ceil(count / 2 ** 20)} MiB`;
  throw new StriaError(
    'unsupported',
    `${what} takes ${mebibytes(bytes)} of memory at once, and the limit is ${mebibytes(limit)}; ${remedy}, or raise the limit with the command’s --picture-memory`,
  );
}

/** Bytes of all samples of a picture. */
export function pictureBytes({ width, height, type, channels }: PictureShape): number {
  return width * height * channels * elementBytes(type);
}

/** The most bytes to which LZW, with 2560, or deflate, with 1032, expands a byte, and some more. */
export const usualExpansion = 4096;

/**
 * Checks whether a header's claims are possible, before memory is allocated for them.
 * @param fileBytes size of the file that the picture is in
 * @param expansion the most bytes to which its compression can expand one byte
 * @throws StriaError `corrupt` for sides of zero and for more pixels than the file can hold
 */
export function checkPictureShape(shape: PictureShape, fileBytes: number, expansion = usualExpansion): void {
  const { width, height } = shape;
  if (!(Number.isSafeInteger(width) && Number.isSafeInteger(height) && width > 0 && height > 0)) {
    throw new StriaError('corrupt', `the header says that the picture is ${width} × ${height}`);
  }
  const bytes = pictureBytes(shape);
  if (bytes > fileBytes * expansion) {
    throw new StriaError('corrupt', `the header promises ${width} × ${height} pixels, more than ${fileBytes} bytes can hold`);
  }
}

/**
 * Interleaves the samples of planes pixel by pixel.
 * @param from where the first sample lies in each plane
 * @param target receives the samples
 */
export function interleave(planes: readonly Uint8Array[], from: number, target: Uint8Array, width: 1 | 2 | 4 | 8): void {
  const [only] = planes;
  if (only !== undefined && planes.length === 1) {
    target.set(only.subarray(from, from + target.byteLength));
    return;
  }
  const pixelBytes = planes.length * width;
  for (const [channel, plane] of planes.entries()) {
    for (let to = channel * width, at = from; to < target.byteLength; to += pixelBytes) {
      for (let byte = 0; byte < width; byte++) target[to + byte] = plane[at++] as number;
    }
  }
}
