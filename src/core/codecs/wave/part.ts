import type { Dims3 } from '../../shared/volume.ts';
import {
  biasesOf,
  type Counts,
  columns,
  countedDistance,
  fitShift,
  fitSums,
  fitWeight,
  isFitted,
  levelsOf,
  newCounts,
  sampleCount,
  samplePlace,
  smallerRange,
  solveWeights,
  specialsOf,
} from './choose.ts';
import { decodeElement, encodeElement, tableOf, tokenOf } from './code.ts';
import { corruptPart, headerBytes, partKinds, readHeader } from './header.ts';
import { laneLimit, type PlaneType } from './layout.ts';
import { type Coding, inPlaneCount, levelOf, type Model, neighbourCount, scaleOf } from './model.ts';
import { LaneDecoder, LaneEncoder } from './rans.ts';
import { tokenCount } from './tables.ts';
import { Walk } from './walk.ts';

/** Encodes one plane of a block. */
export function encodePart(elements: Uint16Array, extent: Dims3, type: PlaneType): Uint8Array {
  const range = rangeOf(elements, type.bits);
  if (range.range === 0) return Uint8Array.of(partKinds.oneValue, ...bytesOf(elements.subarray(0, 1), type.bits));
  const mask = 2 ** type.bits - 1;
  const values = elements.map((element) => (element - range.lowest) & mask);
  const sample = Array.from(
    { length: Math.min(values.length, sampleCount) },
    (_, i) => values[samplePlace(i, values.length)] as number,
  );
  const zeros = new Int32Array(neighbourCount);
  let model: Model = { ...type, ...range, specials: specialsOf(sample), weights: zeros, firstWeights: zeros };
  for (const pass of [0, 1]) model = fitted(model, values, extent, pass === 1);
  const counts = count(model, values, extent);
  const coding: Coding = { ...biasesOf(counts), levels: levelsOf(counts) };

  const lanes = Array.from({ length: extent[1] }, () => new LaneEncoder());
  const walk = new Walk(model, extent);
  let at = 0;
  walk.run((plain) => {
    const value = values[at++] as number;
    encodeElement(walk, coding, plain, value, lanes[walk.y] as LaneEncoder);
    return value;
  });
  const streams = lanes.map((lane) => lane.close());
  const laneLengths = streams.map((stream) => stream.byteLength);
  const raw = () => Uint8Array.of(partKinds.raw, ...bytesOf(elements, type.bits));
  if (laneLengths.some((length) => length > laneLimit(extent, type.bits))) return raw();
  const header = headerBytes({ model, coding, laneLengths }, extent[2]);
  const part = new Uint8Array(laneLengths.reduce((sum, length) => sum + length, header.byteLength));
  if (part.byteLength > (elements.length * type.bits) / 8) return raw();
  part.set(header);
  let start = header.byteLength;
  for (const stream of streams) {
    part.set(stream, start);
    start += stream.byteLength;
  }
  return part;
}

/** @throws StriaError `corrupt` */
export function decodePart(part: Uint8Array, extent: Dims3, type: PlaneType): Uint16Array {
  const count = extent[0] * extent[1] * extent[2];
  const bytes = type.bits / 8;
  const kind = part[0] ?? -1;
  if (kind === partKinds.oneValue || kind === partKinds.raw) {
    const stored = kind === partKinds.raw ? count : 1;
    if (part.byteLength !== 1 + stored * bytes) throw corruptPart('is not as long as its elements');
    const elements = Uint16Array.from(
      { length: stored },
      (_, i) => (part[1 + i * bytes] as number) + (bytes === 2 ? 256 * (part[2 + i * bytes] as number) : 0),
    );
    return kind === partKinds.raw ? elements : new Uint16Array(count).fill(elements[0] as number);
  }
  const { model, coding, laneLengths, byteLength } = readHeader(part, extent, type);
  let start = byteLength;
  const lanes = laneLengths.map((length) => {
    start += length;
    return new LaneDecoder(part.subarray(start - length, start));
  });
  const elements = new Uint16Array(count);
  const mask = 2 ** type.bits - 1;
  const walk = new Walk(model, extent);
  let at = 0;
  walk.run((plain) => {
    const value = decodeElement(walk, coding, plain, lanes[walk.y] as LaneDecoder);
    elements[at++] = (value + model.lowest) & mask;
    return value;
  });
  for (const lane of lanes) lane.close();
  return elements;
}

/** The elements' range, taken with or without a sign, whichever is smaller. */
function rangeOf(elements: Uint16Array, bits: number): Pick<Model, 'lowest' | 'range'> {
  const sign = 2 ** (bits - 1);
  let [low, high, signedLow, signedHigh] = [65535, 0, 65535, 0];
  for (const element of elements) {
    low = Math.min(low, element);
    high = Math.max(high, element);
    signedLow = Math.min(signedLow, element ^ sign);
    signedHigh = Math.max(signedHigh, element ^ sign);
  }
  return smallerRange(low, high, signedLow, signedHigh, bits);
}

/** The model with weights fitted to the elements: first by gradients, then by how well the last weights predict. */
function fitted(model: Model, values: Uint16Array, extent: Dims3, byResiduals: boolean): Model {
  const shift = fitShift(model.range);
  const restShift = Math.max(0, 24 - Math.clz32(model.range));
  const sums = [new Float64Array(fitSums), new Float64Array(fitSums)] as const;
  const row = new Int32Array(columns);
  // Doubles, as the sums are: converting them would take longer than the products.
  const terms = new Float64Array(columns);
  const walk = new Walk(model, extent);
  let at = 0;
  walk.run(() => {
    const value = values[at++] as number;
    if (!isFitted(walk.y, walk.z) || model.specials.includes(value)) return value;
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
  return { ...model, weights: solveWeights(sums[0], neighbourCount), firstWeights: solveWeights(sums[1], inPlaneCount) };
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
  const walk = new Walk(model, extent);
  let at = 0;
  walk.run((prediction) => {
    const value = values[at++] as number;
    if (model.specials.includes(value)) return value;
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

function bytesOf(elements: Uint16Array, bits: number): Uint8Array {
  const bytes = new Uint8Array((elements.length * bits) / 8);
  for (const [i, element] of elements.entries()) {
    if (bits === 8) bytes[i] = element;
    else {
      bytes[2 * i] = element;
      bytes[2 * i + 1] = element >> 8;
    }
  }
  return bytes;
}
