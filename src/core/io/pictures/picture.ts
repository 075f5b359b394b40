import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type ElementType, elementBytes, type VolumeInfo } from '../../shared/volume.ts';

/** A picture of a stack: its header has been read, its pixels wait. */
export interface Picture {
  readonly shape: PictureShape;
  /** What its file calls it; empty where it says nothing. */
  readonly name: string;
  /**
   * All first samples, then all second ones …: each a plane of `width × height` little-endian samples, row by row from the
   * top. With them, its metadata as its format writes them (see `PictureEntry.extra`).
   * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
   */
  read(options: JobOptions): Promise<ReadPicture>;
}

export interface ReadPicture {
  readonly planes: Uint8Array<ArrayBuffer>;
  readonly extra: Uint8Array;
}

/** What all pictures of a stack have alike. */
export interface PictureShape {
  readonly width: number;
  readonly height: number;
  readonly type: ElementType;
  /** Samples of a pixel. */
  readonly channels: number;
  /** Bits of a sample in the file: fewer than `type` has for PNG of 1, 2 or 4 bits. */
  readonly bits: number;
}

/** The pictures of one file. */
export interface PictureFile {
  readonly pictures: readonly Picture[];
  readonly scale: PictureScale;
}

/** How large pixels are, as far as the file says. */
export interface PictureScale {
  readonly spatialUnit: VolumeInfo['spatialUnit'];
  /** Distances of pixels along x and y, and of pictures along z. */
  readonly spacing: readonly [number, number, number];
  /** How many of the pictures make one time point, where the file says that it is a series. */
  readonly picturesPerTime?: number | undefined;
}

export const unknownScale: PictureScale = { spatialUnit: 'unknown', spacing: [1, 1, 1] };

/** One picture is decoded in memory as a whole: so many bytes at most. */
export const maxPictureBytes = 2 ** 30;

/** Bytes of all samples of a picture. */
export function pictureBytes({ width, height, type, channels }: PictureShape): number {
  return width * height * channels * elementBytes(type);
}

/**
 * Holds what a header promises against what can be: before memory is taken for it.
 * @param fileBytes size of the file that the picture is in
 * @throws StriaError `corrupt` for sides of zero and for more pixels than the file can hold; `unsupported` for too large ones
 */
export function checkPictureShape(shape: PictureShape, fileBytes: number): void {
  const { width, height } = shape;
  if (!(Number.isSafeInteger(width) && Number.isSafeInteger(height) && width > 0 && height > 0)) {
    throw new StriaError('corrupt', `the header says that the picture is ${width} × ${height}`);
  }
  const bytes = pictureBytes(shape);
  // The best of the compressions, LZW, makes 2560 bytes of one; deflate 1032.
  if (bytes > fileBytes * 4096) {
    throw new StriaError('corrupt', `the header promises ${width} × ${height} pixels, more than ${fileBytes} bytes can hold`);
  }
  if (bytes > maxPictureBytes) {
    throw new StriaError(
      'unsupported',
      `a picture of ${width} × ${height} pixels takes ${bytes} bytes in memory; Stria reads pictures of up to ${maxPictureBytes}`,
    );
  }
}

/** Samples that stand pixel by pixel, as planes one after the other. */
export function toPlanes(interleaved: Uint8Array<ArrayBuffer>, channels: number, width: 1 | 2 | 4 | 8): Uint8Array<ArrayBuffer> {
  if (channels === 1) return interleaved;
  const planes = new Uint8Array(interleaved.byteLength);
  const planeBytes = interleaved.byteLength / channels;
  for (let from = 0, to = 0; to < planeBytes; to += width) {
    for (let channel = 0; channel < channels; channel++) {
      for (let byte = 0; byte < width; byte++) planes[channel * planeBytes + to + byte] = interleaved[from++] as number;
    }
  }
  return planes;
}

/** The opposite of `toPlanes`. */
export function toInterleaved(planes: readonly Uint8Array[], width: 1 | 2 | 4 | 8): Uint8Array {
  const [only, ...others] = planes;
  if (only !== undefined && others.length === 0) return only;
  const planeBytes = only?.byteLength ?? 0;
  const interleaved = new Uint8Array(planeBytes * planes.length);
  for (let from = 0, to = 0; from < planeBytes; from += width) {
    for (const plane of planes) {
      for (let byte = 0; byte < width; byte++) interleaved[to++] = plane[from + byte] as number;
    }
  }
  return interleaved;
}
