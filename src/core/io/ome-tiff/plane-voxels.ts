import { inContext, StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { elementBytes, volumeBytes } from '../../shared/volume.ts';
import { type PieceOptions, pieceBytes } from '../common/byte-stream.ts';
import { type PictureShape, pictureBytes } from '../common/picture.ts';
import type { TiffDirectory, TiffFile } from '../tiff/tiff-directory.ts';
import { readLayout, type TiffLayout } from '../tiff/tiff-layout.ts';
import { readPixels } from '../tiff/tiff-pixels.ts';
import type { DirectoryPlace, TiffSeries } from './series.ts';

/** In a larger series, a plane with several samples per pixel is decoded once for each sample, not once for all. */
const heldBytes = 2 ** 28;

/**
 * The voxels of a series at a level, in order: channels slowest, then time points, planes, rows. Planes are read by rows of blocks.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function* planeVoxels(
  series: TiffSeries,
  level: number,
  options: PieceOptions & { readonly limitBytes?: number | undefined },
): AsyncGenerator<Uint8Array> {
  const shape = series.levels[level] as PictureShape;
  const total = volumeBytes(series.describe(shape));
  let given = 0;
  for await (const bytes of allPlanes(series, level, options)) {
    for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
      throwIfAborted(options.signal);
      const piece = bytes.byteLength <= pieceBytes ? bytes : bytes.slice(at, at + pieceBytes);
      given += piece.byteLength;
      yield piece;
      options.onProgress?.({ stage: 'Reading', done: given, total });
    }
  }
}

type ReadOptions = JobOptions & { readonly limitBytes?: number | undefined };

async function* allPlanes(series: TiffSeries, level: number, options: ReadOptions): AsyncGenerator<Uint8Array> {
  const { sizes, levels } = series;
  const shape = levels[level] as PictureShape;
  const planes = sizes.T * sizes.Z;
  const samples = Array.from({ length: shape.channels }, (_, sample) => sample);
  const planeBytes = pictureBytes(shape) / shape.channels;
  for (let channel = 0; channel < sizes.C; channel++) {
    const isHeld = shape.channels > 1 && planes * pictureBytes(shape) <= heldBytes;
    if (!isHeld) {
      for (const sample of samples) {
        for (let plane = 0; plane < planes; plane++) {
          for await (const [rows] of planeStrips(series, level, channel, plane, [sample], options)) yield rows as Uint8Array;
        }
      }
      continue;
    }
    const held = samples.map(() => new Uint8Array(planes * planeBytes));
    let filled = 0;
    for (let plane = 0; plane < planes; plane++) {
      for await (const strip of planeStrips(series, level, channel, plane, samples, options)) {
        for (const [sample, rows] of strip.entries()) held[sample]?.set(rows, filled);
        filled += strip[0]?.byteLength ?? 0;
      }
    }
    yield* held;
  }
}

/** @param plane counts z, then time points */
async function* planeStrips(
  series: TiffSeries,
  level: number,
  channel: number,
  plane: number,
  samples: readonly number[],
  options: ReadOptions,
) {
  const { sizes, levels } = series;
  const shape = levels[level] as PictureShape;
  const at = { Z: plane % sizes.Z, C: channel, T: Math.floor(plane / sizes.Z) };
  throwIfAborted(options.signal);
  try {
    const place = await series.place(at, options);
    if (place === undefined) yield* blank(shape, samples.length);
    else yield* stripsAt(place, level, shape, samples, options);
  } catch (error) {
    throw inContext(`plane z ${at.Z}, channel ${at.C}, time ${at.T}`, error);
  }
}

async function* stripsAt(
  { chain, directory, shift }: DirectoryPlace,
  level: number,
  shape: PictureShape,
  samples: readonly number[],
  options: ReadOptions,
) {
  const found = await chain.level(directory, level, options);
  const layout = await layoutLike(shape, chain.file, found, options);
  yield* readPixels(chain.file, found, layout, shift, samples, options);
}

/** The layout of a plane. @throws StriaError `corrupt` if its pixels are not like those of the first plane */
export async function layoutLike(
  shape: PictureShape,
  file: TiffFile,
  directory: TiffDirectory,
  job: JobOptions,
): Promise<TiffLayout> {
  const layout = await readLayout(file, directory, job);
  const isLike = (['width', 'height', 'type', 'channels'] as const).every((key) => layout.shape[key] === shape[key]);
  if (isLike) return layout;
  const words = ({ width, height, type, channels }: PictureShape) => `${width} × ${height}, ${type}, ${channels} samples a pixel`;
  throw new StriaError('corrupt', `it is ${words(layout.shape)}, but the first plane is ${words(shape)}`);
}

/** A missing plane. */
function* blank({ width, height, type }: PictureShape, samples: number): Generator<Uint8Array[]> {
  const rowBytes = width * elementBytes(type);
  const rows = Math.max(1, Math.floor(pieceBytes / rowBytes));
  for (let y = 0; y < height; y += rows) {
    const length = Math.min(rows, height - y) * rowBytes;
    yield Array.from({ length: samples }, () => new Uint8Array(length));
  }
}
