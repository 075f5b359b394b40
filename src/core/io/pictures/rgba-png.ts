import { encode } from 'fast-png';
import { joinBytes } from '../common/byte-stream.ts';
import { encodePngChunk, pngHeaderBytes } from './png-chunks.ts';

/** A drawn picture, with metadata for its file. */
export interface RgbaPicture {
  readonly width: number;
  readonly height: number;
  /** Rows from the top; r, g, b and a in sRGB, not premultiplied. */
  readonly rgba: Uint8Array;
  /** Set if the picture has a scale. */
  readonly pixelsPerMetre?: number | undefined;
  /** Keyword to text, with keywords from the PNG specification: `Title`, `Description`, `Software`. */
  readonly text?: Readonly<Record<string, string>> | undefined;
}

/**
 * A PNG with 8 bits per sample: RGB if everything is opaque, otherwise RGBA. PNG specification (W3C), 11.3.4 (pHYs), 11.3.3
 * (iTXt), 11.3.2.5 (sRGB).
 */
export function encodeRgbaPng({ width, height, rgba, pixelsPerMetre, text = {} }: RgbaPicture): Uint8Array<ArrayBuffer> {
  const isOpaque = everyAlphaIsFull(rgba);
  const png = encode({ width, height, channels: isOpaque ? 3 : 4, depth: 8, data: isOpaque ? withoutAlpha(rgba) : rgba });
  const chunks = [
    encodePngChunk('sRGB', Uint8Array.of(0)),
    ...(pixelsPerMetre === undefined ? [] : resolutionChunks(pixelsPerMetre)),
    ...Object.entries(text).map(([keyword, words]) => textChunk(keyword, words)),
  ];
  return joinBytes([png.subarray(0, pngHeaderBytes), ...chunks, png.subarray(pngHeaderBytes)]);
}

function everyAlphaIsFull(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false;
  return true;
}

function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    rgb[to] = rgba[from] as number;
    rgb[to + 1] = rgba[from + 1] as number;
    rgb[to + 2] = rgba[from + 2] as number;
  }
  return rgb;
}

/** Empty if no whole number represents the value. */
function resolutionChunks(pixelsPerMetre: number): Uint8Array[] {
  const count = Math.round(pixelsPerMetre);
  if (!(count >= 1 && count < 2 ** 31)) return [];
  const view = new DataView(new ArrayBuffer(9));
  view.setUint32(0, count);
  view.setUint32(4, count);
  view.setUint8(8, 1);
  return [encodePngChunk('pHYs', new Uint8Array(view.buffer))];
}

/** iTXt: UTF-8, uncompressed, without a language. */
function textChunk(keyword: string, words: string): Uint8Array {
  return encodePngChunk('iTXt', new TextEncoder().encode(`${keyword}\0\0\0\0\0${words}`));
}
