import { StriaError } from '../../shared/errors.ts';
import { metresOf, swapBytes, type VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { Deflater } from '../common/deflate.ts';
import { interleave } from '../common/picture.ts';
import type { PictureEntry, PictureTable } from './picture-table.ts';
import { encodePngChunk, isMetadata, pngChunks, pngSignature } from './png-chunks.ts';

/** Colour types by the number of samples. PNG specification, 11.2.1. */
const colourTypes: Readonly<Record<number, number>> = { 1: 0, 2: 4, 3: 2, 4: 6 };

/** Compressed bytes per chunk. */
const dataBytes = 2 ** 16;

/** How much is compressed at a time. */
const batchBytes = 2 ** 18;

/**
 * Writes a PNG of one picture, row by row: gray, gray with alpha, RGB or RGBA by the number of planes, with its source's
 * metadata or else its resolution.
 */
export class PngWriter {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #start: Uint8Array;
  readonly #deflater: Deflater;
  readonly #width: number;
  readonly #depth: 1 | 2 | 4 | 8 | 16;
  readonly #gathered = new Uint8Array(dataBytes);
  #gatheredLength = 0;
  #isStarted = false;

  /** @throws StriaError `corrupt` for kept metadata that is not PNG chunks */
  constructor(
    { dims, type, spacing, spatialUnit }: VolumeInfo,
    { channels, bits }: PictureTable,
    { extra }: PictureEntry,
    write: (bytes: Uint8Array) => Promise<void>,
  ) {
    const [width, height] = dims;
    this.#width = width;
    this.#depth = bits === 1 || bits === 2 || bits === 4 ? bits : type === 'u16' ? 16 : 8;
    const header = new DataView(new ArrayBuffer(13));
    header.setUint32(0, width);
    header.setUint32(4, height);
    header.setUint8(8, this.#depth);
    header.setUint8(9, colourTypes[channels] ?? 0);
    const metadata = extra.byteLength > 0 ? metadataChunks(extra) : resolutionChunk(spacing, spatialUnit);
    this.#start = joinBytes([pngSignature, encodePngChunk('IHDR', new Uint8Array(header.buffer)), metadata]);
    this.#write = write;
    this.#deflater = new Deflater((bytes) => this.#data(bytes));
  }

  /**
   * Takes the next rows.
   * @param planes one for each sample: whole rows of little-endian samples
   * @throws StriaError `corrupt` for samples that exceed their bit depth; errors of `write`
   */
  async rows(planes: readonly Uint8Array[]): Promise<void> {
    if (!this.#isStarted) await this.#write(this.#start);
    this.#isStarted = true;
    const rowBytes = this.#width * (this.#depth === 16 ? 2 : 1);
    const rowCount = (planes[0]?.byteLength ?? 0) / rowBytes;
    const rowsInBatch = Math.max(1, Math.floor(batchBytes / (rowBytes * planes.length)));
    for (let row = 0; row < rowCount; row += rowsInBatch) {
      const end = Math.min(rowCount, row + rowsInBatch);
      await this.#deflater.write(
        this.#scanlines(
          planes.map((plane) => plane.subarray(row * rowBytes, end * rowBytes)),
          end - row,
        ),
      );
    }
  }

  async end(): Promise<void> {
    await this.#deflater.end();
    await this.#write(encodePngChunk('IDAT', this.#gathered.subarray(0, this.#gatheredLength)));
    await this.#write(encodePngChunk('IEND', new Uint8Array()));
  }

  /** Gathers the output of the compressor, often a few bytes, into chunks. */
  async #data(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      if (this.#gatheredLength === dataBytes) {
        await this.#write(encodePngChunk('IDAT', this.#gathered));
        this.#gatheredLength = 0;
      }
      const part = bytes.subarray(at, at + dataBytes - this.#gatheredLength);
      this.#gathered.set(part, this.#gatheredLength);
      this.#gatheredLength += part.byteLength;
      at += part.byteLength;
    }
  }

  /** Rows in PNG's layout: a byte for the filter (0: none), then samples pixel by pixel, high byte first. */
  #scanlines(planes: readonly Uint8Array[], rowCount: number): Uint8Array {
    const [depth, width] = [this.#depth, this.#width];
    const lineBytes = 1 + Math.ceil((width * planes.length * depth) / 8);
    const lines = new Uint8Array(lineBytes * rowCount);
    for (let row = 0; row < rowCount; row++) {
      const line = lines.subarray(row * lineBytes + 1, (row + 1) * lineBytes);
      if (depth < 8) pack(planes[0] as Uint8Array, row * width, line, width, depth);
      else if (depth === 8) interleave(planes, row * width, line, 1);
      else {
        interleave(planes, row * width * 2, line, 2);
        swapBytes(line, 2);
      }
    }
    return lines;
  }
}

/** Packs samples of fewer than 8 bits, the first in the high bits. */
function pack(samples: Uint8Array, start: number, line: Uint8Array, width: number, depth: number): void {
  for (let x = 0; x < width; x++) {
    const sample = samples[start + x] as number;
    if (sample >> depth !== 0) throw new StriaError('corrupt', `a sample is ${sample}, more than ${depth} bits hold`);
    const bit = x * depth;
    line[bit >> 3] = (line[bit >> 3] as number) | (sample << (8 - depth - (bit & 7)));
  }
}
/** The kept ancillary chunks. The table may be forged, but the file must stay readable. */
function metadataChunks(extra: Uint8Array): Uint8Array {
  const chunks = [...pngChunks(joinBytes([pngSignature, extra]))];
  return joinBytes(chunks.filter(({ type }) => isMetadata(type)).map(({ whole }) => whole));
}

/** pHYs: pixels per metre, if known and representable as whole numbers. */
function resolutionChunk([x, y]: VolumeInfo['spacing'], unit: VolumeInfo['spatialUnit']): Uint8Array {
  const perMetre = [x, y].map((distance) => Math.round(1 / (distance * metresOf[unit])));
  if (!perMetre.every((count) => count >= 1 && count < 2 ** 31)) return new Uint8Array();
  const view = new DataView(new ArrayBuffer(9));
  for (const [index, count] of perMetre.entries()) view.setUint32(4 * index, count);
  view.setUint8(8, 1);
  return encodePngChunk('pHYs', new Uint8Array(view.buffer));
}
