import type { Dims3 } from '../../shared/volume.ts';
import { guessWeights, missChance, newLabelChances, rowMissChances, thirdMissChance } from './tables.ts';

export const brickEdge = 16;

/** 'A brick of more than 64 labels is a raw brick.' */
export const maxLabels = 64;

/** The index for neighbours that do not exist. */
const none = 255;

/** An encoder, which knows the elements, or a decoder, which learns them. Labels are identified by their index in the brick. */
export interface WalkPartner {
  /** Codes whether any element of row (y, z) differs from this label. */
  rowDiffers(label: number, chance: number, y: number, z: number): boolean;
  /** Makes (x, y, z) the element that the following calls are about. */
  enter(x: number, y: number, z: number): void;
  /** Codes whether the element differs from this label. */
  differs(label: number, chance: number): boolean;
  /** Codes whether the element's label is new to the brick. If `chance` is undefined, it certainly is. */
  isNew(chance: number | undefined): boolean;
  /** Gives the element's label the next index, `labelCount`. */
  addLabel(labelCount: number): void;
  /** Codes which of the known labels the element has. */
  knownLabel(labelCount: number): number;
}

/** A brick's labels are stored with a border of `none`, so that every neighbour can be read. */
const steps = { x: 1, y: brickEdge + 2, z: (brickEdge + 2) ** 2 } as const;
const paddedCount = steps.z * (brickEdge + 1);

/** The index of element (x, y, z) in the result of `walkBrick`. */
export function placeOf(x: number, y: number, z: number): number {
  return x + 1 + (y + 1) * steps.y + (z + 1) * steps.z;
}

/** 'the nine behind': from x − 1 to x + 1, then from y − 1 to y + 1, all at z − 1. */
const behind = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => x + y * steps.y - steps.z));
const [left, above, aboveRight] = [-steps.x, -steps.y, steps.x - steps.y];
const [middle, right, lower, lowerRight] = [behind[4], behind[5], behind[7], behind[8]] as [number, number, number, number];
/** 'the seven near'. */
const near = [left, above - steps.x, above, aboveRight, middle, right, lower];
/** The order in which guesses are sought. */
const guessOrder = [left, above, middle, right, lower, aboveRight, lowerRight];
/** 'The rows around a row' */
const rowsAround = [-steps.y, -steps.y - steps.z, -steps.z, steps.y - steps.z];

/**
 * Walks through a brick (SPEC.md, 'Walk') and asks `partner` whatever is not known.
 * @returns each element's label, as an index by order of first appearance, at `placeOf` the element
 */
export function walkBrick(extent: Dims3, partner: WalkPartner): Uint8Array {
  const labels = new Uint8Array(paddedCount).fill(none);
  let labelCount = 0;
  for (let z = 0; z < extent[2]; z++) {
    for (let y = 0; y < extent[1]; y++) {
      const start = placeOf(0, y, z);
      const end = start + extent[0];
      const around = commonLabel(labels, start, end);
      if (around && !partner.rowDiffers(around.label, rowMissChances[around.rows] as number, y, z)) {
        labels.fill(around.label, start, end);
        continue;
      }
      for (let at = start; at < end; at++) {
        partner.enter(at - start, y, z);
        const label = codeElement(labels, at, labelCount, partner);
        if (label === labelCount) labelCount++;
        labels[at] = label;
      }
    }
  }
  return labels;
}

/** The label that all rows around a row share, and how many of the four exist. Undefined if labels differ or no row exists. */
function commonLabel(labels: Uint8Array, start: number, end: number): { label: number; rows: number } | undefined {
  let label = none;
  let rows = 0;
  for (const offset of rowsAround) {
    const first = labels[start + offset] as number;
    if (first === none) continue;
    if (label === none) label = first;
    for (let at = start + offset; at < end + offset; at++) if (labels[at] !== label) return undefined;
    rows++;
  }
  return rows > 0 ? { label, rows } : undefined;
}

/** Codes one element's label: first the guesses in order, then the remaining labels. */
function codeElement(labels: Uint8Array, at: number, labelCount: number, partner: WalkPartner): number {
  const guesses: number[] = [];
  while (guesses.length < 3) {
    const guess = nextGuess(labels, at, guesses);
    if (guess === none) break;
    if (!partner.differs(guess, missChanceOf(labels, at, guess, guesses.length))) return guess;
    guesses.push(guess);
  }
  // 'let m be the number of labels met in this brick so far, less the number of guesses. If m = 0, the label is new.'
  const left = labelCount - guesses.length;
  const chance = left === 0 ? undefined : newLabelChances[Math.min(left, newLabelChances.length - 1)];
  if (!partner.isNew(chance)) return partner.knownLabel(labelCount);
  partner.addLabel(labelCount);
  return labelCount;
}

/** 'it is the first label in this order that exists and has not been guessed yet' */
function nextGuess(labels: Uint8Array, at: number, guesses: readonly number[]): number {
  const labelAbove = labels[at + above] as number;
  if (guesses.length === 0 && labelAbove !== none && labelAbove === labels[at + middle]) return labelAbove;
  for (const offset of guessOrder) {
    const label = labels[at + offset] as number;
    if (label !== none && !guesses.includes(label)) return label;
  }
  return none;
}

function missChanceOf(labels: Uint8Array, at: number, guess: number, number: number): number {
  const weights = guessWeights[number];
  if (!weights) return thirdMissChance;
  const ofBehind = weights.behind[agreeing(labels, at, behind, guess)] as number;
  const ofNear = weights.near[agreeing(labels, at, near, guess)] as number;
  return missChance(ofBehind + ofNear);
}

/** One bit for each neighbour that has this label. The first neighbour's is the lowest. */
function agreeing(labels: Uint8Array, at: number, neighbours: readonly number[], label: number): number {
  let bits = 0;
  for (let i = 0; i < neighbours.length; i++) {
    if (labels[at + (neighbours[i] as number)] === label) bits |= 1 << i;
  }
  return bits;
}
