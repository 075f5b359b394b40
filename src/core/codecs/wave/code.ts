import { corruptPart } from './header.ts';
import { type Coding, levelOf, lowBitsOf, type Model, scaleOf } from './model.ts';
import type { LaneDecoder, LaneEncoder } from './rans.ts';
import { flagChances, phaseCount, tokenCount, tokenStarts } from './tables.ts';
import type { Walk } from './walk.ts';

/** Magnitudes without their low bits are escapes from this value on. */
const escapeFrom = 12;

/** The context of an element's codes. */
interface Situation {
  readonly energy: number;
  readonly level: number;
  /** The prediction with both biases. */
  readonly prediction: number;
}

function situationOf(walk: Walk, coding: Coding, plain: number): Situation {
  const { fraction, range } = walk.model;
  const energy = walk.energy();
  const scale = scaleOf(energy, fraction);
  const byResiduals = coding.residualBias[walk.residualCell(energy)] as number;
  const byGradients = coding.gradientBias[walk.gradientCell(energy, plain)] as number;
  const biased = plain + ((byResiduals * scale) >> 6) + ((byGradients * scale) >> 6);
  return { energy, level: levelOf(energy), prediction: Math.max(0, Math.min(range << fraction, biased)) };
}

/** SPEC.md, 'Tokens': the number of a table's first entry in `tokenStarts`. */
export function tableOf(level: number, prediction: number, fraction: number): number {
  const phase = (prediction >> (fraction - 2)) & 3;
  return (level * phaseCount + phase) * (tokenCount + 1);
}

/** An element's token, and its magnitude, of which the token leaves out the low bits. */
export function tokenOf(model: Model, value: number, prediction: number, level: number) {
  const middle = prediction >> model.fraction;
  const isAbove = value > middle;
  const magnitude = isAbove ? value - middle - 1 : middle - value;
  const lowBits = lowBitsOf(level, model.fraction);
  const high = magnitude >> lowBits;
  return { token: 2 * Math.min(high, escapeFrom) + Number(isAbove), high, low: magnitude & ((1 << lowBits) - 1), lowBits };
}

/** Writes an element's codes. @param plain the prediction before biases */
export function encodeElement(walk: Walk, coding: Coding, plain: number, value: number, lane: LaneEncoder): void {
  const { model } = walk;
  const { energy, level, prediction } = situationOf(walk, coding, plain);
  for (const special of model.specials) {
    const chance = flagChances[walk.flagContext(special, energy, level, prediction)] as number;
    if (value === special) {
      lane.add(4096 - chance, chance);
      return;
    }
    lane.add(0, 4096 - chance);
  }
  const { token, high, low, lowBits } = tokenOf(model, value, prediction, level);
  const at = tableOf(coding.levels[level] as number, prediction, model.fraction) + token;
  lane.add(tokenStarts[at] as number, (tokenStarts[at + 1] as number) - (tokenStarts[at] as number));
  if (high >= escapeFrom) {
    const rest = high - escapeFrom + 1;
    const digits = 31 - Math.clz32(rest);
    lane.addBits(digits, 4);
    lane.addBits(rest & ((1 << Math.min(digits, 8)) - 1), Math.min(digits, 8));
    if (digits > 8) lane.addBits((rest >> 8) & ((1 << (digits - 8)) - 1), digits - 8);
  }
  if (lowBits > 0) lane.addBits(low, lowBits);
}

/** Reads an element. @throws StriaError `corrupt` if it is outside the part's range */
export function decodeElement(walk: Walk, coding: Coding, plain: number, lane: LaneDecoder): number {
  const { model } = walk;
  const { energy, level, prediction } = situationOf(walk, coding, plain);
  for (const special of model.specials) {
    const chance = flagChances[walk.flagContext(special, energy, level, prediction)] as number;
    const isSpecial = lane.slot >= 4096 - chance;
    lane.take(isSpecial ? 4096 - chance : 0, isSpecial ? chance : 4096 - chance);
    if (isSpecial) return special;
  }
  const table = tableOf(coding.levels[level] as number, prediction, model.fraction);
  let token = 0;
  while ((tokenStarts[table + token + 1] as number) <= lane.slot) token++;
  const start = tokenStarts[table + token] as number;
  lane.take(start, (tokenStarts[table + token + 1] as number) - start);
  let high = token >> 1;
  if (high === escapeFrom) {
    const digits = lane.takeBits(4);
    let rest = (1 << digits) | lane.takeBits(Math.min(digits, 8));
    if (digits > 8) rest |= lane.takeBits(digits - 8) << 8;
    high = escapeFrom - 1 + rest;
  }
  const lowBits = lowBitsOf(level, model.fraction);
  const magnitude = lowBits > 0 ? high * 2 ** lowBits + lane.takeBits(lowBits) : high;
  const middle = prediction >> model.fraction;
  const value = (token & 1) === 1 ? middle + 1 + magnitude : middle - magnitude;
  if (value < 0 || value > model.range) throw corruptPart('has an element outside its range');
  return value;
}
