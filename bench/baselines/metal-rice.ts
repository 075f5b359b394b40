/**
 * What MetalRice (M. DeJong, 2018) makes of a picture of bytes, so that codec `rice` can be compared with it. Its format,
 * read from its source: blocks of 32×32 pixels in raster order, padded with zeros at the picture's edges; in each 16 small
 * blocks of 8×8; its bits follow one another without alignment. Its figures leave out both tables; they are counted here.
 */
export interface MetalRiceSizes {
  /** Bytes of the bit stream. */
  readonly stream: number;
  /** Bytes of the table of k: one for each small block, and one more at its end. */
  readonly kTable: number;
  /** Bytes of the table of bit offsets: 4 for each half of a small block. */
  readonly offsetTable: number;
}

const bigEdge = 32;
const smallEdge = 8;
const escapeBits = 24;

/** @param pixels `width × height` bytes, row by row */
export function metalRiceSizes(pixels: Uint8Array, width: number, height: number): MetalRiceSizes {
  if (pixels.length !== width * height) throw new RangeError(`${width}×${height} pixels came as ${pixels.length} bytes`);
  let streamBits = 0;
  let smallBlocks = 0;
  for (let top = 0; top < height; top += bigEdge) {
    for (let left = 0; left < width; left += bigEdge) {
      const symbols = symbolsOfBlock((x, y) =>
        left + x < width && top + y < height ? (pixels[(top + y) * width + left + x] as number) : 0,
      );
      for (let y = 0; y < bigEdge; y += smallEdge) {
        for (let x = 0; x < bigEdge; x += smallEdge) {
          streamBits += smallBlockBits(symbols, x, y);
          smallBlocks++;
        }
      }
    }
  }
  return { stream: Math.ceil(streamBits / 8), kTable: smallBlocks + 1, offsetTable: 8 * smallBlocks };
}

/** The first pixel as it is; column 0 as its difference to the pixel above, all else to the left one, zigzagged. */
function symbolsOfBlock(pixel: (x: number, y: number) => number): Uint8Array {
  const symbols = new Uint8Array(bigEdge * bigEdge);
  for (let y = 0; y < bigEdge; y++) {
    for (let x = 0; x < bigEdge; x++) {
      const before = x > 0 ? pixel(x - 1, y) : y > 0 ? pixel(0, y - 1) : 0;
      const difference = ((pixel(x, y) - before) << 24) >> 24;
      symbols[y * bigEdge + x] = x === 0 && y === 0 ? pixel(0, 0) : (difference << 1) ^ (difference >> 31);
    }
  }
  return symbols;
}

/** With the k of 0 to 7 that takes the fewest bits: n >> k zeros, a one and k bits; or 24 bits from 16 zeros on. */
function smallBlockBits(symbols: Uint8Array, left: number, top: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 8; k++) {
    let bits = 0;
    for (let y = top; y < top + smallEdge; y++) {
      for (let x = left; x < left + smallEdge; x++) {
        const quotient = (symbols[y * bigEdge + x] as number) >> k;
        bits += quotient <= 15 ? quotient + 1 + k : escapeBits;
      }
    }
    least = Math.min(least, bits);
  }
  return least;
}
