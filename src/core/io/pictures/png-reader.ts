import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { elementBytes } from '../../shared/volume.ts';
import { joinBytes, plainBytes } from '../common/byte-stream.ts';
import { inflate } from '../common/inflate.ts';
import {
  checkMemory,
  checkPictureShape,
  maxExtraBytes,
  type Picture,
  type PictureFile,
  type PictureScale,
  type PictureShape,
  type RowStrip,
  type StripOptions,
  stripRows,
  unknownScale,
} from '../common/picture.ts';
import { PieceReader } from '../common/piece-reader.ts';
import { isMetadata, type PngChunk, type PngHeader, parsePngHeader, pngHeaderBytes, pngSignature } from './png-chunks.ts';
import { type PngPalette, passesOf, scanlineBytes, scanlineDecoder } from './png-scanlines.ts';
import { readPngParts, wasChanged } from './png-stream.ts';

/** Some programs write zlib streams with a few surplus bytes; this does not count as damage. */
const surplusBytes = 65_536;

/** A PNG whose chunks before the pixels have been read. */
interface OpenPng {
  readonly source: ByteSource;
  /** The signature and IHDR, which reveal a replaced file. */
  readonly head: Uint8Array;
  readonly header: PngHeader;
  readonly shape: PictureShape;
  readonly palette: PngPalette | undefined;
}

/**
 * Opens a PNG: gray, gray with alpha, RGB and RGBA of 8 or 16 bits, gray of 1, 2 or 4 bits (stored in 8), and palettes, which
 * are expanded to RGB (RGBA if the palette has transparency).
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function openPng(source: ByteSource, options: JobOptions): Promise<PictureFile> {
  const head = await plainBytes(source).read(0, pngHeaderBytes, options);
  const header = parsePngHeader(head);
  const chunks = await readStart(source, options.signal);
  const shape = shapeOf(header, chunks);
  checkPictureShape(shape, source.size);
  const png: OpenPng = { source, head, header, shape, palette: paletteOf(chunks) };
  const picture: Picture = { shape, name: '', strips: (channels, job = {}) => readStrips(png, channels, job) };
  return { pictures: [picture], scale: scaleOf(chunks) };
}

/** The relevant chunks before the pixels: the first of each type. */
type StartChunks = ReadonlyMap<string, PngChunk>;
const startTypes = ['PLTE', 'tRNS', 'acTL', 'pHYs'];

async function readStart(source: ByteSource, signal: AbortSignal | undefined): Promise<StartChunks> {
  const chunks = new Map<string, PngChunk>();
  for await (const part of readPngParts(source, signal)) {
    if (part.data) break;
    if (part.chunk && startTypes.includes(part.type) && !chunks.has(part.type)) chunks.set(part.type, part.chunk);
  }
  return chunks;
}

function shapeOf({ width, height, bitDepth, colourType }: PngHeader, chunks: StartChunks): PictureShape {
  if (chunks.has('acTL')) {
    throw new StriaError('unsupported', 'this PNG is an animation; save each frame as a file');
  }
  const channels = { 0: 1, 2: 3, 3: chunks.has('tRNS') ? 4 : 3, 4: 2, 6: 4 }[colourType];
  const bits = colourType === 3 ? 8 : bitDepth;
  return { width, height, type: bits === 16 ? 'u16' : 'u8', channels, bits };
}

function paletteOf(chunks: StartChunks): PngPalette | undefined {
  const colours = chunks.get('PLTE')?.data;
  if (colours === undefined) return undefined;
  const alphas = chunks.get('tRNS')?.data ?? new Uint8Array();
  if (colours.byteLength % 3 !== 0 || colours.byteLength > 768) {
    throw new StriaError(
      'corrupt',
      `the PNG file has a palette of ${colours.byteLength} bytes; it must have 3 for each of at most 256 colours`,
    );
  }
  return { colours, alphas };
}

/** pHYs in metres, converted to millimetres. */
function scaleOf(chunks: StartChunks): PictureScale {
  const data = chunks.get('pHYs')?.data;
  if (data?.byteLength !== 9 || data[8] !== 1) return unknownScale;
  const view = new DataView(data.buffer, data.byteOffset);
  const [x, y] = [view.getUint32(0), view.getUint32(4)];
  if (x === 0 || y === 0) return unknownScale;
  return { spatialUnit: 'mm', spacing: [1000 / x, 1000 / y, 1000 / x] };
}

/** Each call reads the zlib stream again, and decodes only the samples in `channels`. */
async function* readStrips(png: OpenPng, channels: readonly number[], options: StripOptions): AsyncGenerator<RowStrip> {
  const { header } = png;
  checkPngMemory(png, channels.length, options.limitBytes);
  const metadata = new Metadata(header);
  const scanlines = new PieceReader(inflate(pixelData(png, metadata, options.signal), options.signal));
  try {
    yield* header.isInterlaced ? interlaced(png, channels, scanlines) : inOrder(png, channels, scanlines);
    // Read to the end, where the checksums are.
    if ((await scanlines.drain(surplusBytes)) > surplusBytes) {
      throw new StriaError('corrupt', 'the PNG file holds more pixels than its header says');
    }
  } finally {
    await scanlines.close();
  }
  options.onExtra?.(metadata.bytes());
}

function checkPngMemory({ header, shape }: OpenPng, channelCount: number, limitBytes: number | undefined): void {
  const { width, height } = shape;
  const rowBytes = width * elementBytes(shape.type);
  const rows = header.isInterlaced ? height : stripRows(shape);
  const needed = scanlineBytes(header, width) + channelCount * rowBytes * (rows + 2);
  if (header.isInterlaced)
    checkMemory(needed, limitBytes, `an interlaced picture of ${width} × ${height}`, 'save it without interlacing');
  else checkMemory(needed, limitBytes, `a row of ${width} pixels`, 'crop the picture');
}

/** The zlib stream from all IDAT chunks. Metadata is collected on the way. */
async function* pixelData(
  { source, head }: OpenPng,
  metadata: Metadata,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const part of readPngParts(source, signal)) {
    if (part.data) yield part.data;
    else if (part.type !== 'IHDR') metadata.add(part);
    else if (!part.chunk?.whole.every((byte, at) => byte === head[pngSignature.byteLength + at])) throw wasChanged();
  }
}

async function* inOrder(
  { header, shape, palette }: OpenPng,
  channels: readonly number[],
  scanlines: PieceReader,
): AsyncGenerator<RowStrip> {
  const { width, height } = shape;
  const decoders = channels.map((channel) => scanlineDecoder(header, width, palette, channel));
  const scanline = new Uint8Array(scanlineBytes(header, width));
  const rowBytes = width * elementBytes(shape.type);
  for (let y = 0; y < height; ) {
    const rows = Math.min(stripRows(shape), height - y);
    const strip = channels.map(() => new Uint8Array(rows * rowBytes));
    for (let row = 0; row < rows; row++) {
      await readScanline(scanlines, scanline);
      for (const [index, decoder] of decoders.entries()) strip[index]?.set(decoder.decode(scanline), row * rowBytes);
    }
    yield strip;
    y += rows;
  }
}

/** Decodes the whole picture at once, because its first pass has pixels in all rows. */
async function* interlaced(
  { header, shape, palette }: OpenPng,
  channels: readonly number[],
  scanlines: PieceReader,
): AsyncGenerator<RowStrip> {
  const { width, height } = shape;
  const sampleBytes = shape.type === 'u16' ? 2 : 1;
  const planes = channels.map(() => new Uint8Array(width * height * sampleBytes));
  for (const pass of passesOf(header)) {
    const { columns, rows, left, top, stepX, stepY } = pass;
    const decoders = channels.map((channel) => scanlineDecoder(header, columns, palette, channel));
    const scanline = new Uint8Array(scanlineBytes(header, columns));
    for (let row = 0; row < rows; row++) {
      await readScanline(scanlines, scanline);
      const start = ((top + row * stepY) * width + left) * sampleBytes;
      for (const [index, decoder] of decoders.entries()) {
        const [samples, plane] = [decoder.decode(scanline), planes[index] as Uint8Array];
        for (let from = 0, to = start; from < samples.length; from += sampleBytes, to += stepX * sampleBytes) {
          plane[to] = samples[from] as number;
          if (sampleBytes === 2) plane[to + 1] = samples[from + 1] as number;
        }
      }
    }
  }
  yield planes;
}

async function readScanline(scanlines: PieceReader, scanline: Uint8Array): Promise<void> {
  if ((await scanlines.fill(scanline)) < scanline.byteLength) {
    throw new StriaError('corrupt', 'the PNG file holds fewer pixels than its header says');
  }
}

/** The chunks to keep: all metadata that is not too large. */
class Metadata {
  readonly #header: PngHeader;
  readonly #kept: Uint8Array[] = [];
  #length = 0;

  constructor(header: PngHeader) {
    this.#header = header;
  }

  add({ type, chunk }: { type: string; chunk: PngChunk | undefined }): void {
    // These concern the palette, which has been expanded.
    const isOfPalette = type === 'hIST' || (this.#header.colourType === 3 && ['tRNS', 'bKGD', 'sBIT'].includes(type));
    if (!chunk || !isMetadata(type) || isOfPalette || this.#length + chunk.whole.byteLength > maxExtraBytes) return;
    this.#length += chunk.whole.byteLength;
    this.#kept.push(chunk.whole);
  }

  bytes(): Uint8Array {
    return joinBytes(this.#kept);
  }
}
