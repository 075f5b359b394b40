import { zlibSync } from 'fflate';
import { type ElementType, type Endian, elementBytes, swapBytes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';

// Helpers for the tests of this folder. TIFF files are built here from the format specification, not with this folder's writer.

export type TestCompression = 'none' | 'lzw' | 'deflate' | 'packbits';

export interface TestTiff {
  readonly width: number;
  readonly height: number;
  readonly type: ElementType;
  readonly channels?: number;
  readonly endian?: Endian;
  readonly isBig?: boolean;
  readonly compression?: TestCompression;
  readonly predictor?: 1 | 2 | 3;
  readonly isPlanar?: boolean;
  /** Tiles of this size if set, otherwise strips of `rowsPerStrip`. */
  readonly tile?: readonly [width: number, height: number];
  readonly rowsPerStrip?: number;
  /** Tags in addition to those of the pixels, or replacing them. */
  readonly tags?: readonly TestTag[];
  /** Tags of the first page alone. */
  readonly firstTags?: readonly TestTag[];
  /** Stores a block that has no predictor and is not compressed. */
  readonly encode?: (block: Uint8Array) => Uint8Array;
  /** Smaller levels of each page, as directories below its own. */
  readonly levels?: readonly { readonly spec: TestTiff; readonly pages: readonly Uint8Array[] }[];
}

/** A text, bytes, whole numbers of 16 or 32 bits, or fractions. */
export interface TestTag {
  readonly tag: number;
  readonly type: 1 | 2 | 3 | 4 | 5;
  readonly values: string | readonly number[];
}

const compressionNumbers: Readonly<Record<TestCompression, number>> = { none: 1, lzw: 5, deflate: 8, packbits: 32773 };

/**
 * A TIFF file.
 * @param pages each `channels × height × width` little-endian samples, plane by plane
 */
export function tiffFile(spec: TestTiff, pages: readonly Uint8Array[]): Uint8Array {
  const { endian = 'little', isBig = false } = spec;
  const file: Uint8Array[] = [];
  let length = 0;
  const add = (bytes: Uint8Array) => {
    const at = length;
    const padded = new Uint8Array(Math.ceil(bytes.byteLength / 8) * 8);
    padded.set(bytes);
    file.push(padded);
    length += padded.byteLength;
    return at;
  };
  const number = (bytes: 1 | 2 | 4 | 8, value: number) => {
    const field = new Uint8Array(8);
    new DataView(field.buffer).setBigUint64(0, BigInt(value), true);
    const own = field.slice(0, bytes);
    if (endian === 'big') swapBytes(own, bytes);
    return own;
  };
  const word = (value: number) => number(isBig ? 8 : 4, value);
  const mark = new TextEncoder().encode(endian === 'little' ? 'II' : 'MM');
  const head = isBig ? [mark, number(2, 43), number(2, 8), number(2, 0)] : [mark, number(2, 42)];
  add(joinBytes([...head, word(0)]));
  /** Where the offset of the next directory must be written. */
  let link = isBig ? 8 : 4;
  /** Adds a directory, which says 0 as the next one. */
  const directory = (own: TestTiff, page: Uint8Array, levels: readonly number[]) => {
    const blocks = pageBlocks(own, page).map((block) => ({ at: add(block), length: block.byteLength }));
    const below: TestTag[] = levels.length > 0 ? [{ tag: 330, type: 4, values: levels }] : [];
    const all = [...pageTags(own, blocks), ...below].sort((a, b) => a.tag - b.tag);
    const tags = all.map(({ tag, type, values }) => {
      const bytes =
        typeof values === 'string'
          ? new TextEncoder().encode(`${values}\0`)
          : joinBytes(values.map((value) => number(type === 1 ? 1 : type === 3 ? 2 : 4, value)));
      const count = typeof values === 'string' ? bytes.byteLength : values.length / (type === 5 ? 2 : 1);
      const inline = bytes.byteLength <= (isBig ? 8 : 4);
      const field = new Uint8Array(isBig ? 8 : 4);
      field.set(inline ? bytes : word(add(bytes)));
      return joinBytes([number(2, tag), number(2, type), word(count), field]);
    });
    const count = number(isBig ? 8 : 2, tags.length);
    const at = add(joinBytes([count, ...tags, word(0)]));
    return { at, link: at + count.byteLength + tags.reduce((sum, tag) => sum + tag.byteLength, 0) };
  };
  for (const [index, page] of pages.entries()) {
    const levels = (spec.levels ?? []).map(
      (level) => directory({ ...spec, ...level.spec }, level.pages[index] as Uint8Array, []).at,
    );
    const own = index === 0 ? { ...spec, tags: [...(spec.tags ?? []), ...(spec.firstTags ?? [])] } : spec;
    const { at, link: next } = directory(own, page, levels);
    patch(file, link, word(at));
    link = next;
  }
  return joinBytes(file);
}

function patch(parts: readonly Uint8Array[], offset: number, bytes: Uint8Array): void {
  let start = 0;
  for (const part of parts) {
    if (offset >= start && offset < start + part.byteLength) part.set(bytes, offset - start);
    start += part.byteLength;
  }
}

function pageTags(spec: TestTiff, blocks: readonly { at: number; length: number }[]): TestTag[] {
  const { width, height, type, channels = 1, compression = 'none', predictor = 1, isPlanar = false, tile } = spec;
  const every = (value: number) => Array.from({ length: channels }, () => value);
  const offsets = blocks.map(({ at }) => at);
  const counts = blocks.map((block) => block.length);
  const tags: TestTag[] = [
    { tag: 256, type: 3, values: [width] },
    { tag: 257, type: 4, values: [height] },
    { tag: 258, type: 3, values: every(8 * elementBytes(type)) },
    { tag: 259, type: 3, values: [compressionNumbers[compression]] },
    { tag: 262, type: 3, values: [channels >= 3 ? 2 : 1] },
    { tag: 277, type: 3, values: [channels] },
    { tag: 284, type: 3, values: [isPlanar ? 2 : 1] },
    { tag: 317, type: 3, values: [predictor] },
    { tag: 339, type: 3, values: every({ u: 1, i: 2, f: 3 }[type.slice(0, 1)] as number) },
  ];
  if (tile === undefined) {
    tags.push({ tag: 273, type: 4, values: offsets }, { tag: 279, type: 4, values: counts });
    tags.push({ tag: 278, type: 4, values: [spec.rowsPerStrip ?? height] });
  } else {
    tags.push({ tag: 322, type: 3, values: [tile[0]] }, { tag: 323, type: 3, values: [tile[1]] });
    tags.push({ tag: 324, type: 4, values: offsets }, { tag: 325, type: 4, values: counts });
  }
  const given = spec.tags ?? [];
  return [...tags.filter(({ tag }) => !given.some((own) => own.tag === tag)), ...given].sort((a, b) => a.tag - b.tag);
}

/** Cuts a picture into strips or tiles, applies the predictor, orders bytes and compresses. */
function pageBlocks(spec: TestTiff, planes: Uint8Array): Uint8Array[] {
  const { width, height, type, channels = 1, isPlanar = false, tile, rowsPerStrip = height } = spec;
  const bytes = elementBytes(type);
  const [blockWidth, blockHeight] = tile ?? [width, rowsPerStrip];
  const groups = isPlanar
    ? Array.from({ length: channels }, (_, channel) => [channel])
    : [Array.from({ length: channels }, (_, c) => c)];
  const blocks: Uint8Array[] = [];
  for (const group of groups) {
    for (let top = 0; top < height; top += blockHeight) {
      for (let left = 0; left < width; left += blockWidth) {
        const rows = tile === undefined ? Math.min(blockHeight, height - top) : blockHeight;
        const block = new Uint8Array(blockWidth * rows * group.length * bytes);
        let to = 0;
        for (let y = top; y < top + rows; y++) {
          for (let x = left; x < left + blockWidth; x++) {
            for (const channel of group) {
              const from = ((channel * height + y) * width + x) * bytes;
              if (x < width && y < height) block.set(planes.subarray(from, from + bytes), to);
              to += bytes;
            }
          }
        }
        blocks.push(storeBlock(spec, block, blockWidth * group.length, group.length));
      }
    }
  }
  return blocks;
}

function storeBlock(spec: TestTiff, block: Uint8Array, rowSamples: number, stride: number): Uint8Array {
  const { type, endian = 'little', compression = 'none', predictor = 1, encode } = spec;
  if (encode !== undefined) return encode(block);
  const bytes = elementBytes(type);
  let stored: Uint8Array = block.slice();
  if (predictor === 2) stored = differences(stored, rowSamples, bytes, stride);
  if (predictor === 3) stored = floatDifferences(stored, rowSamples, bytes, stride);
  else if (endian === 'big') swapBytes(stored, bytes);
  switch (compression) {
    case 'none':
      return stored;
    case 'deflate':
      return zlibSync(stored);
    case 'packbits':
      return packBits(stored);
    case 'lzw':
      return lzw(stored);
  }
}

function differences(block: Uint8Array, rowSamples: number, bytes: 1 | 2 | 4 | 8, stride: number): Uint8Array {
  const samples = bytes === 1 ? block : bytes === 2 ? new Uint16Array(block.buffer) : new Uint32Array(block.buffer);
  const changed = samples.slice();
  for (let at = 0; at < samples.length; at++) {
    if (at % rowSamples >= stride) changed[at] = (samples[at] as number) - (samples[at - stride] as number);
  }
  return new Uint8Array(changed.buffer);
}

function floatDifferences(block: Uint8Array, rowSamples: number, bytes: number, stride: number): Uint8Array {
  const changed = new Uint8Array(block.byteLength);
  const rowBytes = rowSamples * bytes;
  for (let start = 0; start < block.byteLength; start += rowBytes) {
    const row = new Uint8Array(rowBytes);
    for (let sample = 0; sample < rowSamples; sample++) {
      for (let byte = 0; byte < bytes; byte++) {
        row[byte * rowSamples + sample] = block[start + sample * bytes + bytes - 1 - byte] as number;
      }
    }
    for (let at = 0; at < rowBytes; at++)
      changed[start + at] = (row[at] as number) - (at >= stride ? (row[at - stride] as number) : 0);
  }
  return changed;
}

/** Runs of 3 and more as runs, everything else as literals. */
function packBits(bytes: Uint8Array): Uint8Array {
  const packed: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let run = 1;
    while (run < 128 && at + run < bytes.length && bytes[at + run] === bytes[at]) run++;
    if (run >= 3) {
      packed.push(257 - run, bytes[at] as number);
      at += run;
    } else {
      const literal = bytes.subarray(at, at + Math.min(1 + (at % 128), bytes.length - at));
      packed.push(literal.length - 1, ...literal);
      at += literal.length;
    }
  }
  return Uint8Array.from(packed);
}

/** TIFF 6.0, section 13, following its pseudocode. */
function lzw(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  let bits = 0;
  let bitCount = 0;
  const write = (code: number, width: number) => {
    bits = (bits << width) | code;
    bitCount += width;
    for (; bitCount >= 8; bitCount -= 8) out.push((bits >> (bitCount - 8)) & 255);
    bits &= (1 << bitCount) - 1;
  };
  /** The codes of strings, by the code of all their bytes but the last one, and the last one. */
  let table = new Map<number, number>();
  let next = 258;
  const width = () => (next < 512 ? 9 : next < 1024 ? 10 : next < 2048 ? 11 : 12);
  write(256, 9);
  let prefix: number | undefined;
  for (const byte of bytes) {
    const longer = prefix === undefined ? byte : table.get(256 * prefix + byte);
    if (longer !== undefined) {
      prefix = longer;
      continue;
    }
    write(prefix as number, width());
    table.set(256 * (prefix as number) + byte, next++);
    prefix = byte;
    if (next === 4095) {
      write(256, 12);
      table = new Map();
      next = 258;
    }
  }
  if (prefix !== undefined) {
    write(prefix, width());
    next++;
  }
  write(257, width());
  if (bitCount > 0) write(0, 8 - bitCount);
  return Uint8Array.from(out);
}
