import { zlibSync } from 'fflate';
import { joinBytes } from '../common/byte-stream.ts';
import { encodePngChunk, pngSignature } from './png-chunks.ts';

// Helpers for the tests of this folder. PNG files are built here from the specification, not with this folder's writer.

/** IHDR with arbitrary values, for hostile files. */
export function pngHeader(width: number, height: number, bitDepth: number, colourType: number, interlace = 0): Uint8Array {
  const view = new DataView(new ArrayBuffer(13));
  view.setUint32(0, width);
  view.setUint32(4, height);
  for (const [index, value] of [bitDepth, colourType, 0, 0, interlace].entries()) view.setUint8(8 + index, value);
  return encodePngChunk('IHDR', new Uint8Array(view.buffer));
}

export function pngOf(...chunks: readonly Uint8Array[]): Uint8Array {
  return joinBytes([pngSignature, ...chunks, encodePngChunk('IEND', new Uint8Array())]);
}

export const pngPixels = (raw: Uint8Array) => encodePngChunk('IDAT', zlibSync(raw));

export interface TestPng {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colourType: number;
  readonly isInterlaced: boolean;
  /** Before the pixels. */
  readonly chunks?: readonly Uint8Array[];
  /** The compressed pixels are split into chunks of this size. */
  readonly chunkBytes?: number;
}

/** Stored samples per pixel. */
export const storedSamples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** A PNG whose rows cycle through all filters. @param samples pixel by pixel, each below 2^bitDepth */
export function pngFile(spec: TestPng, samples: ArrayLike<number>): Uint8Array {
  const { width, height, bitDepth, colourType, isInterlaced, chunks = [], chunkBytes = 2 ** 31 } = spec;
  const inPixel = storedSamples[colourType] as number;
  const rows: Uint8Array[] = [];
  for (const pass of isInterlaced ? [1, 2, 3, 4, 5, 6, 7] : [0]) {
    const belongs = (x: number, y: number) => pass === 0 || adam7[(y % 8) * 8 + (x % 8)] === String(pass);
    let above: Uint8Array | undefined;
    for (let y = 0; y < height; y++) {
      const columns = Array.from({ length: width }, (_, x) => x).filter((x) => belongs(x, y));
      if (columns.length === 0) continue;
      const values = columns.flatMap((x) =>
        Array.from({ length: inPixel }, (_, at) => samples[(y * width + x) * inPixel + at] as number),
      );
      const row = packBits(values, bitDepth);
      const filter = rows.length % 5;
      rows.push(joinBytes([Uint8Array.of(filter), filtered(filter, row, above, Math.max(1, (inPixel * bitDepth) / 8))]));
      above = row;
    }
  }
  const compressed = zlibSync(joinBytes(rows));
  const data: Uint8Array[] = [];
  for (let at = 0; at < compressed.length; at += chunkBytes) {
    data.push(encodePngChunk('IDAT', compressed.subarray(at, at + chunkBytes)));
  }
  return pngOf(pngHeader(width, height, bitDepth, colourType, isInterlaced ? 1 : 0), ...chunks, ...data);
}

/** The pass of each pixel in a block of 8 × 8. PNG specification, 8.1. */
const adam7 = ['16462646', '77777777', '56565656', '77777777', '36463646', '77777777', '56565656', '77777777'].join('');

function packBits(values: readonly number[], bits: number): Uint8Array {
  const text = values.map((value) => value.toString(2).padStart(bits, '0')).join('');
  return Uint8Array.from(text.match(/.{1,8}/g) ?? [], (byte) => Number.parseInt(byte.padEnd(8, '0'), 2));
}

/** PNG specification, 9.2. */
function filtered(filter: number, row: Uint8Array, above: Uint8Array | undefined, distance: number): Uint8Array {
  return row.map((value, at) => {
    const [a, b, c] = [row[at - distance] ?? 0, above?.[at] ?? 0, (at >= distance ? above?.[at - distance] : 0) ?? 0];
    const p = a + b - c;
    const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
    const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    return value - ([0, a, b, Math.floor((a + b) / 2), paeth][filter] as number);
  });
}
