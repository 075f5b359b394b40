import { BitReader, BitWriter } from '../../codec/bits.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import type { PlaneType } from './layout.ts';
import { type Coding, inPlaneCount, type Model, neighbourCount, signCells } from './model.ts';
import { levelCount } from './tables.ts';

/** SPEC.md, 'A part' */
export const partKinds = { oneValue: 0, raw: 1, coded: 2 } as const;

const weightBits = 11;
const levelBits = 5;
const biasBits = 6;

/** The fields before a coded part's lanes. */
export interface Header {
  readonly model: Model;
  readonly coding: Coding;
  readonly laneLengths: readonly number[];
}

export function headerBytes({ model, coding, laneLengths }: Header, depth: number): Uint8Array<ArrayBuffer> {
  const { bits, specials } = model;
  const shortest = Math.min(...laneLengths);
  const width = 32 - Math.clz32(Math.max(...laneLengths) - shortest);
  const writer = new BitWriter(256);
  writer.write(partKinds.coded | (specials.length << 2) | (width << 4), 8);
  for (const value of [model.lowest, model.range, ...specials]) writer.write(value, bits);
  const signed = (value: number, count: number) => writer.write(value & ((1 << count) - 1), count);
  if (depth > 1) for (let i = 0; i < neighbourCount; i++) signed(model.weights[i] as number, weightBits);
  for (let i = 0; i < inPlaneCount; i++) signed(model.firstWeights[i] as number, weightBits);
  for (const level of coding.levels) writer.write(level, levelBits);
  for (const biases of [coding.residualBias, coding.gradientBias]) {
    for (let cell = 0; cell < signCells; cell++) signed(biases[cell] as number, biasBits);
  }
  writer.write(shortest, 16);
  for (const length of laneLengths) writer.write(length - shortest, width);
  return writer.toBytes();
}

/** Reads a coded part's header. @throws StriaError `corrupt` */
export function readHeader(part: Uint8Array, extent: Dims3, { bits, fraction }: PlaneType): Header & { byteLength: number } {
  const reader = new BitReader(part);
  const [kind, specialCount, width] = [reader.read(2), reader.read(2), reader.read(4)];
  if (kind !== partKinds.coded || specialCount > 2) throw corruptPart('is of no known kind');
  const [lowest, range] = [reader.read(bits), reader.read(bits)];
  const specials = Array.from({ length: specialCount }, () => reader.read(bits));
  if (range === 0) throw corruptPart('is coded, though it has one value');
  if (specials.some((value) => value > range) || (specialCount === 2 && specials[0] === specials[1])) {
    throw corruptPart('has special values that no encoder writes');
  }
  const signed = (count: number) => {
    const value = reader.read(count);
    return value >> (count - 1) === 0 ? value : value - (1 << count);
  };
  const weights = new Int32Array(neighbourCount);
  if (extent[2] > 1) for (let i = 0; i < neighbourCount; i++) weights[i] = signed(weightBits);
  const firstWeights = new Int32Array(neighbourCount);
  for (let i = 0; i < inPlaneCount; i++) firstWeights[i] = signed(weightBits);
  const levels = Uint8Array.from({ length: levelCount }, () => reader.read(levelBits));
  const biases = () => Int32Array.from({ length: signCells }, () => signed(biasBits));
  const coding = { levels, residualBias: biases(), gradientBias: biases() };
  const shortest = reader.read(16);
  const laneLengths = Array.from({ length: extent[1] }, () => shortest + reader.read(width));
  if (reader.read(-reader.position & 7) !== 0) throw corruptPart('has bits behind its lengths that are not 0');
  const byteLength = reader.position / 8;
  if (laneLengths.reduce((sum, length) => sum + length, byteLength) !== part.byteLength) {
    throw corruptPart('is not as long as its lanes');
  }
  return { model: { bits, fraction, lowest, range, specials, weights, firstWeights }, coding, laneLengths, byteLength };
}

export function corruptPart(what: string): StriaError {
  return new StriaError('corrupt', `a part of the wave payload ${what}`);
}
