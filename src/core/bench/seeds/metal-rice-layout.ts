/**
 * MetalRice's layout (M. DeJong, 2018), according to its source. Blocks of 32×32 pixels in raster order have 16 small blocks of
 * 8×8 pixels, each in two halves of 32 symbols. The first pixel of a block is stored raw. Column 0 holds differences to the
 * pixel above, all other columns to the pixel on the left, zigzagged, modulo 256. Each small block has the k from 0 to 7 that
 * takes the fewest bits. Four quotients precede their four remainders of k bits. Bits are numbered from the highest of each word.
 */
export interface MetalRicePicture {
  readonly width: number;
  readonly height: number;
  /** The bit stream, followed by a word of 0. */
  readonly stream: Uint32Array<ArrayBuffer>;
  readonly streamBytes: number;
  /** The k of each small block, one byte each. */
  readonly parameters: Uint8Array<ArrayBuffer>;
  /** The bit at which each half of a small block begins. */
  readonly offsets: Uint32Array<ArrayBuffer>;
}

const edge = 32;
const smallEdge = 8;
const mostZeros = 16;

/** @param pixels rows of bytes; width and height must be multiples of 32, as for MetalRice's screens */
export function encodeMetalRice(pixels: Uint8Array, width: number, height: number): MetalRicePicture {
  const smallBlocks = (width * height) / smallEdge ** 2;
  const parameters = new Uint8Array(4 * Math.ceil(smallBlocks / 4));
  const offsets = new Uint32Array(2 * smallBlocks);
  const bits = new BitWriter(width * height * 3);
  let small = 0;
  for (let top = 0; top < height; top += edge) {
    for (let left = 0; left < width; left += edge) {
      const symbols = symbolsOf(pixels, width, left, top);
      for (let block = 0; block < 16; block++, small++) {
        const halves = [halfOf(symbols, block, 0), halfOf(symbols, block, 1)];
        const k = bestParameter(halves.flat());
        parameters[small] = k;
        for (const [half, codes] of halves.entries()) {
          offsets[2 * small + half] = bits.length;
          writeHalf(bits, codes, k);
        }
      }
    }
  }
  const stream = bits.words.slice(0, Math.ceil(bits.length / 32) + 1);
  return { width, height, stream, streamBytes: Math.ceil(bits.length / 8), parameters, offsets };
}

export function decodeMetalRice({ width, height, stream, parameters, offsets }: MetalRicePicture, pixels: Uint8Array): void {
  const symbols = new Uint8Array(edge * edge);
  let small = 0;
  for (let top = 0; top < height; top += edge) {
    for (let left = 0; left < width; left += edge) {
      for (let block = 0; block < 16; block++, small++) {
        for (const half of [0, 1]) {
          readHalf(stream, offsets[2 * small + half] as number, parameters[small] as number, symbols, block, half);
        }
      }
      let first = symbols[0] as number;
      for (let y = 0; y < edge; y++) {
        if (y > 0) first += unfold(symbols[y * edge] as number);
        let value = first;
        const row = (top + y) * width + left;
        pixels[row] = value;
        for (let x = 1; x < edge; x++) {
          value += unfold(symbols[y * edge + x] as number);
          pixels[row + x] = value;
        }
      }
    }
  }
}

function symbolsOf(pixels: Uint8Array, width: number, left: number, top: number): Uint8Array {
  const symbols = new Uint8Array(edge * edge);
  const pixel = (x: number, y: number): number => pixels[(top + y) * width + left + x] as number;
  for (let y = 0; y < edge; y++) {
    for (let x = 0; x < edge; x++) {
      const before = x > 0 ? pixel(x - 1, y) : y > 0 ? pixel(0, y - 1) : 0;
      const difference = ((pixel(x, y) - before) << 24) >> 24;
      symbols[y * edge + x] = x === 0 && y === 0 ? pixel(0, 0) : (difference << 1) ^ (difference >> 31);
    }
  }
  return symbols;
}

function unfold(symbol: number): number {
  return (symbol >> 1) ^ -(symbol & 1);
}

/** The position of a half's symbol `index` in its block of 32×32. */
function placeOf(block: number, half: number, index: number): number {
  const x = (block % 4) * smallEdge + (index % smallEdge);
  const y = Math.floor(block / 4) * smallEdge + half * 4 + Math.floor(index / smallEdge);
  return y * edge + x;
}

function halfOf(symbols: Uint8Array, block: number, half: number): number[] {
  return Array.from({ length: 32 }, (_, index) => symbols[placeOf(block, half, index)] as number);
}

function bestParameter(symbols: readonly number[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let k = 0; k < 8; k++) {
    let bits = 0;
    for (const symbol of symbols) bits += symbol >> k < mostZeros ? (symbol >> k) + 1 + k : 24;
    if (bits < least) [best, least] = [k, bits];
  }
  return best;
}

function writeHalf(bits: BitWriter, symbols: readonly number[], k: number): void {
  for (let group = 0; group < symbols.length; group += 4) {
    const four = symbols.slice(group, group + 4);
    for (const symbol of four) {
      const quotient = symbol >> k;
      if (quotient < mostZeros) {
        bits.write(1, quotient + 1);
      } else {
        bits.write(0, mostZeros);
        bits.write(quotient, 8 - k);
      }
    }
    for (const symbol of four) bits.write(symbol & ((1 << k) - 1), k);
  }
}

function readHalf(stream: Uint32Array, start: number, k: number, symbols: Uint8Array, block: number, half: number): void {
  let position = start;
  const peek = (): number => {
    const [word, shift] = [position >>> 5, position & 31];
    const high = stream[word] as number;
    return shift === 0 ? high : (high << shift) | ((stream[word + 1] as number) >>> (32 - shift));
  };
  for (let group = 0; group < 32; group += 4) {
    const quotients = [0, 0, 0, 0];
    for (let index = 0; index < 4; index++) {
      const bits = peek();
      const zeros = Math.clz32(bits);
      quotients[index] = zeros < mostZeros ? zeros : (bits << mostZeros) >>> (24 + k);
      position += zeros < mostZeros ? zeros + 1 : 24 - k;
    }
    for (let index = 0; index < 4; index++) {
      const low = k > 0 ? peek() >>> (32 - k) : 0;
      position += k;
      symbols[placeOf(block, half, group + index)] = ((quotients[index] as number) << k) | low;
    }
  }
}

class BitWriter {
  readonly words: Uint32Array<ArrayBuffer>;
  length = 0;

  constructor(capacityBytes: number) {
    this.words = new Uint32Array(Math.ceil(capacityBytes / 4) + 2);
  }

  /** Writes the low `count` bits of `value`, 0 to 24, highest first. */
  write(value: number, count: number): void {
    const word = this.length >>> 5;
    const room = 32 - (this.length & 31);
    if (count <= room) {
      (this.words[word] as number) |= value << (room - count);
    } else {
      (this.words[word] as number) |= value >>> (count - room);
      (this.words[word + 1] as number) |= value << (32 + room - count);
    }
    this.length += count;
  }
}
