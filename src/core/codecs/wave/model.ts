import type { PlaneType } from './layout.ts';

/** The neighbours that a prediction weighs, as offsets (x, y, z): SPEC.md, 'Prediction'. The first ten are in the element's slice. */
export const neighbours = [
  [-1, 0, 0],
  [0, -1, 0],
  [-1, -1, 0],
  [1, -1, 0],
  [-2, 0, 0],
  [0, -2, 0],
  [-1, -2, 0],
  [1, -2, 0],
  [-2, -1, 0],
  [2, -1, 0],
  [0, 0, -1],
  [-1, 0, -1],
  [0, -1, -1],
  [1, 0, -1],
  [0, 1, -1],
  [-1, -1, -1],
  [1, -1, -1],
  [-1, 1, -1],
  [1, 1, -1],
  [2, 0, -1],
  [0, 2, -1],
  [-2, 0, -1],
  [0, -2, -1],
  [0, 0, -2],
  [-1, 0, -2],
  [0, -1, -2],
  [1, 0, -2],
  [0, 1, -2],
] as const;

export const neighbourCount = neighbours.length;
export const inPlaneCount = 10;
export const signCells = 27;

/** A coded part's fields about its elements: SPEC.md, 'A coded part'. */
export interface Model extends PlaneType {
  /** The lowest element. It is subtracted from all elements, modulo 2^w. */
  readonly lowest: number;
  /** The highest element minus the lowest. */
  readonly range: number;
  /** The special values, at most two. */
  readonly specials: readonly number[];
  /** Weights of the neighbours in 256ths; all 0 in a part of one slice. */
  readonly weights: Int32Array;
  /** Weights of the first ten neighbours in slice 0. */
  readonly firstWeights: Int32Array;
}

/** A coded part's fields about its codes. */
export interface Coding {
  /** For each level of energy, the level whose tables it uses. */
  readonly levels: Uint8Array;
  readonly residualBias: Int32Array;
  readonly gradientBias: Int32Array;
}

/** The level of an energy, in half octaves: SPEC.md, 'Energy'. */
export function levelOf(energy: number): number {
  if (energy === 0) return 0;
  const octave = 31 - Math.clz32(energy);
  return Math.min(31, 2 * octave + ((energy << 6) >> octave >= 91 ? 1 : 0));
}

/** The number of low bits that a token leaves out. */
export function lowBitsOf(level: number, fraction: number): number {
  return Math.max(0, (level >> 1) - fraction - 3);
}

/** An element's residual, stored for the energy of later elements: its difference from the prediction before biases. */
export function residualOf(model: Model, value: number, prediction: number): number {
  const residual = (value << model.fraction) - prediction;
  const { specials } = model;
  const isSpecial = specials.length > 0 && (value === specials[0] || value === specials[1]);
  const limit = isSpecial ? 1 << model.fraction : 32767;
  return residual > limit ? limit : residual < -limit ? -limit : residual;
}

/** 0 for numbers that are small relative to the scale, else the sign. */
function signOf(difference: number, scale: number): number {
  if (8 * Math.abs(difference) < 6 * scale) return 0;
  return difference < 0 ? -1 : 1;
}

/** The number, 0 to 26, of a cell of three signs. */
export function signCell(first: number, second: number, third: number, scale: number): number {
  return 9 * (signOf(first, scale) + 1) + 3 * (signOf(second, scale) + 1) + signOf(third, scale) + 1;
}

/** The unit of distances, in the fractions of predictions: SPEC.md, 'Bias'. */
export function scaleOf(energy: number, fraction: number): number {
  return Math.max(energy >> 2, (3 << fraction) >> 3);
}
