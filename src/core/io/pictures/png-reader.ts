import { convertIndexedToRgb, type DecodedPng, decode } from 'fast-png';
import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { joinBytes, plainBytes } from '../byte-stream.ts';
import { inflate } from './inflate.ts';
import {
  checkPictureShape,
  maxPictureBytes,
  type Picture,
  type PictureFile,
  type PictureScale,
  type PictureShape,
  pictureBytes,
  toPlanes,
  unknownScale,
} from './picture.ts';
import { maxExtraBytes } from './picture-table.ts';
import { isPng, type PngChunk, type PngHeader, parsePngHeader, pngChunks, pngSignature } from './png-chunks.ts';

/** Mostly all that stands in front of the pixels, the resolution among it. */
const headBytes = 65_536;

/** Zlib streams with a little too much in them are in use; a picture is not damaged by it. */
const surplusBytes = 65_536;

/** Chunks that tell of the pixels' storage, which is written anew. What a palette has said is in the pixels then. */
const storageChunks = ['IHDR', 'PLTE', 'IDAT', 'IEND'];

/**
 * Opens a PNG: gray, gray with alpha, RGB and RGBA of 8 or 16 bits, gray of 1, 2 or 4 bits (stored in 8), and palettes, which
 * are spelled out as RGB (RGBA where the palette has transparency).
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function openPng(source: ByteSource, options: JobOptions): Promise<PictureFile> {
  if (source.size > maxPictureBytes) throw new StriaError('unsupported', `the PNG file is larger than ${maxPictureBytes} bytes`);
  const head = await plainBytes(source).read(0, headBytes, options);
  const header = parsePngHeader(head);
  const chunks = startChunks(head) ?? startChunks(await plainBytes(source).read(0, source.size, options)) ?? [];
  const shape = shapeOf(header, chunks);
  checkPictureShape(shape, source.size);
  if (header.isInterlaced && header.bitDepth < 8) {
    throw new StriaError('unsupported', 'interlaced PNG of fewer than 8 bits is not read: save the picture without interlacing');
  }
  const picture: Picture = { shape, name: '', read: (job) => readPng(source, header, shape, job) };
  return { pictures: [picture], scale: scaleOf(chunks) };
}

/** The chunks in front of the pixels; undefined where the pixels begin behind the head. */
function startChunks(head: Uint8Array): PngChunk[] | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  let end = pngSignature.byteLength;
  while (end + 8 <= head.byteLength && !hasType(head, end, 'IDAT')) end += 12 + view.getUint32(end);
  return end + 8 <= head.byteLength ? [...pngChunks(head.subarray(0, end))] : undefined;
}

function hasType(bytes: Uint8Array, at: number, type: string): boolean {
  return String.fromCharCode(...bytes.subarray(at + 4, at + 8)) === type;
}

function shapeOf({ width, height, bitDepth, colourType }: PngHeader, chunks: readonly PngChunk[]): PictureShape {
  if (chunks.some(({ type }) => type === 'acTL')) {
    throw new StriaError('unsupported', 'this PNG is an animation: save its frames as a file each');
  }
  const hasAlpha = chunks.some(({ type }) => type === 'tRNS');
  const channels = { 0: 1, 2: 3, 3: hasAlpha ? 4 : 3, 4: 2, 6: 4 }[colourType];
  const bits = colourType === 3 ? 8 : bitDepth;
  return { width, height, type: bits === 16 ? 'u16' : 'u8', channels, bits };
}

/** pHYs with the unit metre, as millimetres. */
function scaleOf(chunks: readonly PngChunk[]): PictureScale {
  const data = chunks.find(({ type }) => type === 'pHYs')?.data;
  if (data?.byteLength !== 9 || data[8] !== 1) return unknownScale;
  const view = new DataView(data.buffer, data.byteOffset);
  const [x, y] = [view.getUint32(0), view.getUint32(4)];
  if (x === 0 || y === 0) return unknownScale;
  return { spatialUnit: 'mm', spacing: [1000 / x, 1000 / y, 1000 / x] };
}

async function readPng(source: ByteSource, header: PngHeader, shape: PictureShape, options: JobOptions) {
  const bytes = await plainBytes(source).read(0, source.size, options);
  if (!isPng(bytes)) throw new StriaError('not-readable', 'the file was changed while it was read');
  const chunks = [...pngChunks(bytes)];
  if (chunks.at(-1)?.type !== 'IEND') throw new StriaError('corrupt', 'the PNG file ends early: its last chunk is missing');
  await checkPixelData(chunks, rawBytes(header), options);
  // Only these go to the decoder: it would inflate what others, a colour profile say, hold, without any limit.
  const needed = header.colourType === 3 ? [...storageChunks, 'tRNS'] : storageChunks;
  const plain = joinBytes([pngSignature, ...chunks.filter(({ type }) => needed.includes(type)).map(({ whole }) => whole)]);
  const samples = decodePixels(plain, header);
  const wanted = pictureBytes(shape);
  if (samples.byteLength !== wanted) {
    throw new StriaError('corrupt', `the PNG file holds ${samples.byteLength} bytes of samples, not ${wanted}`);
  }
  return { planes: toPlanes(samples, shape.channels, shape.type === 'u16' ? 2 : 1), extra: metadataOf(chunks, header) };
}

function decodePixels(plain: Uint8Array, header: PngHeader): Uint8Array<ArrayBuffer> {
  try {
    const decoded = decode(plain);
    if (header.colourType === 3) return spelledOut(decoded);
    return header.bitDepth < 8 ? unpacked(decoded, header) : bytesOf(decoded.data);
  } catch (cause) {
    if (cause instanceof StriaError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StriaError('corrupt', `the PNG file is damaged: ${reason}`, { cause });
  }
}

function spelledOut(decoded: DecodedPng): Uint8Array<ArrayBuffer> {
  const { palette, width, height, depth } = decoded;
  if (palette === undefined) throw new StriaError('corrupt', 'the PNG file has no palette, but needs one');
  const indices = unpacked(decoded, { width, height, bitDepth: depth });
  const highest = indices.reduce((most, index) => Math.max(most, index), 0);
  if (highest >= palette.length) {
    throw new StriaError('corrupt', `the PNG file uses colour ${highest} of a palette of ${palette.length}`);
  }
  return bytesOf(convertIndexedToRgb({ ...decoded, data: indices, depth: 8 }));
}

/** Samples of 1, 2, 4 or 8 bits as a byte each. Rows start on whole bytes, the first sample in the high bits. */
function unpacked(decoded: DecodedPng, { width, height, bitDepth }: Pick<PngHeader, 'width' | 'height' | 'bitDepth'>) {
  const packed = bytesOf(decoded.data);
  if (bitDepth === 8) return packed;
  const samples = new Uint8Array(width * height);
  const rowBytes = Math.ceil((width * bitDepth) / 8);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const byte = packed[y * rowBytes + ((x * bitDepth) >> 3)] as number;
      samples[to++] = (byte >> (8 - bitDepth - ((x * bitDepth) & 7))) & ((1 << bitDepth) - 1);
    }
  }
  return samples;
}

function bytesOf(data: DecodedPng['data']): Uint8Array<ArrayBuffer> {
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
}

/** Bytes that the zlib stream has to hold: a filter's byte and the samples for each row, of each pass if interlaced. */
function rawBytes({ width, height, bitDepth, colourType, isInterlaced }: PngHeader): number {
  const pixelBits = bitDepth * { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colourType];
  const passBytes = (columns: number, rows: number) => (columns === 0 ? 0 : rows * (1 + Math.ceil((columns * pixelBits) / 8)));
  if (!isInterlaced) return passBytes(width, height);
  // Adam7: origin and step of each pass along x and y. PNG specification, 8.1.
  const passes = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2],
  ] as const;
  const along = (length: number, origin: number, step: number) => Math.max(0, Math.ceil((length - origin) / step));
  return passes.reduce((sum, [x, stepX, y, stepY]) => sum + passBytes(along(width, x, stepX), along(height, y, stepY)), 0);
}

/**
 * Inflates the pixels once to count them. The decoder neither stops at what the header promises, so that a small file could
 * fill the memory, nor notices when less comes, nor checks the stream's checksum.
 */
async function checkPixelData(chunks: readonly PngChunk[], expected: number, { signal }: JobOptions): Promise<void> {
  const compressed = joinBytes(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  let length = 0;
  for await (const piece of inflate(compressed, signal)) {
    length += piece.byteLength;
    if (length > expected + surplusBytes) throw new StriaError('corrupt', 'the PNG file holds more pixels than its header says');
  }
  if (length < expected) throw new StriaError('corrupt', `the PNG file holds ${length} bytes of pixels, not ${expected}`);
}

/** The chunks that are kept, whole: all metadata that are not too large. */
function metadataOf(chunks: readonly PngChunk[], { colourType }: PngHeader): Uint8Array {
  const kept: Uint8Array[] = [];
  let length = 0;
  for (const { type, whole } of chunks) {
    const isStorage = storageChunks.includes(type);
    // These speak of a palette, and the palette is gone.
    const isOfPalette = type === 'hIST' || (colourType === 3 && ['tRNS', 'bKGD', 'sBIT'].includes(type));
    if (isStorage || isOfPalette || length + whole.byteLength > maxExtraBytes) continue;
    length += whole.byteLength;
    kept.push(whole);
  }
  return joinBytes(kept);
}
