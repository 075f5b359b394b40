import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { elementBytes, swapBytes, typedVoxels } from '../../shared/volume.ts';
import { plainBytes } from '../byte-stream.ts';
import { pictureBytes } from './picture.ts';
import { blockDecoder } from './tiff-compression.ts';
import { readNumbers, type TiffDirectory, type TiffFile } from './tiff-directory.ts';
import type { TiffLayout } from './tiff-layout.ts';
import { tiffTags } from './tiff-tags.ts';

/** No compression makes its input this much longer; what is beyond is no part of a block. */
const longestBlock = (length: number) => 2 * length + 1024;

/**
 * Reads the pixels of one picture, block by block, as planes of little-endian samples (`Picture.read`).
 * @param shift bytes behind the places that the directory gives
 * @throws StriaError `corrupt`, `not-readable`, `aborted`
 */
export async function readPixels(
  file: TiffFile,
  directory: TiffDirectory,
  layout: TiffLayout,
  shift: number,
  options: JobOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { shape, isPlanar, isTiled, blockWidth, blockHeight } = layout;
  const { width, height, type, channels } = shape;
  const columns = Math.ceil(width / blockWidth);
  const rows = Math.ceil(height / blockHeight);
  const blockCount = columns * rows * (isPlanar ? channels : 1);
  const offsets = await blockNumbers(
    file,
    directory,
    isTiled ? tiffTags.tileOffsets : tiffTags.stripOffsets,
    blockCount,
    options,
  );
  const counts = await blockNumbers(
    file,
    directory,
    isTiled ? tiffTags.tileByteCounts : tiffTags.stripByteCounts,
    blockCount,
    options,
  );
  const sampleBytes = elementBytes(type);
  const inBlock = isPlanar ? 1 : channels;
  const decode = blockDecoder(layout.compression);
  const planes = new Uint8Array(pictureBytes(shape));
  for (let block = 0; block < blockCount; block++) {
    throwIfAborted(options.signal);
    const x = (block % columns) * blockWidth;
    const y = (Math.floor(block / columns) % rows) * blockHeight;
    // The last strip has fewer rows; tiles are whole.
    const blockRows = isTiled ? blockHeight : Math.min(blockHeight, height - y);
    const length = blockWidth * blockRows * inBlock * sampleBytes;
    const start = (offsets[block] as number) + shift;
    const stored = Math.min(counts[block] as number, longestBlock(length));
    if (start + stored > file.source.size) {
      throw new StriaError('corrupt', `the TIFF file ends early: pixels lie at byte ${start}, behind its end`);
    }
    const bytes = await plainBytes(file.source).read(start, stored, options);
    const samples = toSamples(await decode(bytes, length, options.signal), layout, inBlock, file.endian === 'big');
    const channel = isPlanar ? Math.floor(block / (columns * rows)) : 0;
    putBlock(samples, planes, layout, { x, y, rows: Math.min(blockRows, height - y), channel });
  }
  return planes;
}

async function blockNumbers(file: TiffFile, { tags }: TiffDirectory, tag: number, count: number, options: JobOptions) {
  const found = tags.get(tag);
  if (found === undefined || found.count < count) {
    throw new StriaError('corrupt', `the TIFF file tells where ${found?.count ?? 0} of ${count} blocks of pixels are`);
  }
  return readNumbers(file, found, options);
}

/** Undoes predictor and byte order, in place or anew. */
function toSamples(bytes: Uint8Array, { shape, predictor, blockWidth }: TiffLayout, inBlock: number, isBig: boolean): Uint8Array {
  const sampleBytes = elementBytes(shape.type);
  const rowSamples = blockWidth * inBlock;
  if (predictor === 3) return fromFloatPredictor(bytes, rowSamples, sampleBytes, inBlock);
  if (isBig) swapBytes(bytes, sampleBytes);
  if (predictor === 1) return bytes;
  const samples = typedVoxels(shape.type, bytes);
  for (let start = 0; start < samples.length; start += rowSamples) {
    for (let at = start + inBlock; at < start + rowSamples; at++) {
      samples[at] = (samples[at] as number) + (samples[at - inBlock] as number);
    }
  }
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** Adobe Photoshop TIFF Technical Note 3: rows of the bytes of all samples, the most significant first, less their left neighbours. */
function fromFloatPredictor(bytes: Uint8Array, rowSamples: number, sampleBytes: number, inBlock: number): Uint8Array {
  const samples = new Uint8Array(bytes.byteLength);
  const rowBytes = rowSamples * sampleBytes;
  for (let start = 0; start < bytes.byteLength; start += rowBytes) {
    const row = bytes.subarray(start, start + rowBytes);
    for (let at = inBlock; at < rowBytes; at++) row[at] = (row[at] as number) + (row[at - inBlock] as number);
    for (let sample = 0; sample < rowSamples; sample++) {
      for (let byte = 0; byte < sampleBytes; byte++) {
        samples[start + sample * sampleBytes + byte] = row[(sampleBytes - 1 - byte) * rowSamples + sample] as number;
      }
    }
  }
  return samples;
}

interface BlockPlace {
  readonly x: number;
  readonly y: number;
  /** Rows of the block that lie in the picture. */
  readonly rows: number;
  /** The first of its samples. */
  readonly channel: number;
}

/** Copies what of a block lies in the picture to its place in the planes. */
function putBlock(samples: Uint8Array, planes: Uint8Array, { shape, isPlanar, blockWidth }: TiffLayout, place: BlockPlace): void {
  const { width, height, type, channels } = shape;
  const sampleBytes = elementBytes(type);
  const inBlock = isPlanar ? 1 : channels;
  const columns = Math.min(blockWidth, width - place.x);
  for (let row = 0; row < place.rows; row++) {
    const from = row * blockWidth * inBlock * sampleBytes;
    for (let sample = 0; sample < inBlock; sample++) {
      let to = (((place.channel + sample) * height + place.y + row) * width + place.x) * sampleBytes;
      if (inBlock === 1) {
        planes.set(samples.subarray(from, from + columns * sampleBytes), to);
        continue;
      }
      for (let column = 0; column < columns; column++) {
        const at = from + (column * inBlock + sample) * sampleBytes;
        for (let byte = 0; byte < sampleBytes; byte++) planes[to++] = samples[at + byte] as number;
      }
    }
  }
}
