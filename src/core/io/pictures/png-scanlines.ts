import { StriaError } from '../../shared/errors.ts';
import { type PngHeader, samplesInFile } from './png-chunks.ts';

/** One of the smaller pictures of an interlaced one, or the picture itself. */
export interface PngPass {
  readonly left: number;
  readonly top: number;
  /** The distance between two of its pixels. */
  readonly stepX: number;
  readonly stepY: number;
  readonly columns: number;
  readonly rows: number;
}

/** Origin and step of each pass along x and y. PNG specification, 8.1: Adam7. */
const adam7 = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

/** The nonempty passes, in order. */
export function passesOf({ width, height, isInterlaced }: PngHeader): PngPass[] {
  const passes = isInterlaced ? adam7 : ([[0, 1, 0, 1]] as const);
  const along = (length: number, origin: number, step: number) => Math.max(0, Math.ceil((length - origin) / step));
  return passes
    .map(([left, stepX, top, stepY]) => {
      return { left, top, stepX, stepY, columns: along(width, left, stepX), rows: along(height, top, stepY) };
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/** Bytes of a stored row: the filter's and the samples'. */
export function scanlineBytes(header: PngHeader, columns: number): number {
  return 1 + Math.ceil((columns * header.bitDepth * samplesInFile(header)) / 8);
}

/** Decodes consecutive scanlines of a pass into one of the samples of its pixels. */
export interface ScanlineDecoder {
  /**
   * @returns little-endian samples, valid until the next call
   * @throws StriaError `corrupt`
   */
  decode(scanline: Uint8Array): Uint8Array;
}

/**
 * Filters combine each byte only with the corresponding byte of neighbouring pixels, so one sample can be decoded without the
 * others.
 * @param channel index of the sample
 */
export function scanlineDecoder(
  header: PngHeader,
  columns: number,
  palette: PngPalette | undefined,
  channel: number,
): ScanlineDecoder {
  if (header.colourType === 3) return new PaletteDecoder(header, columns, palette, channel);
  return header.bitDepth < 8 ? new PackedDecoder(header, columns) : new SampleDecoder(header, columns, channel);
}

/** Samples of 8 or 16 bits. */
class SampleDecoder implements ScanlineDecoder {
  readonly #sampleBytes: 1 | 2;
  readonly #first: number;
  readonly #pixelBytes: number;
  #row: Uint8Array;
  #above: Uint8Array;

  constructor(header: PngHeader, columns: number, channel: number) {
    this.#sampleBytes = header.bitDepth === 16 ? 2 : 1;
    this.#first = 1 + channel * this.#sampleBytes;
    this.#pixelBytes = samplesInFile(header) * this.#sampleBytes;
    this.#row = new Uint8Array(columns * this.#sampleBytes);
    this.#above = new Uint8Array(this.#row.byteLength);
  }

  decode(scanline: Uint8Array): Uint8Array {
    [this.#row, this.#above] = [this.#above, this.#row];
    const row = this.#row;
    if (this.#sampleBytes === 2) {
      // PNG stores the high byte first. Filters are not affected, because they pair bytes of equal significance.
      for (let to = 0, from = this.#first; to < row.length; to += 2, from += this.#pixelBytes) {
        row[to] = scanline[from + 1] as number;
        row[to + 1] = scanline[from] as number;
      }
    } else {
      for (let to = 0, from = this.#first; to < row.length; to++, from += this.#pixelBytes) row[to] = scanline[from] as number;
    }
    unfilter(scanline[0] as number, row, this.#above, this.#sampleBytes);
    return row;
  }
}

/** Samples or indexes of 1, 2, 4 or 8 bits, each as a byte. The first is in the high bits; rows start on whole bytes. */
class PackedDecoder implements ScanlineDecoder {
  readonly #bits: number;
  readonly #samples: Uint8Array;
  #row: Uint8Array;
  #above: Uint8Array;

  constructor(header: PngHeader, columns: number) {
    this.#bits = header.bitDepth;
    this.#samples = new Uint8Array(columns);
    this.#row = new Uint8Array(scanlineBytes(header, columns) - 1);
    this.#above = new Uint8Array(this.#row.byteLength);
  }

  decode(scanline: Uint8Array): Uint8Array {
    [this.#row, this.#above] = [this.#above, this.#row];
    const [row, samples, bits] = [this.#row, this.#samples, this.#bits];
    row.set(scanline.subarray(1));
    unfilter(scanline[0] as number, row, this.#above, 1);
    if (bits === 8) return row;
    const mask = (1 << bits) - 1;
    for (let x = 0; x < samples.length; x++) {
      const bit = x * bits;
      samples[x] = ((row[bit >> 3] as number) >> (8 - bits - (bit & 7))) & mask;
    }
    return samples;
  }
}

/** PLTE and tRNS. */
export interface PngPalette {
  /** Red, green and blue of each colour. */
  readonly colours: Uint8Array;
  /** For the first colours; the others are opaque. */
  readonly alphas: Uint8Array;
}

/** Replaces palette indexes by one sample of their colours. */
class PaletteDecoder implements ScanlineDecoder {
  readonly #indices: PackedDecoder;
  readonly #values: Uint8Array;
  readonly #samples: Uint8Array;

  constructor(header: PngHeader, columns: number, palette: PngPalette | undefined, channel: number) {
    if (palette === undefined) throw new StriaError('corrupt', 'the PNG file lacks the palette that it needs');
    const { colours, alphas } = palette;
    this.#indices = new PackedDecoder(header, columns);
    this.#values = Uint8Array.from({ length: colours.length / 3 }, (_, index) =>
      channel === 3 ? (alphas[index] ?? 255) : (colours[3 * index + channel] as number),
    );
    this.#samples = new Uint8Array(columns);
  }

  decode(scanline: Uint8Array): Uint8Array {
    const [indices, samples, values] = [this.#indices.decode(scanline), this.#samples, this.#values];
    let highest = 0;
    for (let x = 0; x < samples.length; x++) {
      const index = indices[x] as number;
      if (index > highest) highest = index;
      samples[x] = values[index] as number;
    }
    if (highest >= values.length) {
      throw new StriaError('corrupt', `the PNG file uses colour ${highest} of a palette of ${values.length}`);
    }
    return samples;
  }
}

/** Undoes a row's filter in place. PNG specification, 9.2. @param distance to the same byte of the pixel on the left */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array, distance: number): void {
  const { length } = row;
  switch (filter) {
    case 0:
      return;
    case 1:
      for (let at = distance; at < length; at++) row[at] = (row[at] as number) + (row[at - distance] as number);
      return;
    case 2:
      for (let at = 0; at < length; at++) row[at] = (row[at] as number) + (above[at] as number);
      return;
    case 3:
      for (let at = 0; at < Math.min(distance, length); at++) row[at] = (row[at] as number) + ((above[at] as number) >> 1);
      for (let at = distance; at < length; at++) {
        row[at] = (row[at] as number) + (((row[at - distance] as number) + (above[at] as number)) >> 1);
      }
      return;
    case 4:
      for (let at = 0; at < Math.min(distance, length); at++) row[at] = (row[at] as number) + (above[at] as number);
      for (let at = distance; at < length; at++) {
        const [left, up, corner] = [row[at - distance] as number, above[at] as number, above[at - distance] as number];
        const toLeft = Math.abs(up - corner);
        const toUp = Math.abs(left - corner);
        const toCorner = Math.abs(left + up - 2 * corner);
        const nearest = toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
        row[at] = (row[at] as number) + nearest;
      }
      return;
    default:
      throw new StriaError('corrupt', `the PNG file has a row with the undefined filter ${filter}`);
  }
}
