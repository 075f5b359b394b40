import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { elementBytes, swapBytes, typedVoxels } from '../../shared/volume.ts';
import { plainBytes } from '../common/byte-stream.ts';
import { checkMemory, type PictureShape, type RowStrip, type StripOptions, stripRows } from '../common/picture.ts';
import { PieceReader } from '../common/piece-reader.ts';
import { packedBytes, unpackedRow, wideBits } from './packed-samples.ts';
import { compressionOf } from './tiff-compression.ts';
import { readNumbers, type TiffDirectory, type TiffFile } from './tiff-directory.ts';
import type { TiffLayout } from './tiff-layout.ts';
import { tiffTags } from './tiff-tags.ts';

/** An upper bound of a block's compressed length; further bytes do not belong to the block. */
const longestBlock = (length: number, compression: number) => (compression === 1 ? length : 2 * length + 1024);

/** The blocks of a picture in its file. */
export interface Blocks {
  readonly file: TiffFile;
  readonly layout: TiffLayout;
  readonly offsets: readonly number[];
  readonly byteCounts: readonly number[];
  /** Bytes to add to the directory's offsets. */
  readonly shift: number;
}

/**
 * Reads the pixels of one picture (`Picture.strips`): strips by rows, tiles by rows of tiles.
 * @param shift bytes to add to the directory's offsets
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function* readPixels(
  file: TiffFile,
  directory: TiffDirectory,
  layout: TiffLayout,
  shift: number,
  channels: readonly number[],
  { signal, limitBytes }: StripOptions,
): AsyncGenerator<RowStrip> {
  const { shape, isPlanar, blockWidth, blockHeight } = layout;
  const blocksAcross = Math.ceil(shape.width / blockWidth);
  const rowsAtOnce = blocksAcross > 1 ? Math.min(blockHeight, shape.height) : stripRows(shape);
  const blocks = await openBlocks(file, directory, layout, shift, { rows: rowsAtOnce * channels.length, signal, limitBytes });
  const readers = isPlanar ? channels.map((channel) => [channel]) : [channels];
  const rows = readers.map((wanted) => (blocksAcross > 1 ? tileRows(blocks, wanted, signal) : stripsOf(blocks, wanted, signal)));
  try {
    for (;;) {
      const parts: RowStrip[] = [];
      for (const reader of rows) {
        const part = await reader.next();
        if (part.done) return;
        parts.push(part.value);
      }
      yield parts.flat();
    }
  } finally {
    for (const reader of rows) await reader.return(undefined);
  }
}

/**
 * Finds the blocks of a picture in its file.
 * @param shift bytes to add to the directory's offsets
 * @param options `rows`: number of rows in memory, of all channels together
 * @throws StriaError as `readPixels`
 */
export async function openBlocks(
  file: TiffFile,
  directory: TiffDirectory,
  layout: TiffLayout,
  shift: number,
  { rows, signal, limitBytes }: StripOptions & { readonly rows: number },
): Promise<Blocks> {
  const { shape, isPlanar, isTiled, blockWidth, blockHeight } = layout;
  const picture = Math.ceil(shape.width / blockWidth) * Math.ceil(shape.height / blockHeight);
  const blockCount = picture * (isPlanar ? shape.channels : 1);
  checkTiffMemory(layout, blockCount, rows, limitBytes);
  const numbers = (tag: number) => blockNumbers(file, directory, tag, blockCount, { signal });
  return {
    file,
    layout,
    offsets: await numbers(isTiled ? tiffTags.tileOffsets : tiffTags.stripOffsets),
    byteCounts: await numbers(isTiled ? tiffTags.tileByteCounts : tiffTags.stripByteCounts),
    shift,
  };
}

/** @param rows number of rows in memory, of all channels together */
function checkTiffMemory(
  { shape, compression, blockWidth, blockHeight, isPlanar, isTiled }: TiffLayout,
  blockCount: number,
  rows: number,
  limitBytes?: number,
): void {
  const sampleBytes = elementBytes(shape.type);
  const blockRow = blockWidth * (isPlanar ? 1 : shape.channels) * sampleBytes;
  // The lists of blocks are 8-byte numbers, held twice while they are read.
  const { isWhole } = compressionOf(compression);
  // Whole blocks: compressed, in the decoder, and decoded.
  const blockRows = isWhole ? 3 * blockHeight : 4;
  const needed = rows * shape.width * sampleBytes + blockRows * blockRow + 32 * blockCount;
  const unit = isWhole ? `a block of ${blockWidth} × ${blockHeight} pixels` : `a row of ${shape.width} pixels`;
  const what = isTiled && !isWhole ? `a row of tiles that are ${blockWidth} pixels wide` : unit;
  checkMemory(needed, limitBytes, what, 'save it with strips or smaller tiles');
}

async function blockNumbers(file: TiffFile, { tags }: TiffDirectory, tag: number, count: number, options: JobOptions) {
  const found = tags.get(tag);
  if (found === undefined || found.count < count) {
    throw new StriaError('corrupt', `the TIFF file gives the offsets of ${found?.count ?? 0} of its ${count} blocks of pixels`);
  }
  return readNumbers(file, found.inline ? found : { ...found, count }, options);
}

/** A picture of blocks as wide as itself: each is read row by row. */
async function* stripsOf(blocks: Blocks, channels: readonly number[], signal: AbortSignal | undefined): AsyncGenerator<RowStrip> {
  const { shape, blockHeight } = blocks.layout;
  const { width, height } = shape;
  const rowBytes = width * elementBytes(shape.type);
  let block: AsyncGenerator<Uint8Array> | undefined;
  try {
    for (let y = 0; y < height; ) {
      const rows = Math.min(stripRows(shape), height - y);
      const strip = channels.map(() => new Uint8Array(rows * rowBytes));
      for (let row = 0; row < rows; row++, y++) {
        if (y % blockHeight === 0) {
          await block?.return(undefined);
          block = blockRows(blocks, 0, y / blockHeight, channels[0] ?? 0, signal);
        }
        putRow((await block?.next())?.value, strip, channels, blocks.layout, row * width, width);
      }
      yield strip;
    }
  } finally {
    await block?.return(undefined);
  }
}

/** A picture of adjacent blocks: one row of them at a time. */
async function* tileRows(blocks: Blocks, channels: readonly number[], signal: AbortSignal | undefined): AsyncGenerator<RowStrip> {
  const { shape, blockWidth, blockHeight } = blocks.layout;
  const { width, height } = shape;
  for (let y = 0; y < height; y += blockHeight) {
    const rows = Math.min(blockHeight, height - y);
    const strip = channels.map(() => new Uint8Array(rows * width * elementBytes(shape.type)));
    for (let x = 0; x < width; x += blockWidth) {
      let row = 0;
      for await (const samples of blockRows(blocks, x / blockWidth, y / blockHeight, channels[0] ?? 0, signal)) {
        putRow(samples, strip, channels, blocks.layout, row * width + x, Math.min(blockWidth, width - x));
        row++;
      }
    }
    yield strip;
  }
}

/**
 * The rows of a block that lie within the picture, each valid until the next is requested.
 * @param column,row of the block
 * @param channel of the block, if channels have separate blocks
 * @param wanted rows of the block, `end` excluded. Default: all
 */
export async function* blockRows(
  { file, layout, offsets, byteCounts, shift }: Blocks,
  column: number,
  row: number,
  channel: number,
  signal: AbortSignal | undefined,
  wanted: { readonly first: number; readonly end: number } = { first: 0, end: Number.POSITIVE_INFINITY },
): AsyncGenerator<Uint8Array> {
  throwIfAborted(signal);
  const { shape, isPlanar, isTiled, blockWidth, blockHeight, isYbr, tables } = layout;
  const across = Math.ceil(shape.width / blockWidth);
  const down = Math.ceil(shape.height / blockHeight);
  const block = ((isPlanar ? channel : 0) * down + row) * across + column;
  const rowsInPicture = Math.min(blockHeight, shape.height - row * blockHeight);
  const rows = Math.min(rowsInPicture, wanted.end);
  const samplesOfPixel = isPlanar ? 1 : shape.channels;
  const lineSamples = blockWidth * samplesOfPixel;
  const line = new Uint8Array(packedBytes(shape, lineSamples));
  /** What follows the picture's pixels in a tile may be anything. */
  const paddingAt = packedBytes(shape, Math.min(blockWidth, shape.width - column * blockWidth) * samplesOfPixel);
  // A missing block is blank: GDAL and slide scanners omit empty blocks.
  if (offsets[block] === 0 && byteCounts[block] === 0) {
    const blank = new Uint8Array(lineSamples * elementBytes(shape.type));
    for (let at = wanted.first; at < rows; at++) yield blank;
    return;
  }
  const decoded = new Uint8Array(line.byteLength);
  const start = (offsets[block] as number) + shift;
  // The last strip has fewer rows; tiles are complete.
  const stored = Math.min(
    byteCounts[block] as number,
    longestBlock(line.byteLength * (isTiled ? blockHeight : rowsInPicture), layout.compression),
  );
  if (start + stored > file.source.size) {
    throw new StriaError('corrupt', `the TIFF file ends early: it puts pixels at byte ${start}, past its end`);
  }
  const { decode, isLittle } = compressionOf(layout.compression);
  const facts = {
    width: blockWidth,
    rows,
    height: blockHeight,
    samples: samplesOfPixel,
    sampleBytes: sampleBytesOf(shape),
    isYbr,
    tables,
  };
  // Uncompressed rows are located directly, without reading the rows before them.
  const skipped = layout.compression === 1 ? Math.min(stored, wanted.first * line.byteLength) : 0;
  const samples = new PieceReader(decode(blockBytes(file, start + skipped, stored - skipped, signal), facts, signal));
  try {
    for (let at = skipped > 0 ? wanted.first : 0; at < rows; at++) {
      const length = await samples.fill(line);
      if (length < line.byteLength) {
        throw new StriaError('corrupt', `the TIFF file's pixels end early: a block holds ${at} of ${rows} rows`);
      }
      if (at < wanted.first) continue;
      const stored = toSamples(line, decoded, layout, file.endian === 'big' && !isLittle);
      const y = row * blockHeight + at;
      yield unpackedRow(stored.fill(0, paddingAt), shape, lineSamples, (sample) => {
        return `pixel (${column * blockWidth + Math.floor(sample / samplesOfPixel)}, ${y})`;
      });
    }
  } finally {
    await samples.close();
  }
}

/** The size of reads within a block. */
const inputBytes = 2 ** 20;

async function* blockBytes(
  { source }: TiffFile,
  start: number,
  length: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += inputBytes) {
    yield await plainBytes(source).read(start + at, Math.min(inputBytes, length - at), { signal });
  }
}

/** Bytes of a sample in the file; 1 for several samples of fewer than 8 bits. */
function sampleBytesOf({ bits }: Pick<PictureShape, 'bits'>): 1 | 2 | 4 | 8 {
  return Math.max(1, bits / 8) as 1 | 2 | 4 | 8;
}

/** Undoes the predictor and byte order of a row, in place or into `decoded`, which has the same length. */
function toSamples(
  line: Uint8Array<ArrayBuffer>,
  decoded: Uint8Array<ArrayBuffer>,
  { shape, predictor, isPlanar }: TiffLayout,
  isBig: boolean,
): Uint8Array<ArrayBuffer> {
  const sampleBytes = sampleBytesOf(shape);
  const distance = isPlanar ? 1 : shape.channels;
  if (predictor === 3) return fromFloatPredictor(line, decoded, sampleBytes, distance);
  if (isBig) swapBytes(line, sampleBytes);
  if (predictor === 1) return line;
  if (shape.bits === wideBits) {
    const wide = new BigUint64Array(line.buffer);
    for (let at = distance; at < wide.length; at++) wide[at] = (wide[at] as bigint) + (wide[at - distance] as bigint);
    return line;
  }
  const samples = typedVoxels(shape.type, line);
  for (let at = distance; at < samples.length; at++) samples[at] = (samples[at] as number) + (samples[at - distance] as number);
  return line;
}

/** Adobe Photoshop TIFF Technical Note 3: the bytes of all samples, most significant first, minus their left neighbours. */
function fromFloatPredictor(
  line: Uint8Array<ArrayBuffer>,
  decoded: Uint8Array<ArrayBuffer>,
  sampleBytes: number,
  distance: number,
): Uint8Array<ArrayBuffer> {
  for (let at = distance; at < line.length; at++) line[at] = (line[at] as number) + (line[at - distance] as number);
  const count = line.length / sampleBytes;
  for (let sample = 0; sample < count; sample++) {
    for (let byte = 0; byte < sampleBytes; byte++) {
      decoded[sample * sampleBytes + byte] = line[(sampleBytes - 1 - byte) * count + sample] as number;
    }
  }
  return decoded;
}

/**
 * Copies the requested samples of some pixels of a row to their places in a strip.
 * @param at index in the strip of the first pixel
 * @param first the row's first pixel to copy
 */
export function putRow(
  row: Uint8Array,
  strip: RowStrip,
  channels: readonly number[],
  { shape, isPlanar }: TiffLayout,
  at: number,
  columns: number,
  first = 0,
): void {
  const sampleBytes = elementBytes(shape.type);
  const inPixel = isPlanar ? 1 : shape.channels;
  for (const [index, channel] of channels.entries()) {
    const target = strip[index] as Uint8Array;
    let to = at * sampleBytes;
    if (inPixel === 1) {
      target.set(row.subarray(first * sampleBytes, (first + columns) * sampleBytes), to);
      continue;
    }
    for (let column = 0; column < columns; column++) {
      const from = ((first + column) * inPixel + channel) * sampleBytes;
      for (let byte = 0; byte < sampleBytes; byte++) target[to++] = row[from + byte] as number;
    }
  }
}
