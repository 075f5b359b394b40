/**
 * A decoder written from SPEC.md, for readers and for tests: each sentence is quoted above the lines that implement it. Shares
 * no code with the reference or the kernels. Only tests import this.
 */
import { StriaError } from '../../shared/errors.ts';
import type { PlainDecoder } from '../plain-decoder-testing.ts';

interface Section {
  readonly length: number;
  readonly kind: number;
}

/** SPEC.md, 'As a second stage': 'Its length is the sum of the sections' lengths.' */
export function decodedLengthPlainly(payload: Uint8Array): number {
  return readSections(new Bytes(payload)).reduce((sum, { length }) => sum + length, 0);
}

export const decodePlainly: PlainDecoder = (payload, { shape: [X, Y, Z], elementBytes: E }, parameters) => {
  // 'None (0 bytes). A decoder refuses any.'
  if (parameters.length !== 0) throw corrupt('parameters are not empty');
  const bytes = new Bytes(payload);
  const sections = readSections(bytes);

  // 'the sections are those of the chunk, by their number and their lengths'
  const elements = X * Y * Z;
  const isOfChunk =
    E === 1
      ? // 'Elements of 1 byte are 1 to 16 consecutive sections of any lengths but 0'
        sections.length >= 1 &&
        sections.length <= 16 &&
        sections.every(({ length }) => length > 0) &&
        sections.reduce((sum, { length }) => sum + length, 0) === elements
      : // 'Elements of 2 and 4 bytes are E sections of X × Y × Z symbols'
        sections.length === E && sections.every(({ length }) => length === elements);
  if (!isOfChunk) throw corrupt('sections are not those of the chunk');

  // 'the sections' bodies, without gaps'
  const decoded = sections.map((section) => readBody(bytes, section));
  // 'its length is exactly what its parts add up to'
  if (bytes.left > 0) throw corrupt('payload continues after its sections');

  // 'together they are the elements in order'
  if (E === 1) return Uint8Array.from(decoded.flat());
  // 'section p has byte p of each element, in order'
  return Uint8Array.from({ length: elements * E }, (_, at) => (decoded[at % E] as number[])[Math.floor(at / E)] as number);
};

function readSections(bytes: Bytes): Section[] {
  // 'the number of sections: 1 byte'
  const [count] = bytes.take(1) as [number];
  // 'for each section its length × 4 + its kind, as a varint'
  return Array.from({ length: count }, () => {
    const value = readVarint(bytes);
    return { length: Math.floor(value / 4), kind: value % 4 };
  });
}

function readVarint(bytes: Bytes): number {
  let value = 0;
  // 'no varint has more than 5 bytes'
  for (let number = 0; number < 5; number++) {
    const [byte] = bytes.take(1) as [number];
    // '7 bits in each byte, the lowest first; all bytes but the last have bit 7 set.'
    value += (byte % 128) * 128 ** number;
    if (byte >= 128) continue;
    // 'The last byte is 0 only for the value 0'
    if (byte === 0 && number > 0) throw corrupt('varint ends in 0');
    return value;
  }
  throw corrupt('varint is too long');
}

function readBody(bytes: Bytes, { length, kind }: Section): number[] {
  // 'the symbols'
  if (kind === 0) return bytes.take(length);
  // 'the one symbol that there is'
  if (kind === 1) {
    const [symbol] = bytes.take(1) as [number];
    return new Array<number>(length).fill(symbol);
  }
  // 'a table, a directory, tiles'
  if (kind === 2) return readCoded(bytes, length);
  // 'kinds are 0, 1 or 2, and varints are as above'
  throw corrupt('section is of an unknown kind');
}

/** SPEC.md, 'A coded section' */
function readCoded(bytes: Bytes, length: number): number[] {
  // 'the length of the table: 1 byte'
  const [tableLength] = bytes.take(1) as [number];
  const symbolOf = codesOf(readTable(bytes.take(tableLength)));
  // 'A tile is 32,768 symbols of the section; the last tile has the rest.'
  const tileCount = Math.ceil(length / 32768);
  // 'the directory: for each tile its length in bytes, 2 bytes each'
  const lengths = Array.from({ length: tileCount }, () => {
    const [low, high] = bytes.take(2) as [number, number];
    return low + 256 * high;
  });
  // 'the tiles, without gaps'
  return lengths.flatMap((tileLength, tile) =>
    readTile(bytes.take(tileLength), Math.min(32768, length - 32768 * tile), symbolOf),
  );
}

/** The length of each symbol's code, 0 for none. */
function readTable(table: readonly number[]): number[] {
  // 'The code lengths of the symbols, from symbol 0 on, in nibbles; a byte's low nibble comes first.'
  const nibbles = table.flatMap((byte) => [byte % 16, Math.floor(byte / 16)]);
  const lengths: number[] = [];
  let last = 0;
  let at = 0;
  const next = () => {
    if (at === nibbles.length) throw corrupt('table ends too soon');
    return nibbles[at++] as number;
  };
  const add = (count: number, length: number) => {
    for (let i = 0; i < count; i++) lengths.push(length);
    if (count === 0) return;
    last = length;
    // 'tables name no more than 256 symbols, and their codes are complete'
    if (lengths.length > 256) throw corrupt('table names too many symbols');
  };
  while (at < nibbles.length) {
    const nibble = next();
    // 'A nibble that fills the last byte is 0.'
    if (nibble === 0 && at === nibbles.length) break;
    // 'the next symbol has no code'
    if (nibble === 0) add(1, 0);
    // 'the length in bits of the next symbol's code'
    else if (nibble <= 12) add(1, nibble);
    // 'the next 2 + a symbols have no code'
    else if (nibble === 13) add(2 + next(), 0);
    // 'the next 18 + a + 16b symbols have no code'
    else if (nibble === 14) add(18 + next() + 16 * next(), 0);
    // 'the next 2 + a symbols repeat the one before (at first: no code)'
    else add(2 + next(), last);
  }
  // 'Symbols after the last nibble have no code.'
  while (lengths.length < 256) lengths.push(0);
  // 'The lengths l of all symbols with a code fulfil Σ 2^(12 − l) = 4096: the code is complete.'
  const sum = lengths.reduce((total, l) => total + (l === 0 ? 0 : 2 ** (12 - l)), 0);
  if (sum !== 4096) throw corrupt('code is not complete');
  return lengths;
}

/** Maps each code, as a string of its bits, to its symbol. */
function codesOf(lengths: readonly number[]): ReadonlyMap<string, number> {
  const symbolOf = new Map<string, number>();
  // 'the first is all zeros'
  let code = 0;
  for (let length = 1; length <= 12; length++) {
    // 'codes rise, as numbers, with their length, and among those of one length with the symbol'
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      // 'A code's highest bit comes first.'
      symbolOf.set(code.toString(2).padStart(length, '0'), symbol);
      code++;
    }
    // 'A code of length l + 1 follows one of length l as (code + 1) × 2.'
    code *= 2;
  }
  return symbolOf;
}

/** SPEC.md, 'Tiles': n symbols. */
function readTile(tile: readonly number[], n: number, symbolOf: ReadonlyMap<string, number>): number[] {
  // 'Bits of a byte are numbered from its lowest; fields of several bits begin with their lowest bit.'
  const bits = tile.flatMap((byte) => [...byte.toString(2).padStart(8, '0')].reverse());
  let at = 0;
  const nextBit = () => {
    if (at === bits.length) throw corrupt('tile ends too soon');
    return bits[at++] as string;
  };
  const read = (count: number) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++) value += Number(nextBit()) * 2 ** bit;
    return value;
  };

  // 'L = ceil(n / 256) segments share them'
  const L = Math.ceil(n / 256);
  // 'the base, which is subtracted from all segment lengths'
  const base = L > 1 ? read(12) : 0;
  // 'the width w of the differences'
  const w = L > 1 ? read(4) : 0;
  // 'its length in bits minus the base'
  const lengths = Array.from({ length: L - 1 }, () => base + read(w));

  const symbols = new Array<number>(n).fill(0);
  for (let j = 0; j < L; j++) {
    const start = at;
    // 'segment j has the groups j, j + L, j + 2L and so on'
    for (let group = j; 4 * group < n; group += L) {
      // 'The symbols of a tile, n of them, are taken in groups of four; the last group may have fewer.'
      for (let i = 4 * group; i < Math.min(n, 4 * group + 4); i++) {
        let code = '';
        while (!symbolOf.has(code)) code += nextBit();
        symbols[i] = symbolOf.get(code) as number;
      }
    }
    // 'every segment takes as many bits as its tile says'
    if (j < L - 1 && at - start !== lengths[j]) throw corrupt('segment has a wrong length');
  }
  // 'each tile ends with fewer than 8 bits after its last segment, all 0'
  if (bits.length - at >= 8 || bits.slice(at).includes('1')) throw corrupt('tile does not end in zeros');
  return symbols;
}

/** Reads bytes in order. */
class Bytes {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number): number[] {
    if (length > this.left) throw corrupt('payload ends too soon');
    this.#at += length;
    return [...this.#bytes.subarray(this.#at - length, this.#at)];
  }
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the huffman ${what}`);
}
