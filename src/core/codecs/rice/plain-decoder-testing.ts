/**
 * A decoder written from SPEC.md, for readers and for tests: each sentence is quoted above the lines that implement it. Shares
 * no code with the reference or the kernels. Only tests import this.
 */
import { StriaError } from '../../shared/errors.ts';
import type { PlainDecoder } from '../plain-decoder-testing.ts';
import { predictionOf, runningSums, sumsOf } from './plain-predictors-testing.ts';

type Three = readonly [number, number, number];

/** A box of elements inside another box. */
interface Box {
  readonly origin: Three;
  readonly extent: Three;
}

// SPEC.md, 'Bricks, blocks and groups'
const sizes = {
  'volume, w = 8': { brick: [16, 16, 16], block: [16, 16, 16], group: [4, 4, 4] },
  'volume, w = 16': { brick: [16, 16, 8], block: [16, 16, 8], group: [4, 4, 2] },
  'picture, w = 8': { brick: [64, 64, 1], block: [32, 32, 1], group: [8, 8, 1] },
  'picture, w = 16': { brick: [64, 32, 1], block: [32, 32, 1], group: [8, 4, 1] },
} as const;

interface Form {
  readonly w: 8 | 16;
  readonly size: (typeof sizes)[keyof typeof sizes];
  readonly isPicture: boolean;
  /** Bits of a predictor's number. */
  readonly p: 3 | 4;
}

export const decodePlainly: PlainDecoder = (payload, { shape, elementBytes }, parameters) => {
  // 'One byte, the form'
  const [form] = parameters;
  // 'A decoder refuses any other byte, and any other number of bytes.'
  if (parameters.length !== 1 || form === undefined || (form & 0b11101110) !== 0) throw corrupt('parameters are unknown');
  // 'the geometry: 0 is volume, 1 is picture'
  const isPicture = (form & 1) === 1;
  // 'p is 3, or 4 with bit 4 of the form'
  const p = (form & 16) === 0 ? 3 : 4;

  // 'Elements of 1 and 2 bytes are one plane, w = 8 or 16. Elements of 4 bytes are two planes of 2 bytes: the low halves and
  // the high halves.'
  const planes = elementBytes === 4 ? 2 : 1;
  const w = elementBytes === 1 ? 8 : 16;
  const size = sizes[`${isPicture ? 'picture' : 'volume'}, w = ${w}`];

  // 'The chunk is cut into bricks from its first element on'
  const bricks = cut(shape, size.brick);

  // 'the directory: for each brick its length in words of 4 bytes, 2 bytes each; then zeros up to a whole word'
  const lengths: number[] = [];
  let at = 0;
  const nextByte = () => {
    if (at === payload.length) throw corrupt('payload ends in its directory');
    return payload[at++] as number;
  };
  // 'If a brick has two planes, the low one comes first in both.'
  for (let i = 0; i < bricks.length * planes; i++) lengths.push(nextByte() + 256 * nextByte());
  while (at % 4 !== 0) if (nextByte() !== 0) throw corrupt('directory does not end in zeros');

  // 'its directory is whole and ends in zeros, and the bricks' lengths add up to the rest'
  if (at + 4 * lengths.reduce((sum, length) => sum + length, 0) !== payload.length) throw corrupt('lengths do not add up');

  const voxels = new Uint8Array(shape[0] * shape[1] * shape[2] * elementBytes);
  for (const { origin, extent } of bricks) {
    for (let plane = 0; plane < planes; plane++) {
      // 'the bricks, without gaps'
      const words = lengths.shift() as number;
      // 'no plane of a brick has more than 1034 words'
      if (words > 1034) throw corrupt('brick is too long');
      const elements = decodeBrick(payload.subarray(at, at + 4 * words), extent, { w, size, isPicture, p });
      at += 4 * words;
      for (const [x, y, z] of placesOf(extent)) {
        const element = elements[indexIn(extent, [x, y, z])] as number;
        const number = indexIn(shape, [origin[0] + x, origin[1] + y, origin[2] + z]);
        // 'Numbers of several bytes are little-endian.'
        for (let byte = 0; byte < w / 8; byte++) voxels[number * elementBytes + 2 * plane + byte] = element >> (8 * byte);
      }
    }
  }
  return voxels;
};

/** SPEC.md, 'A brick': its elements, x fastest, then y, then z. */
function decodeBrick(bytes: Uint8Array, extent: Three, { w, size, isPicture, p }: Form): number[] {
  // 'A brick is one sequence of bits, in whole words of 32'
  // 'Bits of a byte are numbered from its lowest'
  const bits = [...bytes].flatMap((byte) => [0, 1, 2, 3, 4, 5, 6, 7].map((bit) => (byte >> bit) & 1));
  let position = 0;
  const nextBit = () => {
    if (position === bits.length) throw corrupt('brick ends too soon');
    return bits[position++] as number;
  };
  // 'fields of several bits begin with their lowest bit'
  const read = (count: number) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++) value += nextBit() * 2 ** bit;
    return value;
  };

  // 'the lowest code of its groups'
  const lowestCode = read(4);
  // 'the codes' width c, 0 to 4'
  const c = read(3);
  // 'c is at most 4, no code is above the raw group's'
  if (c > 4) throw corrupt('codes are too wide');
  // '1 if there are escapes'
  const saysEscapes = read(1) === 1;

  // 'each brick into blocks and into groups, each group into elements'
  const blocks = cut(extent, size.block);
  const groups = cut(extent, size.group);
  const rawCode = w === 8 ? 8 : 15;

  // 'its predictor; its base: see Predictors.'
  const choices = blocks.map(() => ({ predictor: read(p), base: read(w) }));
  // 'its code minus the lowest'
  const codes = groups.map(() => lowestCode + read(c));
  if (codes.some((code) => code > rawCode)) throw corrupt('code is unknown');

  // SPEC.md, 'Codes': 'the low k bits, k = code − 1', and for raw 'the whole symbol, w bits'
  const isRice = (code: number) => code > 0 && code < rawCode;
  const suffixBitsOf = (code: number) => (code === 0 ? 0 : isRice(code) ? code - 1 : w);

  const placed = groups.map((group) => elementsByPlace(group, extent, size.group, w));
  const symbols = new Array<number>(extent[0] * extent[1] * extent[2]).fill(0);

  // 'for each group: all prefixes'
  const escapes: { index: number; k: number }[] = [];
  for (const [number, code] of codes.entries()) {
    if (!isRice(code)) continue;
    const k = code - 1;
    for (const index of (placed[number] as Map<number, number>).values()) {
      // 'The quotient of symbol s is q = s >> k. Its prefix is q zero bits and a one.'
      let q = 0;
      while (nextBit() === 0) q++;
      // 'no prefix has more than 15 zeros, no escape is below 15, no symbol is 2^w or more'
      if (q > 15) throw corrupt('prefix is too long');
      // 'A quotient of 15 or more is an escape: its prefix is 15 zero bits and a one, and q itself is stored among the escapes, in
      // w − k bits.'
      if (q === 15) escapes.push({ index, k });
      else symbols[index] = q * 2 ** k;
    }
  }
  // 'the escape bit is 1 exactly if there are escapes'
  if (saysEscapes !== escapes.length > 0) throw corrupt('escape bit is wrong');

  // 'for each group: all escapes'
  for (const { index, k } of escapes) {
    const q = read(w - k);
    if (q < 15) throw corrupt('escape is too small');
    symbols[index] = q * 2 ** k;
  }

  // 'The suffixes end with the brick's last word.'
  let suffixBits = 0;
  for (const [number, code] of codes.entries()) suffixBits += suffixBitsOf(code) * (placed[number] as Map<number, number>).size;
  // 'each brick's suffixes start where the fields before them end, or fewer than 32 bits later, and the bits between are all 0'
  const padding = bits.length - suffixBits - position;
  if (padding < 0 || padding >= 32) throw corrupt('suffixes start in a wrong place');
  if (read(padding) !== 0) throw corrupt('bits before the suffixes are not 0');

  // 'for each group: all suffixes'
  for (const [number, code] of codes.entries()) {
    const group = placed[number] as Map<number, number>;
    // 'Each 32 places of a whole group are a set: w = 8 has two, w = 16 one.'
    for (let set = 0; set < (w === 8 ? 2 : 1); set++) {
      const inSet = [...group].filter(([place]) => Math.floor(place / 32) === set);
      // 'Elements that do not exist are left out; the others keep their order.'
      const inOrder = inSet.sort(([one], [other]) => numberInPlane(one % 32, w) - numberInPlane(other % 32, w));
      // 'For each set, for each bit b of its suffixes, from 0 on, there is a plane: bit b of each symbol of the set.'
      for (let b = 0; b < suffixBitsOf(code); b++) {
        for (const [, index] of inOrder) symbols[index] = (symbols[index] as number) + nextBit() * 2 ** b;
      }
    }
  }
  if (symbols.some((symbol) => symbol >= 2 ** w)) throw corrupt('symbol is too large');

  const elements = new Array<number>(symbols.length).fill(0);
  for (const [number, block] of blocks.entries()) {
    const { predictor, base } = choices[number] as { predictor: number; base: number };
    const indexOf = (place: Three) =>
      indexIn(extent, place.map((x, axis) => x + (block.origin[axis] as number)) as unknown as Three);
    // 'each block's first symbol is 0, except with level'
    if (predictor !== 0 && symbols[indexOf([0, 0, 0])] !== 0) throw corrupt('block starts with a residual');
    const residuals = [...placesOf(block.extent)].map((place) => residualOf(symbols[indexOf(place)] as number));
    const made = undoPrediction(residuals, block.extent, predictor, base, w, isPicture);
    for (const place of placesOf(block.extent)) elements[indexOf(place)] = made[indexIn(block.extent, place)] as number;
  }
  return elements;
}

/** SPEC.md, 'Symbols' */
function residualOf(symbol: number): number {
  // 'symbol 2r for r ≥ 0, −2r − 1 for r < 0'
  return symbol % 2 === 0 ? symbol / 2 : -(symbol + 1) / 2;
}

/** A block's elements, x fastest, then y, then z. */
function undoPrediction(
  residuals: number[],
  extent: Three,
  predictor: number,
  base: number,
  w: 8 | 16,
  isPicture: boolean,
): number[] {
  // 'Level's base is any number that the encoder chose, and all elements have residuals.'
  if (predictor === 0) return residuals.map((residual) => modulo(base + residual, w));
  // 'The predictors 1 to 7 are running sums'
  const sums = sumsOf(predictor);
  if (sums) return runningSums(residuals, extent, sums, base, w);
  const elements: number[] = [];
  for (const [x, y, z] of placesOf(extent)) {
    // 'With all other predictors the base is the block's first element, which has no neighbours: its residual counts as 0, and
    // is coded as 0.'
    if (x === 0 && y === 0 && z === 0) {
      elements.push(base);
      continue;
    }
    // 'For median and linear, the base is subtracted from elements of w = 16, and the differences are taken as signed, from
    // −2^15 on (the base is added to the prediction again). So signed data have no jump between −1 and 0. Elements of w = 8 are taken as they
    // are.'
    const valueAt = (place: Three) => {
      const element = elements[indexIn(extent, place)] as number;
      return w === 8 ? element : modulo(element - base + 2 ** 15, 16) - 2 ** 15;
    };
    const prediction = predictionOf(predictor, valueAt, [x, y, z], w, isPicture) + (w === 8 ? 0 : base);
    // 'An element's residual is the element minus its prediction, modulo 2^w.'
    elements.push(modulo(prediction + (residuals[elements.length] as number), w));
  }
  return elements;
}

/** Maps each place of a whole group that the edges do not clip, in rising order, to the element's number in the brick. */
function elementsByPlace(group: Box, brick: Three, whole: Three, w: 8 | 16): Map<number, number> {
  // 'A tile is one word of 4 bytes × 4 rows: 4 × 4 × 1 elements of w = 8, 2 × 4 × 1 of w = 16.'
  const tile: Three = w === 8 ? [4, 4, 1] : [2, 4, 1];
  const elements = new Map<number, number>();
  let place = 0;
  // 'Tiles in a group are taken with x fastest, then y, then z; elements in a tile with x fastest, then y.'
  for (const { origin } of cut(whole, tile)) {
    for (const [x, y, z] of placesOf(tile)) {
      const inGroup: Three = [origin[0] + x, origin[1] + y, origin[2] + z];
      // 'Elements that the edges clip away leave their places empty; the others keep theirs, and their order.'
      if (inGroup.every((coordinate, axis) => coordinate < (group.extent[axis] as number))) {
        const [i, j, k] = inGroup;
        elements.set(place, indexIn(brick, [group.origin[0] + i, group.origin[1] + j, group.origin[2] + k]));
      }
      place++;
    }
  }
  return elements;
}

/** 'The element at place e of the set, e = 0 to 31, is number n of its plane' */
function numberInPlane(e: number, w: 8 | 16): number {
  // '8 (e mod 4) + floor(e / 4)'
  if (w === 8) return 8 * (e % 4) + Math.floor(e / 4);
  // '16 (e mod 2) + 8 (floor(e / 8) mod 2) + 4 floor(e / 16) + (floor(e / 2) mod 4)'
  return 16 * (e % 2) + 8 * (Math.floor(e / 8) % 2) + 4 * Math.floor(e / 16) + (Math.floor(e / 2) % 4);
}

/** 'the chunk's far edges clip all of them, and elements outside do not exist', all 'taken with x fastest, then y, then z' */
function cut(whole: Three, [width, height, depth]: Three): Box[] {
  const parts: Box[] = [];
  for (let z = 0; z < whole[2]; z += depth) {
    for (let y = 0; y < whole[1]; y += height) {
      for (let x = 0; x < whole[0]; x += width) {
        const extent: Three = [Math.min(width, whole[0] - x), Math.min(height, whole[1] - y), Math.min(depth, whole[2] - z)];
        parts.push({ origin: [x, y, z], extent });
      }
    }
  }
  return parts;
}

function* placesOf([width, height, depth]: Three): Generator<Three> {
  for (let z = 0; z < depth; z++) for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) yield [x, y, z];
}

function indexIn([width, height]: Three, [x, y, z]: Three): number {
  return (z * height + y) * width + x;
}

/** 'all arithmetic on them is modulo 2^w' */
function modulo(value: number, w: 8 | 16): number {
  return ((value % 2 ** w) + 2 ** w) % 2 ** w;
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the rice ${what}`);
}
