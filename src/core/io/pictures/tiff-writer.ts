import { channelLayout, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { interleave } from '../common/picture.ts';
import { separated } from '../tiff/ink-channels.ts';
import { packedBytes, packedRows, wideBits } from '../tiff/packed-samples.ts';
import { isStorageTag, parseStoredTags, type StoredTag, tiffTags } from '../tiff/tiff-tags.ts';
import { align8, directoryBytes, encodeDirectory, encodeHeader, numberTag, textTag, tiffTypes } from '../tiff/write-directory.ts';
import type { PictureEntry, PictureTable } from './picture-table.ts';
import { palette } from './tiff-palette.ts';

// TIFF 6.0, baseline: little-endian, each picture one uncompressed strip after its directory. Every offset is therefore known
// when it is written, and the file is written front to back.

const { short, long, long8, rational } = tiffTypes;

/** Bytes of one plane that are written at a time. A multiple of every sample width. */
const batchBytes = 2 ** 18;

/** Tags about YCbCr: the colour space, its coefficients, subsampling, positions and reference values. */
const ybrTags: ReadonlySet<number> = new Set([tiffTags.photometric, 529, 530, 531, 532]);

/** ImageJ counts time in seconds. */
const perSecond = { s: 1, ms: 1e3, us: 1e6 } as const;

/** An upper bound of a directory's size without the kept metadata. */
const directoryBound = 2048;

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
      (sum, { extra, name }) => sum + this.#pixelBytes + 2 * extra.byteLength + name.length * 4 + directoryBound,
      0,
    );
    this.#isBig = total >= 2 ** 32;
  }

  get #pixelBytes(): number {
    const { dims, type } = this.#info;
    const { channels, bits } = this.#table;
    return dims[1] * packedBytes({ bits: this.#isPacked ? bits : 8 * elementBytes(type) }, dims[0] * channels);
  }

  /** Whether the source had half floats, samples of 1, 2 or 4 bits, or 64-bit integers. */
  get #isPacked(): boolean {
    const { type } = this.#info;
    const { channels, bits } = this.#table;
    const isWide = (type === 'i32' || type === 'u32') && bits === wideBits;
    return isWide || (type === 'f32' && bits === 16) || (type === 'u8' && bits < 8 && channels === 1);
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
    const { dims, type } = this.#info;
    const sampleBytes = elementBytes(type);
    const planeBytes = planes[0]?.byteLength ?? 0;
    // Packed rows begin whole bytes.
    const rowBytes = dims[0] * sampleBytes;
    const batch = this.#isPacked ? Math.max(1, Math.floor(batchBytes / rowBytes)) * rowBytes : batchBytes;
    for (let at = 0; at < planeBytes; at += batch) {
      const samples = new Uint8Array(Math.min(batch, planeBytes - at) * planes.length);
      interleave(planes, at, samples, sampleBytes);
      const bytes = this.#isPacked ? packedRows(samples, { type, bits: this.#table.bits }, dims[0]) : samples;
      await this.#put(bytes);
      this.#left -= bytes.byteLength;
    }
    // Directories start at a multiple of 8.
    if (this.#left === 0) await this.#put(new Uint8Array(-this.#offset & 7));
  }

  async #startPicture(): Promise<void> {
    const page = this.#table.pages[this.#written] as PictureEntry;
    if (this.#written === 0) await this.#put(encodeHeader(this.#isBig ? 16 : 8, this.#isBig));
    const isLast = ++this.#written === this.#table.pages.length;
    await this.#put(this.#directory(page, isLast));
    this.#left = this.#pixelBytes;
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.byteLength;
    if (bytes.byteLength > 0) await this.#write(bytes);
  }

  /** The directory with its values. The pixels follow it. */
  #directory(page: PictureEntry, isLast: boolean): Uint8Array {
    const place = this.#isBig ? tiffTypes.long8 : tiffTypes.long;
    const start = this.#offset;
    const tags = this.#tags(page);
    const pixelsAt = start + directoryBytes(tags, this.#isBig);
    const placed = tags.map((tag) =>
      tag.tag === tiffTags.stripOffsets ? numberTag(tiffTags.stripOffsets, place, [pixelsAt]) : tag,
    );
    const next = isLast ? 0 : align8(pixelsAt + this.#pixelBytes);
    return encodeDirectory(placed, { start, next, isBig: this.#isBig });
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
    add(numberTag(tiffTags.photometric, short, [channels >= 3 ? 2 : 1]));
    const kept = parseStoredTags(extra);
    const keptColours = kept.find(({ tag }) => tag === tiffTags.photometric)?.values[0];
    const extraSamples = channels >= 3 ? channels - 3 : channels - 1;
    // 2: the first of them is unassociated alpha; the others are unspecified. Pictures of inks say themselves which samples are extra.
    if (extraSamples > 0 && keptColours !== separated)
      add(numberTag(tiffTags.extraSamples, short, every(0).slice(0, extraSamples).fill(2, 0, 1)));
    if (name !== '') add(textTag(tiffTags.pageName, name));
    if (extra.byteLength === 0) for (const tag of this.#scaleTags()) add(tag);
    // The reader has converted YCbCr to RGB.
    const wasYbr = keptColours === 6;
    for (const tag of kept) {
      const isWrong = (wasYbr && ybrTags.has(tag.tag)) || this.#hasWrongShape(tag, extra.byteLength);
      if (!isStorageTag(tag.tag) && !isWrong) add(tag);
    }
    add(numberTag(tiffTags.width, long, [dims[0]]));
    add(numberTag(tiffTags.height, long, [dims[1]]));
    add(numberTag(tiffTags.bitsPerSample, short, every(this.#isPacked ? this.#table.bits : 8 * elementBytes(type))));
    add(numberTag(tiffTags.compression, short, [1]));
    add(numberTag(tiffTags.stripOffsets, place, [0]));
    add(numberTag(tiffTags.samplesPerPixel, short, [channels]));
    add(numberTag(tiffTags.rowsPerStrip, long, [dims[1]]));
    add(numberTag(tiffTags.stripByteCounts, place, [this.#pixelBytes]));
    add(numberTag(tiffTags.planarConfiguration, short, [1]));
    add(numberTag(tiffTags.sampleFormat, short, every(format)));
    // The colours were more than are kept.
    if (keptColours === palette && !tags.has(tiffTags.colourMap)) add(numberTag(tiffTags.photometric, short, [1]));
    return [...tags.values()].sort((a, b) => a.tag - b.tag);
  }

  /**
   * Whether a tag is tifffile's description of an array that has another shape or place in the written file. tifffile reads a file by this
   * shape, not by its directories: it would return one picture of a stack, or mixed samples.
   * @param extraBytes the length of the picture's kept metadata
   */
  #hasWrongShape({ tag, type, values }: StoredTag, extraBytes: number): boolean {
    if (tag !== tiffTags.description || type !== tiffTypes.ascii) return false;
    const shape = arrayShape(new TextDecoder().decode(values));
    if (shape === undefined) return false;
    const { dims } = this.#info;
    const { channels, pages } = this.#table;
    const samples = dims[0] * dims[1] * channels * pages.length;
    const isInOrder = channels === 1 || (shape.at(-1) === channels && shape.at(-2) === dims[0]);
    if (!isInOrder || shape.reduce((product, length) => product * length, 1) !== samples) return true;
    // If the second directory lies behind as many bytes as the array has, tifffile takes the pictures for contiguous.
    return pages.length > 1 && this.#pixelBytes * (pages.length - 1) <= directoryBound + extraBytes;
  }

  /**
   * Resolution, and in the first picture an ImageJ description, which can express micrometres, the distance between slices and
   * time points.
   */
  #scaleTags(): StoredTag[] {
    const { dims, spacing, spatialUnit, timeUnit } = this.#info;
    const tags: StoredTag[] = [];
    const [x, y] = [inverse(spacing[0]), inverse(spacing[1])];
    if (x !== undefined && y !== undefined) {
      tags.push(numberTag(tiffTags.xResolution, rational, x), numberTag(tiffTags.yResolution, rational, y));
      tags.push(numberTag(tiffTags.resolutionUnit, short, [1]));
    }
    if (this.#written !== 1) return tags;
    const images = this.#table.pages.length;
    const frames = this.#table.channels === 1 ? dims[3] : 1;
    const lines = ['ImageJ=1.54f', `images=${images}`, `slices=${images / frames}`];
    if (frames > 1) lines.push(`frames=${frames}`, 'hyperstack=true');
    // Channels that are written as time points have no time between them.
    const areTimes = frames > 1 && frames === channelLayout(this.#info).timePoints;
    if (areTimes && timeUnit !== 'unknown') lines.push(`finterval=${spacing[3] / perSecond[timeUnit]}`);
    if (spatialUnit !== 'unknown') lines.push(`unit=${spatialUnit}`);
    lines.push(`spacing=${spacing[2]}`, 'loop=false', '');
    return [...tags, textTag(tiffTags.description, lines.join('\n'))];
  }
}

/** The shape of an array in the descriptions of tifffile: `{"shape": [3, 64, 64]}`, formerly `shape=(3, 64, 64)`. */
function arrayShape(description: string): readonly number[] | undefined {
  const [, list] = /^(?:\{.*"shape": ?\[|shape=\()([\d, ]*)[\])]/s.exec(description) ?? [];
  return list
    ?.split(',')
    .filter((word) => word.trim() !== '')
    .map(Number);
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
