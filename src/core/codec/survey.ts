import type { Dims3 } from '../shared/volume.ts';
import type { ChunkGeometry, ChunkStatistics, ChunkSurvey, ChunkVoxels } from './codec.ts';
import { toSymbol } from './symbols.ts';

/** In each slice, one row of this many is sampled. */
export const rowStep = 8;
/** Elements that are assumed to share one Rice parameter. */
export const pieceElements = 16;
/** The surveyed predictors, in order. */
export const predictors = ['left', 'up', 'behind', 'flat', 'Lorenzo', 'soft'] as const;

/**
 * Estimates how well prediction works on a chunk, from a sample of one row in 8 of each slice. GPU twin:
 * shaders/gpu-chunks/survey.wgsl, which defines the sample and the predictions.
 */
export function survey(chunk: ChunkVoxels): ChunkSurvey {
  const [width, rows, slices] = chunk.shape;
  const planes = planesOf(chunk);
  const bits = chunk.elementBytes === 1 ? 8 : 16;
  const expectedBits = predictors.map(() => 0);
  for (let slice = 0; slice < slices; slice++) {
    for (let block = 0; block < rows; block += rowStep) {
      const row = sampledRow(block, slice, rows);
      for (const plane of planes) {
        for (let firstX = 0; firstX < width; firstX += pieceElements) {
          const count = Math.min(pieceElements, width - firstX);
          const sums = symbolSums(plane, chunk.shape, [firstX, row, slice], count, bits);
          sums.forEach((sum, i) => {
            (expectedBits[i] as number) += expectedCost(sum, count, bits);
          });
        }
      }
    }
  }
  return { sampledElements: sampledElements(chunk), ...bitsOf(expectedBits), ...countSteps(planes, chunk.shape) };
}

/** Turns the counts for each of `predictors` into a survey. */
export function bitsOf(expectedBits: readonly number[]): Pick<ChunkSurvey, 'riceBits' | 'softBits'> {
  return { riceBits: expectedBits.slice(0, -1), softBits: expectedBits.at(-1) as number };
}

/** The row that is sampled in a block of rows of a slice. */
function sampledRow(block: number, slice: number, rows: number): number {
  return Math.min(block + ((4 + 5 * slice) % rowStep), rows - 1);
}

function countSteps(planes: readonly ArrayLike<number>[], [width, rows, slices]: Dims3): { steps: number; spikes: number } {
  let [steps, spikes] = [0, 0];
  for (let slice = 0; slice < slices; slice++) {
    for (let block = 0; block < rows; block += rowStep) {
      const first = (slice * rows + sampledRow(block, slice, rows)) * width;
      let isStep = false;
      for (let i = first + 1; i < first + width; i++) {
        const wasStep = isStep;
        isStep = planes.some((plane) => plane[i] !== plane[i - 1]);
        if (!isStep) continue;
        steps++;
        if (wasStep) spikes++;
      }
    }
  }
  return { steps, spikes };
}

/** Of the elements that differ from the previous one, the share that also differs from the one behind. */
export function spikeShare({ steps, spikes }: ChunkSurvey): number {
  return steps === 0 ? 0 : spikes / steps;
}

/** Expected length of Rice codes for a whole chunk, in bytes, extrapolated from the sample. */
export function riceBytes({ riceBits, sampledElements }: ChunkSurvey, { shape }: ChunkGeometry): number {
  return (Math.min(...riceBits) / 8) * ((shape[0] * shape[1] * shape[2]) / sampledElements);
}

/**
 * Expected bits of Rice codes under soft, relative to the others: less than 1 in noisy scans, more in smooth ones; at most
 * 1.25.
 */
export function softShare({ riceBits, softBits }: ChunkSurvey): number {
  return Math.min(1.25, softBits / Math.max(1, Math.min(...riceBits)));
}

/** How many times more bits the best of left, up and behind takes than Lorenzo: 0.8 to 1.3 for scans, more for smooth functions. */
export function lorenzoGain({ riceBits }: ChunkSurvey): number {
  const [left = 0, up = 0, behind = 0, , lorenzo = 0] = riceBits;
  return Math.max(1, Math.min(left, up, behind)) / Math.max(1, lorenzo);
}

/**
 * How much a chunk resembles uniform noise around levels, from 0 to 1. In such noise the best prediction is the level itself. A
 * difference to one neighbour costs half a bit more than that, and a difference of differences another half, which is measured
 * here. Scans reach at most 0.2; more than a half indicates edges, with or without noise.
 */
export function evenness({ riceBits, sampledElements }: ChunkSurvey): number {
  const [left = 0, up = 0, behind = 0, flat = 0] = riceBits;
  const more = (flat - Math.min(left, up, behind)) / sampledElements;
  return Math.max(0, Math.min(1, (more - 0.4) / 0.08, (0.62 - more) / 0.06));
}

/** The share of neighbour pairs that differ, over all three axes. */
export function changingShare({ changes }: ChunkStatistics, { shape }: ChunkGeometry): number {
  return (changes[0] + changes[1] + changes[2]) / (3 * shape[0] * shape[1] * shape[2]);
}

/**
 * The entropy of the places where elements change, in bytes, in chunks of scattered values and of labels. Codecs that predict take at least
 * a multiple of it, even where few bits of Rice codes are expected. 0 for scans, whose changes lie together.
 */
export function placesBytes(surveyed: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry): number {
  const changing = changingShare(surveyed, chunk);
  if (changing === 0 || surveyed.steps === 0) return 0;
  const [x, y, z] = chunk.shape;
  // The first step of a row is no spike.
  const mostSpikes = Math.max(0, x - 2) / Math.max(1, x - 1);
  const isScattered = Math.max(0, Math.min(1, 10 * (0.72 * mostSpikes - spikeShare(surveyed))));
  return (isScattered * -Math.log2(changing) * changing * 3 * x * y * z) / 8;
}

/** How many elements of a chunk a survey samples. */
export function sampledElements({ shape }: Pick<ChunkVoxels, 'shape'>): number {
  return shape[0] * Math.ceil(shape[1] / rowStep) * shape[2];
}

/** Sums of the symbols of `count` elements along x, for each of `predictors`. */
function symbolSums(
  plane: ArrayLike<number>,
  [width, rows]: readonly [number, number, number],
  [firstX, row, slice]: readonly [number, number, number],
  count: number,
  bits: 8 | 16,
): number[] {
  const above = width;
  const behind = width * rows;
  const value = (i: number) => plane[i] as number;
  /** Differences along x of the differences along y. In the first row only along x; the first element has no difference. */
  const flat = (i: number, x: number) => {
    if (row === 0) return x > 0 ? value(i) - value(i - 1) : 0;
    const inColumn = value(i) - value(i - above);
    return x > 0 ? inColumn - value(i - 1) + value(i - above - 1) : inColumn;
  };
  const half = (difference: number) => {
    const signed = (difference << (32 - bits)) >> (32 - bits);
    return signed - (signed >> 1);
  };
  const along = (i: number) => value(i) - value(i - 1);
  /** The difference to the left, `left`, minus half of the same difference in the row above. */
  const softened = (i: number, x: number, left: number) => (row > 0 && x > 0 ? left - half(along(i - above)) : left);
  const leftBehind = (i: number, x: number) => (x > 0 ? along(i) : row > 0 ? value(i) - value(i - above) : 0);
  const sums = predictors.map(() => 0);
  for (let x = firstX; x < firstX + count; x++) {
    const i = slice * behind + row * above + x;
    const left = value(i) - value(x > 0 ? i - 1 : row > 0 ? i - above : slice > 0 ? i - behind : i);
    const inSlice = row > 0 ? flat(i, x) : left;
    const residuals = [
      left,
      row > 0 ? value(i) - value(i - above) : left,
      slice > 0 ? value(i) - value(i - behind) : left,
      inSlice,
      slice > 0 ? inSlice - flat(i - behind, x) : inSlice,
      slice > 0 ? softened(i, x, left) - half(softened(i - behind, x, leftBehind(i - behind, x))) : softened(i, x, left),
    ];
    residuals.forEach((residual, p) => {
      (sums[p] as number) += toSymbol(residual, bits);
    });
  }
  return sums;
}

/**
 * The survey's own estimate of the length of Rice codes with one parameter, in bits, from the symbols' sum alone. The parameter
 * is the least k with 2S < 3n × 2^k, at most 6 or 13.
 * @param symbolSum S
 * @param count n, the number of symbols
 */
function expectedCost(symbolSum: number, count: number, bits: 8 | 16): number {
  if (symbolSum === 0) return 0;
  const digits = 32 - Math.clz32(Math.floor((2 * symbolSum) / (3 * count)));
  const k = Math.min(digits, bits === 8 ? 6 : 13);
  return Math.min(count * (k + 1) + (symbolSum >> k), count * bits);
}

/** Elements of 1 and 2 bytes are one plane, those of 4 bytes two: their low and high halves. */
function planesOf({ bytes, elementBytes }: ChunkVoxels): (Uint8Array | Uint16Array)[] {
  if (elementBytes === 1) return [bytes];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: elementBytes / 2 }, (_, plane) =>
    Uint16Array.from({ length: bytes.byteLength / elementBytes }, (_, i) => view.getUint16(i * elementBytes + 2 * plane, true)),
  );
}
