import type { Dims3 } from '../../shared/volume.ts';
import {
  type Counts,
  columns,
  countedDistance,
  fitPeriod,
  fitShift,
  fitSums,
  fitWeight,
  isCounted,
  newCounts,
  surveyPeriod,
} from './choose.ts';
import { decodeElement, encodeElement, tableOf, tokenOf } from './code.ts';
import { laneLimit } from './layout.ts';
import { type Coding, inPlaneCount, levelOf, type Model, neighbourCount, scaleOf } from './model.ts';
import { LaneDecoder, LaneEncoder } from './rans.ts';
import { tokenCount } from './tables.ts';
import { Walk } from './walk.ts';

/** The time-consuming loops over a part's elements. Values are elements minus the lowest one. */
export interface Loops {
  /**
   * The sums for fitting weights: those after slice 0, then those of slice 0.
   * @param byResiduals whether to weigh elements by how well the model's weights predict their surroundings, instead of by gradients
   */
  fit(model: Model, values: Uint16Array, extent: Dims3, byResiduals: boolean): readonly [Float64Array, Float64Array];
  count(model: Model, values: Uint16Array, extent: Dims3): Counts;
  /** Encodes the lanes, which are valid until the next call; undefined if one is longer than `laneLimit`. */
  encode(model: Model, coding: Coding, values: Uint16Array, extent: Dims3): Uint8Array[] | undefined;
  /** Decodes the values. @param bytes the bytes of all lanes @throws StriaError `corrupt` */
  decode(model: Model, coding: Coding, bytes: Uint8Array, laneLengths: readonly number[], extent: Dims3): Uint16Array;
}

export const plainLoops: Loops = { fit, count, encode, decode };

function fit(model: Model, values: Uint16Array, extent: Dims3, byResiduals: boolean): readonly [Float64Array, Float64Array] {
  const shift = fitShift(model.range);
  const restShift = Math.max(0, 24 - Math.clz32(model.range));
  const sums = [new Float64Array(fitSums), new Float64Array(fitSums)] as const;
  const row = new Int32Array(columns);
  // Doubles, like the sums: conversion would take longer than the products.
  const terms = new Float64Array(columns);
  const period = fitPeriod(extent, byResiduals);
  const walk = new Walk(model, extent);
  let at = 0;
  walk.run(() => {
    const value = values[at++] as number;
    if ((walk.z > 0 && !isCounted(walk.y, walk.z, period)) || model.specials.includes(value)) return value;
    const count = walk.z === 0 ? inPlaneCount : neighbourCount;
    walk.readNeighbours(row);
    let isFlat = true;
    for (let i = 1; i < count; i++) isFlat &&= row[i] === row[0];
    if (isFlat) return value;
    const third = row[walk.z === 0 ? 2 : inPlaneCount] as number;
    const [left, above] = [row[0] as number, row[1] as number];
    const gradients = Math.abs(left - above) + Math.abs(left - third) + Math.abs(above - third);
    const weight = fitWeight(byResiduals ? walk.unrest() : (2 * gradients) >> restShift);
    row[neighbourCount] = value;
    for (let i = 0; i < columns; i++) terms[i] = (row[i] as number) >> shift;
    addProducts(sums[walk.z === 0 ? 1 : 0], terms, weight, count);
    return value;
  });
  return sums;
}

function addProducts(sums: Float64Array, terms: Float64Array, weight: number, count: number): void {
  let at = 0;
  for (let i = 0; i < count; i++) {
    const weighed = weight * (terms[i] as number);
    for (let j = i; j < columns; j++, at++) sums[at] = (sums[at] as number) + weighed * (terms[j] as number);
  }
}

function count(model: Model, values: Uint16Array, extent: Dims3): Counts {
  const counts = newCounts();
  const period = surveyPeriod(extent);
  const walk = new Walk(model, extent);
  let at = 0;
  walk.run((prediction) => {
    const value = values[at++] as number;
    if (!isCounted(walk.y, walk.z, period) || model.specials.includes(value)) return value;
    const energy = walk.energy();
    const cell = 27 * walk.residualCell(energy) + walk.gradientCell(energy, prediction);
    const scale = scaleOf(energy, model.fraction);
    counts.distances[cell] = (counts.distances[cell] as number) + countedDistance((value << model.fraction) - prediction, scale);
    counts.elements[cell] = (counts.elements[cell] as number) + 1;
    const level = levelOf(energy);
    const table = tableOf(level, prediction, model.fraction) / (tokenCount + 1);
    const token = table * tokenCount + tokenOf(model, value, prediction, level).token;
    counts.tokens[token] = (counts.tokens[token] as number) + 1;
    return value;
  });
  return counts;
}

function encode(model: Model, coding: Coding, values: Uint16Array, extent: Dims3): Uint8Array[] | undefined {
  const lanes = Array.from({ length: extent[1] }, () => new LaneEncoder());
  const walk = new Walk(model, extent);
  let at = 0;
  walk.run((plain) => {
    const value = values[at++] as number;
    encodeElement(walk, coding, plain, value, lanes[walk.y] as LaneEncoder);
    return value;
  });
  const streams = lanes.map((lane) => lane.close());
  return streams.some(({ byteLength }) => byteLength > laneLimit(extent, model.bits)) ? undefined : streams;
}

function decode(model: Model, coding: Coding, bytes: Uint8Array, laneLengths: readonly number[], extent: Dims3): Uint16Array {
  let start = 0;
  const lanes = laneLengths.map((length) => {
    start += length;
    return new LaneDecoder(bytes.subarray(start - length, start));
  });
  const values = new Uint16Array(extent[0] * extent[1] * extent[2]);
  const walk = new Walk(model, extent);
  let at = 0;
  walk.run((plain) => {
    const value = decodeElement(walk, coding, plain, lanes[walk.y] as LaneDecoder);
    values[at++] = value;
    return value;
  });
  for (const lane of lanes) lane.close();
  return values;
}
