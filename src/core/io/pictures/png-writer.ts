import { encode } from 'fast-png';
import { StriaError } from '../../shared/errors.ts';
import { metresOf, type VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from '../byte-stream.ts';
import { toInterleaved } from './picture.ts';
import type { PictureEntry, PictureTable } from './picture-table.ts';
import { encodePngChunk, pngChunks, pngHeaderBytes, pngSignature } from './png-chunks.ts';

/**
 * A PNG of one picture: gray, gray with alpha, RGB or RGBA by the number of planes, with the metadata that its source had, or
 * else its resolution.
 * @param planes one for each sample: `width × height` little-endian samples
 * @throws StriaError `corrupt` for kept metadata that are no PNG chunks, and for samples beyond their bits
 */
export function encodePng(
  { dims, type, spacing, spatialUnit }: VolumeInfo,
  { channels, bits }: PictureTable,
  { extra }: PictureEntry,
  planes: readonly Uint8Array[],
): Uint8Array {
  const [width, height] = dims;
  const bytes = toInterleaved(planes, type === 'u16' ? 2 : 1);
  const depth = bits === 1 || bits === 2 || bits === 4 ? bits : type === 'u16' ? 16 : 8;
  // The encoder wants 16-bit samples as numbers, and the bytes may lie anywhere in their buffer.
  const data = depth === 16 ? new Uint16Array(bytes.slice().buffer) : depth === 8 ? bytes : packed(bytes, width, height, depth);
  const png = encode({ width, height, channels, depth, data });
  const metadata = extra.byteLength > 0 ? metadataChunks(extra) : resolutionChunk(spacing, spatialUnit);
  return joinBytes([png.subarray(0, pngHeaderBytes), metadata, png.subarray(pngHeaderBytes)]);
}

/** Samples of fewer than 8 bits, the first in the high bits, rows on whole bytes. */
function packed(samples: Uint8Array, width: number, height: number, depth: 1 | 2 | 4): Uint8Array {
  const rowBytes = Math.ceil((width * depth) / 8);
  const bytes = new Uint8Array(rowBytes * height);
  for (let y = 0, from = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const sample = samples[from++] as number;
      if (sample >> depth !== 0) throw new StriaError('corrupt', `a sample is ${sample}, more than ${depth} bits hold`);
      const at = y * rowBytes + ((x * depth) >> 3);
      bytes[at] = (bytes[at] as number) | (sample << (8 - depth - ((x * depth) & 7)));
    }
  }
  return bytes;
}

/** The kept chunks that only add to a picture: a first letter in lower case says so. */
function metadataChunks(extra: Uint8Array): Uint8Array {
  const chunks = [...pngChunks(joinBytes([pngSignature, extra]))];
  return joinBytes(chunks.filter(({ type }) => /^[a-z]/.test(type)).map(({ whole }) => whole));
}

/** pHYs: pixels a metre, where that is known and a whole number can say it. */
function resolutionChunk([x, y]: VolumeInfo['spacing'], unit: VolumeInfo['spatialUnit']): Uint8Array {
  const perMetre = [x, y].map((distance) => Math.round(1 / (distance * metresOf[unit])));
  if (!perMetre.every((count) => count >= 1 && count < 2 ** 31)) return new Uint8Array();
  const view = new DataView(new ArrayBuffer(9));
  for (const [index, count] of perMetre.entries()) view.setUint32(4 * index, count);
  view.setUint8(8, 1);
  return encodePngChunk('pHYs', new Uint8Array(view.buffer));
}
