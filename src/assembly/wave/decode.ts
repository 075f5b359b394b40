// Decodes lanes: src/core/codecs/wave/SPEC.md, 'Tokens' and 'A lane'.
import { biased, chanceOf, lowBitsOf, startCoding, tableOf } from './contexts';
import {
  endRow,
  energy,
  fraction,
  levelOf,
  predict,
  put,
  raiseLeft,
  range,
  special0,
  special1,
  specialCount,
  startPart,
  startRow,
  startSlice,
} from './walk';

/** Where each lane's next byte and its end are, and its state: four bytes each. */
const readers: usize = memory.data(12 * 64, 16);
let from: usize = 0;
let end: usize = 0;
let state: u32 = 0;
let isSound: bool = true;

function take(start: i32, frequency: i32): void {
  state = <u32>frequency * (state >> 12) + (state & 4095) - <u32>start;
  while (state < 65536) {
    if (from >= end) {
      isSound = false;
      state = 65536;
      return;
    }
    state = (state << 8) | load<u8>(from++);
  }
}

function takeBits(bits: i32): i32 {
  const value = <i32>(state & 4095) >> (12 - bits);
  take(value << (12 - bits), 4096 >> bits);
  return value;
}

/**
 * Decodes a coded part's lanes.
 * @param lanes the bytes of all lanes, contiguous
 * @param lengths of each lane, four bytes each
 * @param values receives the elements minus the lowest, two bytes each
 * @returns false for a lane that SPEC.md refuses
 */
export function decode(
  lanes: usize,
  lengths: usize,
  x: i32,
  y: i32,
  depth: i32,
  model: usize,
  work: usize,
  choices: usize,
  fixed: usize,
  values: usize,
): bool {
  startPart(model, work, x, y);
  startCoding(choices, fixed);
  isSound = true;
  from = lanes;
  for (let line = 0; line < y; line++) {
    end = from + load<u32>(lengths + 4 * <usize>line);
    if (end < from + 3) return false;
    const first = ((<u32>load<u8>(from)) << 16) | ((<u32>load<u8>(from, 1)) << 8) | <u32>load<u8>(from, 2);
    if (first < 65536) return false;
    const reader = readers + 12 * <usize>line;
    store<u32>(reader, <u32>(from + 3));
    store<u32>(reader, <u32>end, 4);
    store<u32>(reader, first, 8);
    from = end;
  }
  let at = values;
  for (let slice = 0; slice < depth; slice++) {
    startSlice(slice);
    for (let line = 0; line < y; line++) {
      startRow(line);
      const reader = readers + 12 * <usize>line;
      from = load<u32>(reader);
      end = load<u32>(reader, 4);
      state = load<u32>(reader, 8);
      for (let i = 0; i < x; i++, at += 2) {
        if (slice === 0 && line === 0) raiseLeft();
        const plain = predict();
        const value = takeElement(plain);
        store<u16>(at, <u16>value);
        put(value, plain);
      }
      store<u32>(reader, <u32>from);
      store<u32>(reader, state, 8);
      endRow();
      if (!isSound) return false;
    }
  }
  for (let line = 0; line < y; line++) {
    const reader = readers + 12 * <usize>line;
    if (load<u32>(reader) !== load<u32>(reader, 4) || load<u32>(reader, 8) !== 65536) return false;
  }
  return true;
}

function takeElement(plain: i32): i32 {
  const around = energy();
  const level = levelOf(around);
  const prediction = biased(plain, around);
  for (let i = 0; i < specialCount; i++) {
    const special = i === 0 ? special0 : special1;
    const chance = chanceOf(special, around, level, prediction);
    if (<i32>(state & 4095) >= 4096 - chance) {
      take(4096 - chance, chance);
      return special;
    }
    take(0, 4096 - chance);
  }
  const table = tableOf(level, prediction);
  const slot = state & 4095;
  let at = table;
  while (<u32>load<u16>(at, 2) <= slot) at += 2;
  const token = <i32>((at - table) >> 1);
  const start = <i32>load<u16>(at);
  take(start, <i32>load<u16>(at, 2) - start);
  let high = token >> 1;
  if (high === 12) {
    const digits = takeBits(4);
    let rest = (1 << digits) | takeBits(min(digits, 8));
    if (digits > 8) rest |= takeBits(digits - 8) << 8;
    high = 11 + rest;
  }
  const lowBits = lowBitsOf(level);
  let magnitude = high << lowBits;
  if (lowBits > 0) magnitude |= takeBits(lowBits);
  const middle = prediction >> fraction;
  const value = (token & 1) === 1 ? middle + 1 + magnitude : middle - magnitude;
  if (value < 0 || value > range) {
    isSound = false;
    return 0;
  }
  return value;
}
