import { StriaError } from '../../../shared/errors.ts';
import { vrOf } from './dictionary.ts';

/** One element of a data set. Offsets are in bytes of the file. */
export interface Element {
  /** Group × 65536 + element: 0x00280010. */
  readonly tag: number;
  /** `UN` if neither file nor dictionary states it. */
  readonly vr: string;
  readonly start: number;
  readonly valueStart: number;
  /** The end of the value, before a sequence's delimiter. */
  readonly valueEnd: number;
  /** The items of a readable sequence. */
  readonly items?: readonly DataSet[] | undefined;
}

/** How the bytes of a data set are encoded. */
export interface Encoding {
  readonly isExplicit: boolean;
  readonly isLittle: boolean;
}

export interface DataSet {
  /** The file from its beginning, at least up to the end of what has been parsed. */
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly elements: ReadonlyMap<number, Element>;
}

/** The pixel data element. Its value has not been read. */
export interface PixelElement {
  readonly tag: number;
  readonly vr: string;
  readonly start: number;
  readonly valueStart: number;
  /** Undefined if the pixels are encapsulated in fragments. */
  readonly length: number | undefined;
}

/** Thrown if more of the file must be read before it can be parsed. */
export class NeedsMore {
  readonly end: number;

  constructor(end: number) {
    this.end = end;
  }
}

export const pixelTags = { integers: 0x7fe00010, floats: 0x7fe00008, doubles: 0x7fe00009 } as const;
const isPixelTag = (tag: number) => tag === pixelTags.integers || tag === pixelTags.floats || tag === pixelTags.doubles;

const itemTag = 0xfffee000;
const itemEndTag = 0xfffee00d;
const sequenceEndTag = 0xfffee0dd;
const undefinedLength = 0xffffffff;

/** The maximum nesting of sequences. Real files are far below it. */
const maxDepth = 32;
/** The maximum number of elements in a header, including those in sequences. */
const maxElements = 1_000_000;

/** Value representations with a length of four bytes, after two reserved bytes. PS3.5, 7.1.2. */
const longVrs = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'SV', 'UC', 'UN', 'UR', 'UT', 'UV']);
const implicitLittle: Encoding = { isExplicit: false, isLittle: true };

/** Parses elements. Validates every length. */
export class ElementParser {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #fileSize: number;
  #at: number;
  #count = 0;

  /** @param bytes the first bytes of the file @param fileSize the length of the whole file */
  constructor(bytes: Uint8Array, fileSize: number, at: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#fileSize = fileSize;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  /**
   * The elements of the outermost data set, up to the pixels or the end of the file.
   * @param isWanted if it returns false, parsing stops before that element
   * @throws StriaError `corrupt`, `unsupported`; NeedsMore
   */
  dataSet(encoding: Encoding, isWanted = (_: number) => true): { dataSet: DataSet; pixels: PixelElement | undefined } {
    const elements = new Map<number, Element>();
    let pixels: PixelElement | undefined;
    while (pixels === undefined && this.#at < this.#fileSize) {
      const start = this.#at;
      // A few bytes after the last element are padding.
      if (this.#fileSize - start < 8) break;
      const tag = this.#tag(encoding, this.#fileSize);
      this.#at = start;
      if (!isWanted(tag)) break;
      if (isPixelTag(tag)) pixels = this.#pixels(encoding);
      else {
        const element = this.#element(encoding, this.#fileSize, 0);
        elements.set(element.tag, element);
      }
    }
    return { dataSet: { bytes: this.#bytes, encoding, elements }, pixels };
  }

  #pixels(encoding: Encoding): PixelElement {
    const start = this.#at;
    const { tag, vr, length } = this.#head(encoding, this.#fileSize);
    return { tag, vr, start, valueStart: this.#at, length: length === undefinedLength ? undefined : length };
  }

  #element(encoding: Encoding, end: number, depth: number): Element {
    if (++this.#count > maxElements) throw new StriaError('unsupported', `the header has more than ${maxElements} elements`);
    const start = this.#at;
    const { tag, vr, length } = this.#head(encoding, end);
    const valueStart = this.#at;
    if (length === undefinedLength) {
      // Unknown elements of undefined length are implicit sequences in any file. PS3.5, 6.2.2.
      const items = this.#items(vr === 'UN' ? implicitLittle : encoding, end, depth + 1, true);
      return { tag, vr: 'SQ', start, valueStart, valueEnd: this.#at - 8, items };
    }
    const valueEnd = valueStart + length;
    if (valueEnd > end) throw overrun(tag, length, start);
    this.#load(valueEnd);
    const items = this.#itemsOfKnownLength(vr, encoding, valueStart, valueEnd, depth);
    this.#at = valueEnd;
    return { tag, vr: items === undefined ? vr : 'SQ', start, valueStart, valueEnd, items };
  }

  #itemsOfKnownLength(vr: string, encoding: Encoding, start: number, end: number, depth: number) {
    // An unknown element may also be a sequence. It then begins with an item.
    if ((vr !== 'SQ' && vr !== 'UN') || end - start < 8) return vr === 'SQ' ? [] : undefined;
    const inside = vr === 'UN' && encoding.isExplicit ? implicitLittle : encoding;
    try {
      this.#at = start;
      if (this.#tag(inside, end) !== itemTag) return undefined;
      this.#at = start;
      return this.#items(inside, end, depth + 1, false);
    } catch (error) {
      if (error instanceof StriaError && error.tag === 'corrupt') return undefined;
      throw error;
    }
  }

  #items(encoding: Encoding, end: number, depth: number, isDelimited: boolean): DataSet[] {
    if (depth > maxDepth) throw new StriaError('unsupported', `sequences are nested more than ${maxDepth} deep`);
    const items: DataSet[] = [];
    while (isDelimited || this.#at < end) {
      const start = this.#at;
      const tag = this.#tag(encoding, end);
      const length = this.#u32(encoding, end);
      if (isDelimited && tag === sequenceEndTag) return items;
      if (tag !== itemTag) throw new StriaError('corrupt', `a sequence has ${tagText(tag)} at byte ${start} instead of an item`);
      if (++this.#count > maxElements) throw new StriaError('unsupported', `the header has more than ${maxElements} elements`);
      items.push(this.#item(encoding, end, length, depth));
    }
    return items;
  }

  #item(encoding: Encoding, end: number, length: number, depth: number): DataSet {
    const elements = new Map<number, Element>();
    const isDelimited = length === undefinedLength;
    const itemEnd = isDelimited ? end : this.#at + length;
    if (itemEnd > end) throw overrun(itemTag, length, this.#at);
    while (isDelimited || this.#at < itemEnd) {
      const start = this.#at;
      if (this.#tag(encoding, itemEnd) === itemEndTag) {
        this.#u32(encoding, itemEnd);
        if (isDelimited) break;
        continue;
      }
      this.#at = start;
      const element = this.#element(encoding, itemEnd, depth);
      elements.set(element.tag, element);
    }
    return { bytes: this.#bytes, encoding, elements };
  }

  /** Reads tag, value representation and length. */
  #head(encoding: Encoding, end: number): { tag: number; vr: string; length: number } {
    const start = this.#at;
    const tag = this.#tag(encoding, end);
    this.#need(4, end);
    const vr = String.fromCharCode(this.#bytes[this.#at] as number, this.#bytes[this.#at + 1] as number);
    // Some writers put implicit elements into explicit files.
    if (!encoding.isExplicit || !/^[A-Z]{2}$/.test(vr)) return { tag, vr: vrOf(tag), length: this.#u32(encoding, end) };
    this.#at += 2;
    if (longVrs.has(vr)) {
      this.#at += 2;
      return { tag, vr, length: this.#u32(encoding, end) };
    }
    const length = this.#view.getUint16(this.#at, encoding.isLittle);
    this.#at += 2;
    if (this.#at > end) throw overrun(tag, length, start);
    return { tag, vr, length };
  }

  #tag(encoding: Encoding, end: number): number {
    this.#need(4, end);
    const group = this.#view.getUint16(this.#at, encoding.isLittle);
    const element = this.#view.getUint16(this.#at + 2, encoding.isLittle);
    this.#at += 4;
    return group * 0x10000 + element;
  }

  #u32({ isLittle }: Encoding, end: number): number {
    this.#need(4, end);
    const value = this.#view.getUint32(this.#at, isLittle);
    this.#at += 4;
    return value;
  }

  #need(length: number, end: number): void {
    if (this.#at + length > end) throw new StriaError('corrupt', `the header ends in the middle of an element, at byte ${end}`);
    this.#load(this.#at + length);
  }

  #load(end: number): void {
    if (end > this.#bytes.byteLength) throw new NeedsMore(end);
  }
}

function overrun(tag: number, length: number, at: number): StriaError {
  return new StriaError('corrupt', `${tagText(tag)} at byte ${at} has a length of ${length} bytes, which exceeds the file`);
}

/** `(0028,0010)`. */
export function tagText(tag: number): string {
  const hex = tag.toString(16).padStart(8, '0').toUpperCase();
  return `(${hex.slice(0, 4)},${hex.slice(4)})`;
}
