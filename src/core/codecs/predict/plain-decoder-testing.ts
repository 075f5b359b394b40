/**
 * A decoder written from SPEC.md, for readers and for tests: each sentence is quoted above the lines that implement it. Shares
 * no code with the reference or the kernels. Only tests import this.
 */
import { StriaError } from '../../shared/errors.ts';
import type { PlainDecoder } from '../plain-decoder-testing.ts';

type Three = readonly [number, number, number];

/** A box of elements of the chunk. */
interface Box {
  readonly origin: Three;
  readonly extent: Three;
}

/** A group of a unit: the numbers of its elements in the chunk, and its stored values. */
interface Group {
  readonly elements: readonly number[];
  class: number;
  tails: number[];
  heads: number[];
}

/** 'A unit is one plane of one brick.' */
interface Unit {
  readonly plane: number;
  readonly groups: readonly Group[];
}

export const decodePlainly: PlainDecoder = (payload, { shape, elementBytes }, parameters) => {
  const [byte] = parameters;
  // 'All other bits are 0; a decoder refuses them, and any other number of bytes.'
  if (parameters.length !== 1 || byte === undefined || (byte & 0b11101110) !== 0) throw corrupt('parameters are unknown');
  // 'Bit 0 is the geometry: 0 is volume, 1 is picture.'
  const isPicture = (byte & 1) === 1;
  // 'Bit 4 says whether the predictor 8 may occur.'
  const highestPredictor = (byte & 16) === 0 ? 7 : 8;
  // SPEC.md, 'Planes; bricks, blocks and groups'
  const size: Record<'brick' | 'block' | 'group', Three> = isPicture
    ? { brick: [64, 64, 1], block: [32, 32, 1], group: [8, 8, 1] }
    : { brick: [16, 16, 16], block: [16, 16, 16], group: [4, 4, 4] };
  // 'elements of 1 and 2 bytes are one plane, w = 8 or 16; elements of 4 bytes are two planes of 2 bytes, the low halves and the
  // high halves, w = 16'
  const planes = elementBytes === 4 ? [0, 1] : [0];
  const w = elementBytes === 1 ? 8 : 16;
  const highestClass = w === 8 ? 8 : 12;

  const whole: Box = { origin: [0, 0, 0], extent: shape };
  // 'So are blocks, but in the chunk, not brick by brick.'
  const blocks = cut(whole, size.block);
  const bricks = cut(whole, size.brick);

  const section = sectionsOf(payload);
  // 'for each block, for each plane: its predictor, 1 byte; then zeros up to a whole word'
  const predictors = section.bytes(blocks.length * planes.length);
  // 'for each block, for each plane: its first element, w / 8 bytes; then zeros up to a whole word'
  const baseBytes = section.bytes((blocks.length * planes.length * w) / 8);

  // 'Units are taken brick by brick, the low plane of each first.'
  const units: Unit[] = [];
  for (const brick of bricks) {
    for (const plane of planes) {
      const own = [...blocks.keys()].filter((number) => isInside(blocks[number] as Box, brick));
      const ownPredictors = own.map((number) => predictors[number * planes.length + plane] as number);
      // 'All its blocks then have the predictor 15, and only its predictors and bases are stored. Units that are not flat have
      // no predictor 15.'
      const isFlat = ownPredictors.every((predictor) => predictor === 15);
      // 'no predictor is above 7, or above 8 where the parameters allow it, except 15 in all blocks of a unit'
      if (!isFlat && ownPredictors.some((predictor) => predictor > highestPredictor)) throw corrupt('predictor is unknown');
      if (isFlat) continue;
      const groups = cut(brick, size.group).map((group) => ({
        elements: [...placesOf(group)].map((place) => indexIn(shape, place)),
        class: 0,
        tails: [],
        heads: [],
      }));
      units.push({ plane, groups });
    }
  }

  // 'for each unit that is not flat: for each group its class, 4 bits; then zero bits up to a whole word'
  for (const { groups } of units) {
    const classes = section.fields(groups.length, 4);
    for (const [number, group] of groups.entries()) group.class = classes[number] as number;
    // 'no class is above the highest'
    if (classes.some((one) => one > highestClass)) throw corrupt('class is unknown');
  }
  // 'for each unit, for each group: the tails of its symbols; then zero bits up to a whole word'
  const tailBits = (one: number) => (w === 16 ? Math.max(0, one - 4) : 0);
  for (const { groups } of units) {
    for (const group of groups) group.tails = section.fields(group.elements.length, tailBits(group.class));
  }
  // 'for each unit, for each group of this class: the heads of its symbols; then zero bits up to a whole word'
  for (let one = 1; one <= highestClass; one++) {
    for (const { groups } of units) {
      // 'the symbol, in 4 bits' where the class is 1
      for (const group of groups) if (group.class === one) group.heads = section.fields(group.elements.length, one === 1 ? 4 : 8);
    }
  }
  // 'its length is that of its sections'
  section.end();

  // For each plane the symbol of each element. In flat units all are 0.
  const symbols = planes.map(() => new Array<number>(shape[0] * shape[1] * shape[2]).fill(0));
  for (const { plane, groups } of units) {
    for (const group of groups) {
      for (const [i, element] of group.elements.entries()) {
        // 'its low t bits, t = class − 4, at least 0' and 'the rest, in 8 bits'
        const head = group.class === 0 ? 0 : (group.heads[i] as number);
        (symbols[plane] as number[])[element] = head * 2 ** tailBits(group.class) + (group.tails[i] as number);
      }
    }
  }

  const voxels = new Uint8Array(shape[0] * shape[1] * shape[2] * elementBytes);
  for (const [number, block] of blocks.entries()) {
    for (const plane of planes) {
      const which = number * planes.length + plane;
      const base = baseBytes.slice((which * w) / 8, ((which + 1) * w) / 8).reduce((sum, one, i) => sum + one * 256 ** i, 0);
      const residuals = [...placesOf(block)].map((place) => {
        const symbol = (symbols[plane] as number[])[indexIn(shape, place)] as number;
        // 'symbol 2r for r ≥ 0, −2r − 1 for r < 0'
        return symbol % 2 === 0 ? symbol / 2 : -(symbol + 1) / 2;
      });
      // 'each block's first symbol is 0'
      if (residuals[0] !== 0) throw corrupt('block starts with a residual');
      const elements = elementsOf(residuals, block.extent, predictors[which] as number, base, w);
      for (const [i, place] of [...placesOf(block)].entries()) {
        // 'Numbers of several bytes are little-endian.'
        for (let at = 0; at < w / 8; at++) {
          voxels[indexIn(shape, place) * elementBytes + 2 * plane + at] = (elements[i] as number) >> (8 * at);
        }
      }
    }
  }
  return voxels;
};

/** One running sum along an axis, on the lines whose coordinates along the axes in `where` are 0. */
type Sum = readonly [along: 0 | 1 | 2, where: readonly number[]];
const [x, y, z] = [0, 1, 2] as const;

// SPEC.md, 'Predictors'
const sumsOf: Readonly<Record<number, readonly Sum[]>> = {
  0: [],
  1: [
    [z, [x, y]],
    [y, [x]],
    [x, []],
  ],
  2: [
    [z, [x, y]],
    [x, [y]],
    [y, []],
  ],
  3: [
    [y, [x, z]],
    [x, [z]],
    [z, []],
  ],
  4: [
    [z, [x, y]],
    [y, []],
    [x, []],
  ],
  5: [
    [z, []],
    [y, []],
    [x, []],
  ],
  6: [
    [y, [x, z]],
    [z, []],
    [x, []],
  ],
  7: [
    [x, [y, z]],
    [z, []],
    [y, []],
  ],
};

/** A block's elements, x fastest, then y, then z. */
function elementsOf(residuals: readonly number[], extent: Three, predictor: number, base: number, w: 8 | 16): number[] {
  // 'A unit is flat if in each of its blocks all elements are the same.'
  if (predictor === 15) return residuals.map(() => base);
  const places = [...placesOf({ origin: [0, 0, 0], extent })];
  const values = residuals.map((residual) => modulo(residual, w));
  // 'A decoder puts the base in its place before it sums.'
  values[0] = base;
  if (predictor === 8) {
    for (const [at, place] of places.entries()) {
      if (at === 0) continue;
      // 'neighbours outside the block count as 0'
      const valueAt = (left: number, above: number, behind: number) => {
        const [i, j, k] = [place[0] - left, place[1] - above, place[2] - behind] as const;
        return i < 0 || j < 0 || k < 0 ? 0 : (values[indexIn(extent, [i, j, k])] as number);
      };
      // 'An element is its residual plus the median, modulo 2^w.'
      values[at] = modulo((values[at] as number) + median(valueAt), w);
    }
    return values;
  }
  for (const [along, where] of sumsOf[predictor] as readonly Sum[]) {
    for (const [at, place] of places.entries()) {
      // 'Some sums run over only part of the lines: those whose named coordinates, counted in the block, are 0.'
      if (where.some((axis) => place[axis] !== 0)) continue;
      // 'A sum along x replaces each element, from the line's second on, by itself plus its neighbour before it along x;
      // likewise along y and z.'
      if (place[along] === 0) continue;
      const before = place.map((coordinate, axis) => (axis === along ? coordinate - 1 : coordinate)) as unknown as Three;
      values[at] = modulo((values[at] as number) + (values[indexIn(extent, before)] as number), w);
    }
  }
  return values;
}

/** 'It is taken of whole numbers, not modulo 2^w' */
function median(valueAt: (left: number, above: number, behind: number) => number): number {
  const [a, b, c] = [valueAt(1, 0, 0), valueAt(0, 1, 0), valueAt(0, 0, 1)];
  const [ab, ac, bc, abc] = [valueAt(1, 1, 0), valueAt(1, 0, 1), valueAt(0, 1, 1), valueAt(1, 1, 1)];
  // 'The median is that of seven numbers: a, b, c; the three sums of predictors 4, 6 and 7; and that of predictor 5.'
  const seven = [a, b, c, a + b - ab, a + c - ac, b + c - bc, a + b + c - ab - ac - bc + abc];
  return seven.sort((one, other) => one - other)[3] as number;
}

/** 'Consecutive sections of whole words' */
function sectionsOf(payload: Uint8Array) {
  let at = 0;
  const bytes = (length: number): number[] => {
    const padded = 4 * Math.ceil(length / 4);
    if (at + padded > payload.length) throw corrupt('payload ends too soon');
    const own = [...payload.subarray(at, at + padded)];
    at += padded;
    // 'all padding bits are 0'
    if (own.slice(length).some((byte) => byte !== 0)) throw corrupt('word is not padded with zeros');
    return own.slice(0, length);
  };
  /** Fields of `width` bits each, padded to a whole word. */
  const fields = (count: number, width: number): number[] => {
    const own = bytes(4 * Math.ceil((count * width) / 32));
    // 'Bits of a byte are numbered from its lowest; fields of several bits begin with their lowest bit.'
    const bits = own.flatMap((byte) => [0, 1, 2, 3, 4, 5, 6, 7].map((bit) => (byte >> bit) & 1));
    if (bits.slice(count * width).includes(1)) throw corrupt('word is not padded with zeros');
    return Array.from({ length: count }, (_, i) =>
      bits.slice(i * width, (i + 1) * width).reduce((value, bit, number) => value + bit * 2 ** number, 0),
    );
  };
  const end = () => {
    if (at !== payload.length) throw corrupt('payload continues after its sections');
  };
  return { bytes, fields, end };
}

/** 'with x fastest, then y, then z', clipped at the far edges of the whole. */
function cut({ origin, extent }: Box, [width, height, depth]: Three): Box[] {
  const parts: Box[] = [];
  for (let k = 0; k < extent[2]; k += depth) {
    for (let j = 0; j < extent[1]; j += height) {
      for (let i = 0; i < extent[0]; i += width) {
        parts.push({
          origin: [origin[0] + i, origin[1] + j, origin[2] + k],
          extent: [Math.min(width, extent[0] - i), Math.min(height, extent[1] - j), Math.min(depth, extent[2] - k)],
        });
      }
    }
  }
  return parts;
}

function isInside(part: Box, whole: Box): boolean {
  return part.origin.every((from, axis) => {
    const start = whole.origin[axis] as number;
    return from >= start && from < start + (whole.extent[axis] as number);
  });
}

/** Coordinates in the chunk. */
function* placesOf({ origin, extent }: Box): Generator<Three> {
  for (let k = 0; k < extent[2]; k++) {
    for (let j = 0; j < extent[1]; j++) for (let i = 0; i < extent[0]; i++) yield [origin[0] + i, origin[1] + j, origin[2] + k];
  }
}

function indexIn([width, height]: Three, [i, j, k]: Three): number {
  return (k * height + j) * width + i;
}

/** 'all arithmetic on them is modulo 2^w' */
function modulo(value: number, w: 8 | 16): number {
  return ((value % 2 ** w) + 2 ** w) % 2 ** w;
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the predict ${what}`);
}
