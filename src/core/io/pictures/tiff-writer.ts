import { elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { interleave } from '../common/picture.ts';
import { isStorageTag, parseStoredTags, type StoredTag, tiffTags } from '../tiff/tiff-tags.ts';
import type { PictureEntry, PictureTable } from './picture-table.ts';

// TIFF 6.0, baseline: little-endian, each picture one uncompressed strip after its directory. Every offset is therefore known
// when it is written, and the file is written front to back.

const short = 3;
const long = 4;
const long8 = 16;
const ascii = 2;
const rational = 5;

/** Bytes of one plane that are written at a time. A multiple of every sample width. */
const batchBytes = 2 ** 18;

/** An upper bound of a directory's size without the kept metadata. */
const directoryBytes = 2048;

/** Writes pictures one after another into one TIFF, or BigTIFF if 4 GiB do not suffice. */
export class TiffWriter {
  readonly #info: VolumeInfo;
  readonly #table: PictureTable;
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #isBig: boolean;
  #offset = 0;
  #written = 0;
  /** Bytes of pixels that the current picture still lacks. */
  #left = 0;

  constructor(info: VolumeInfo, table: PictureTable, write: (bytes: Uint8Array) => Promise<void>) {
    this.#info = info;
    this.#table = table;
    this.#write = write;
    const total = table.pages.reduce(
      (sum, { extra, name }) => sum + this.#pixelBytes + 2 * extra.byteLength + name.length * 4 + directoryBytes,
      0,
    );
    this.#isBig = total >= 2 ** 32;
  }

  get #pixelBytes(): number {
    const { dims, type } = this.#info;
    return dims[0] * dims[1] * this.#table.channels * elementBytes(type);
  }

  /** Whether all pictures have been written. */
  get isWhole(): boolean {
    return this.#written === this.#table.pages.length && this.#left === 0;
  }

  /**
   * Takes the next rows of a picture.
   * @param planes one for each sample: whole rows of little-endian samples
   * @throws StriaError `corrupt` for kept metadata that is not TIFF tags; errors of the sink
   */
  async rows(planes: readonly Uint8Array[]): Promise<void> {
    if (this.#left === 0) await this.#startPicture();
    const sampleBytes = elementBytes(this.#info.type);
    const planeBytes = planes[0]?.byteLength ?? 0;
    for (let at = 0; at < planeBytes; at += batchBytes) {
      const bytes = new Uint8Array(Math.min(batchBytes, planeBytes - at) * planes.length);
      interleave(planes, at, bytes, sampleBytes);
      await this.#put(bytes);
      this.#left -= bytes.byteLength;
    }
    // Directories start at a multiple of 8.
    if (this.#left === 0) await this.#put(new Uint8Array(-this.#offset & 7));
  }

  async #startPicture(): Promise<void> {
    const page = this.#table.pages[this.#written] as PictureEntry;
    if (this.#written === 0) await this.#put(this.#header());
    const isLast = ++this.#written === this.#table.pages.length;
    await this.#put(this.#directory(page, isLast));
    this.#left = this.#pixelBytes;
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.byteLength;
    if (bytes.byteLength > 0) await this.#write(bytes);
  }

  #header(): Uint8Array {
    const view = new DataView(new ArrayBuffer(this.#isBig ? 16 : 8));
    view.setUint16(0, 0x4949, true);
    view.setUint16(2, this.#isBig ? 43 : 42, true);
    view.setUint32(4, 8, true);
    if (this.#isBig) view.setBigUint64(8, 16n, true);
    return new Uint8Array(view.buffer);
  }

  /** The directory with its values, padded so that the pixels after it start at a multiple of 8. */
  #directory(page: PictureEntry, isLast: boolean): Uint8Array {
    const word = this.#isBig ? 8 : 4;
    const tags = this.#tags(page);
    const start = this.#offset;
    const listBytes = (this.#isBig ? 8 : 2) + tags.length * (4 + 2 * word) + word;
    let valuesAt = align(listBytes);
    const places = tags.map(({ values }) => {
      if (values.byteLength <= word) return undefined;
      const at = valuesAt;
      valuesAt = align(valuesAt + values.byteLength);
      return at;
    });
    const bytes = new Uint8Array(valuesAt);
    const view = new DataView(bytes.buffer);
    const putWord = (at: number, value: number) =>
      this.#isBig ? view.setBigUint64(at, BigInt(value), true) : view.setUint32(at, value, true);
    if (this.#isBig) putWord(0, tags.length);
    else view.setUint16(0, tags.length, true);
    for (const [index, { tag, type, count, values }] of tags.entries()) {
      const at = (this.#isBig ? 8 : 2) + index * (4 + 2 * word);
      const place = places[index];
      view.setUint16(at, tag, true);
      view.setUint16(at + 2, type, true);
      putWord(at + 4, count);
      if (tag === tiffTags.stripOffsets) putWord(at + 4 + word, start + valuesAt);
      else if (place === undefined) bytes.set(values, at + 4 + word);
      else {
        putWord(at + 4 + word, start + place);
        bytes.set(values, place);
      }
    }
    putWord(listBytes - word, isLast ? 0 : align(start + valuesAt + this.#pixelBytes));
    return bytes;
  }

  /** All tags, in ascending order as TIFF requires. The strip's offset is filled in with the final layout. */
  #tags({ name, extra }: PictureEntry): StoredTag[] {
    const { dims, type } = this.#info;
    const { channels } = this.#table;
    const format = { u: 1, i: 2, f: 3 }[type.slice(0, 1)] as number;
    const place = this.#isBig ? long8 : long;
    const every = (value: number) => Array.from({ length: channels }, () => value);
    const tags = new Map<number, StoredTag>();
    const add = (tag: StoredTag) => tags.set(tag.tag, tag);
    add(numbers(tiffTags.photometric, short, [channels >= 3 ? 2 : 1]));
    const extraSamples = channels >= 3 ? channels - 3 : channels - 1;
    // 2: the first of them is unassociated alpha; the others are unspecified.
    if (extraSamples > 0) add(numbers(tiffTags.extraSamples, short, every(0).slice(0, extraSamples).fill(2, 0, 1)));
    if (name !== '') add(text(tiffTags.pageName, name));
    if (extra.byteLength === 0) for (const tag of this.#scaleTags()) add(tag);
    for (const tag of parseStoredTags(extra)) if (!isStorageTag(tag.tag)) add(tag);
    add(numbers(tiffTags.width, long, [dims[0]]));
    add(numbers(tiffTags.height, long, [dims[1]]));
    add(numbers(tiffTags.bitsPerSample, short, every(8 * elementBytes(type))));
    add(numbers(tiffTags.compression, short, [1]));
    add(numbers(tiffTags.stripOffsets, place, [0]));
    add(numbers(tiffTags.samplesPerPixel, short, [channels]));
    add(numbers(tiffTags.rowsPerStrip, long, [dims[1]]));
    add(numbers(tiffTags.stripByteCounts, place, [this.#pixelBytes]));
    add(numbers(tiffTags.planarConfiguration, short, [1]));
    add(numbers(tiffTags.sampleFormat, short, every(format)));
    return [...tags.values()].sort((a, b) => a.tag - b.tag);
  }

  /**
   * Resolution, and in the first picture an ImageJ description, which can express micrometres, the distance between slices and
   * time points.
   */
  #scaleTags(): StoredTag[] {
    const { dims, spacing, spatialUnit } = this.#info;
    const tags: StoredTag[] = [];
    const [x, y] = [inverse(spacing[0]), inverse(spacing[1])];
    if (x !== undefined && y !== undefined) {
      tags.push(numbers(tiffTags.xResolution, rational, x), numbers(tiffTags.yResolution, rational, y));
      tags.push(numbers(tiffTags.resolutionUnit, short, [1]));
    }
    if (this.#written !== 1) return tags;
    const images = this.#table.pages.length;
    const frames = this.#table.channels === 1 ? dims[3] : 1;
    const lines = ['ImageJ=1.54f', `images=${images}`, `slices=${images / frames}`];
    if (frames > 1) lines.push(`frames=${frames}`, 'hyperstack=true');
    if (spatialUnit !== 'unknown') lines.push(`unit=${spatialUnit}`);
    lines.push(`spacing=${spacing[2]}`, 'loop=false', '');
    return [...tags, text(tiffTags.description, lines.join('\n'))];
  }
}

function align(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

function numbers(
  tag: number,
  type: typeof short | typeof long | typeof long8 | typeof rational,
  values: readonly number[],
): StoredTag {
  const bytes = { [short]: 2, [long]: 4, [long8]: 8, [rational]: 4 }[type] as number;
  const view = new DataView(new ArrayBuffer(values.length * bytes));
  for (const [index, value] of values.entries()) {
    if (type === short) view.setUint16(index * bytes, value, true);
    else if (type === long8) view.setBigUint64(index * bytes, BigInt(value), true);
    else view.setUint32(index * bytes, value, true);
  }
  return { tag, type, count: type === rational ? values.length / 2 : values.length, values: new Uint8Array(view.buffer) };
}

function text(tag: number, value: string): StoredTag {
  const values = new TextEncoder().encode(`${value}\0`);
  return { tag, type: ascii, count: values.byteLength, values };
}

/**
 * 1 / distance as numerator and denominator: a power of ten over the distance times that power, so that decimal distances stay
 * exact.
 */
function inverse(distance: number): readonly [number, number] | undefined {
  let scale = 1e9;
  while (scale > 1 && distance * scale >= 2 ** 32) scale /= 10;
  const denominator = Math.round(distance * scale);
  return denominator >= 1 && denominator < 2 ** 32 ? [scale, denominator] : undefined;
}
