/**
 * A decoder written from SPEC.md, for readers and for tests: each sentence is quoted above the lines that implement it. Shares
 * no code with the reference or the kernels. Only tests import this.
 */
import { StriaError } from '../../shared/errors.ts';
import type { PlainDecoder } from '../plain-decoder-testing.ts';
import {
  chanceOfWrong,
  chancesOfDifference,
  chancesOfNew,
  digits,
  type GuessNumber,
  PlainRangeDecoder,
} from './plain-chances-testing.ts';

type Three = readonly [number, number, number];

export const decodePlainly: PlainDecoder = (payload, { shape, elementBytes: E }, parameters) => {
  // 'A decoder refuses a chunk that has any.'
  if (parameters.length !== 0) throw corrupt('parameters are not empty');

  // '16 × 16 × 16 elements, cut from the chunk's first element on and clipped at its far edges; elements outside do not exist.
  // Bricks in a chunk, and elements in a brick, are taken with x fastest, then y, then z.'
  const bricks: { origin: Three; extent: Three }[] = [];
  for (const [x, y, z] of placesOf([Math.ceil(shape[0] / 16), Math.ceil(shape[1] / 16), Math.ceil(shape[2] / 16)])) {
    const origin: Three = [16 * x, 16 * y, 16 * z];
    const extent: Three = [Math.min(16, shape[0] - 16 * x), Math.min(16, shape[1] - 16 * y), Math.min(16, shape[2] - 16 * z)];
    bricks.push({ origin, extent });
  }

  let at = 0;
  const take = (length: number) => {
    if (at + length > payload.length) throw corrupt('payload ends too soon');
    at += length;
    return payload.subarray(at - length, at);
  };
  // 'fields of several bits begin with their lowest bit'
  const takeFields = (count: number, width: number) => {
    const bits = [...take(Math.ceil((count * width) / 8))].flatMap((byte) =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((bit) => (byte >> bit) & 1),
    );
    // 'padding bits that are not 0'
    if (bits.slice(count * width).includes(1)) throw corrupt('directory has a byte that is not padded with zeros');
    return Array.from({ length: count }, (_, i) =>
      bits.slice(i * width, (i + 1) * width).reduce((value, bit, number) => value + bit * 2 ** number, 0),
    );
  };
  // 'one byte, w: the lengths' width'
  const [w] = take(1) as unknown as [number];
  // 'A decoder refuses more than 16'
  if (w > 16) throw corrupt('lengths are too wide');
  // 'two bits for each brick, its kind, padded with zero bits to a whole byte: ceil(n / 4) bytes'
  const kinds = takeFields(bricks.length, 2);
  // 'w bits for the length in bytes of each coded brick, padded likewise: ceil(w c / 8) bytes'
  const lengths = takeFields(kinds.filter((kind) => kind === 2).length, w);

  const voxels = new Uint8Array(shape[0] * shape[1] * shape[2] * E);
  let first: number[] | undefined;
  for (const [number, { origin, extent }] of bricks.entries()) {
    const count = extent[0] * extent[1] * extent[2];
    let elements: number[][];
    const kind = kinds[number];
    if (kind === 0) {
      // 'none: all elements are the first element of the brick before this one. Never the first brick'
      if (!first) throw corrupt('payload has a first brick that refers to a previous one');
      elements = new Array<number[]>(count).fill(first);
    } else if (kind === 1) {
      // 'all elements are this'
      elements = new Array<number[]>(count).fill([...take(E)]);
    } else if (kind === 2) {
      // 'as many as its length says'
      elements = decodeBrick(take(lengths.shift() as number), extent, E);
    } else {
      // 'its elements'
      elements = Array.from({ length: count }, () => [...take(E)]);
    }
    first = elements[0] as number[];
    for (const [i, [x, y, z]] of [...placesOf(extent)].entries()) {
      const place = indexIn(shape, [origin[0] + x, origin[1] + y, origin[2] + z]);
      voxels.set(elements[i] as number[], place * E);
    }
  }
  // 'a payload whose length is not what its parts add up to'
  if (at !== payload.length) throw corrupt('payload continues after its bricks');
  return voxels;
};

/** SPEC.md, 'A coded brick': its elements, x fastest, then y, then z. */
function decodeBrick(bytes: Uint8Array, extent: Three, E: number): number[][] {
  const coder = new PlainRangeDecoder(bytes);
  // 'So the stream is read from the brick's start and labels from its end. Labels are numbered from 0 in the order in which the walk
  // meets them.'
  const labels: number[][] = [];
  const newLabel = () => {
    // 'a 65th label'
    if (labels.length === 64) throw corrupt('brick has a 65th label');
    // 'the brick's labels, E bytes each, the last one first'
    const start = bytes.length - (labels.length + 1) * E;
    if (start < 0) throw corrupt('brick ends too soon');
    labels.push([...bytes.subarray(start, start + E)]);
    return labels.length - 1;
  };

  // The number of each element's label. Elements that the walk has not reached yet do not exist.
  const known: number[] = [];
  const labelAt = (x: number, y: number, z: number): number | undefined => {
    const exists = x >= 0 && y >= 0 && z >= 0 && x < extent[0] && y < extent[1];
    return exists ? known[indexIn(extent, [x, y, z])] : undefined;
  };
  const rowAt = (y: number, z: number) => Array.from({ length: extent[0] }, (_, x) => labelAt(x, y, z));

  // 'Row by row (along x), y from 0 up, then z.'
  for (let z = 0; z < extent[2]; z++) {
    for (let y = 0; y < extent[1]; y++) {
      // 'The rows around a row (y, z) are those of (y − 1, z), (y − 1, z − 1), (y, z − 1) and (y + 1, z − 1) that exist in the brick.'
      const around = [rowAt(y - 1, z), rowAt(y - 1, z - 1), rowAt(y, z - 1), rowAt(y + 1, z - 1)].filter(
        ([one]) => one !== undefined,
      );
      // 'If there is at least one, and all their elements have the same label, a question is asked: does any element of the row differ
      // from it?'
      const [label, ...others] = new Set(around.flat());
      if (label !== undefined && others.length === 0) {
        // 'The chance of a yes, by the number of rows around it, 1 to 4'
        const differs = coder.ask(chancesOfDifference[around.length - 1] as number);
        // 'After a no, the row has that label.'
        if (!differs) {
          for (let x = 0; x < extent[0]; x++) known.push(label);
          continue;
        }
      }
      // 'In all other cases the row's elements are walked one by one'
      for (let x = 0; x < extent[0]; x++) known.push(nextLabel(coder, labelAt, [x, y, z], labels, newLabel));
    }
  }
  // 'A decoder refuses a brick whose stream and labels, as it met them, do not add up to the brick's length'
  if (coder.streamLength() + labels.length * E !== bytes.length) throw corrupt('brick has a wrong length');
  return known.map((number) => labels[number] as number[]);
}

/** SPEC.md, 'Guesses' */
function nextLabel(
  coder: PlainRangeDecoder,
  labelAt: (x: number, y: number, z: number) => number | undefined,
  [x, y, z]: Three,
  labels: readonly number[][],
  newLabel: () => number,
): number {
  const above = labelAt(x, y - 1, z);
  const behind = labelAt(x, y, z - 1);
  // 'left (x − 1, y, z); above; behind; (x + 1, y, z − 1); (x, y + 1, z − 1); (x + 1, y − 1, z); (x + 1, y + 1, z − 1)'
  const inOrder = [
    labelAt(x - 1, y, z),
    above,
    behind,
    labelAt(x + 1, y, z - 1),
    labelAt(x, y + 1, z - 1),
    labelAt(x + 1, y - 1, z),
    labelAt(x + 1, y + 1, z - 1),
  ];
  // 'The first guess is the label above, (x, y − 1, z), where that exists and is the same as that behind, (x, y, z − 1).'
  const preferred = above === behind ? [above] : [];
  // 'Else, and for all later guesses, it is the first label in this order that exists and has not been guessed yet'
  const candidates = [...new Set([...preferred, ...inOrder])].filter((label) => label !== undefined);
  // 'For each guess, three at most, a question is asked: is it wrong? After a no, the element has that label.'
  const guesses = candidates.slice(0, 3);
  for (const [number, guess] of guesses.entries()) {
    const isGuess = (i: number, j: number, k: number) => labelAt(x + i, y + j, z + k) === guess;
    if (!coder.ask(chanceOfWrong(number as GuessNumber, isGuess))) return guess;
  }
  // 'let m be the number of labels met in this brick so far, less the number of guesses. If m = 0, the label is new.'
  const m = labels.length - guesses.length;
  if (m === 0) return newLabel();
  // 'Else a question is asked: is it new?'
  if (coder.ask(chancesOfNew[Math.min(m, 7) - 1] as number)) return newLabel();
  // 'The number of any other label is written bit by bit, the lowest first, each bit a question of chance 2048 (yes: 1). It has
  // as many bits as the largest number met so far has binary digits.'
  let label = 0;
  for (let bit = 0; bit < digits(labels.length - 1); bit++) label += coder.ask(2048) ? 2 ** bit : 0;
  // 'one that names a number that no label has'
  if (label >= labels.length) throw corrupt('brick refers to an unknown label');
  return label;
}

function* placesOf([width, height, depth]: Three): Generator<Three> {
  for (let z = 0; z < depth; z++) for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) yield [x, y, z];
}

function indexIn([width, height]: Three, [x, y, z]: Three): number {
  return (z * height + y) * width + x;
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the labels ${what}`);
}
