// The loops of `wave` over a part's elements: src/core/codecs/wave/SPEC.md. They produce the same results as those of
// src/core/codecs/wave/part.ts, which makes the choices, and reads and writes headers.
import {
  endRow,
  energy,
  flagContext,
  fraction,
  gradientCell,
  levelOf,
  predict,
  put,
  raiseLeft,
  range,
  readNeighbours,
  residualCell,
  scaleOf,
  special0,
  special1,
  specialCount,
  startPart,
  startRow,
  startSlice,
  unrest,
  workBytes,
  z,
} from './walk';

export { workBytes };

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

const columns: usize = 29;
const row: usize = memory.data(4 * 29, 16);
const terms: usize = memory.data(8 * 29 + 8, 16);

function isSpecial(value: i32): bool {
  return (specialCount > 0 && value === special0) || (specialCount > 1 && value === special1);
}

/**
 * Adds up the products by which weights are fitted.
 * @param values two bytes each
 * @param sums 434 doubles for the slices after slice 0, then 434 for slice 0; initially 0
 */
export function fit(values: usize, x: i32, y: i32, depth: i32, model: usize, work: usize, byResiduals: bool, sums: usize): void {
  startPart(model, work, x, y);
  const bits = 32 - clz(range);
  const shift = max(0, bits - 12);
  const restShift = max(0, bits - 8);
  let at = values;
  for (let slice = 0; slice < depth; slice++) {
    startSlice(slice);
    for (let line = 0; line < y; line++) {
      startRow(line);
      const isFitted = slice === 0 || ((line + slice) & 3) === 0;
      for (let i = 0; i < x; i++, at += 2) {
        if (slice === 0 && line === 0) raiseLeft();
        const value = <i32>load<u16>(at);
        if (isFitted && !isSpecial(value)) addProducts(value, shift, restShift, byResiduals, slice === 0 ? sums + 434 * 8 : sums);
        put(value, byResiduals ? predict() : 0);
      }
      endRow();
    }
  }
}

function addProducts(value: i32, shift: i32, restShift: i32, byResiduals: bool, sums: usize): void {
  const count = z === 0 ? 10 : 28;
  readNeighbours(row);
  const left = load<i32>(row);
  let isFlat = true;
  for (let i = 1; i < count && isFlat; i++) isFlat = load<i32>(row + <usize>(4 * i)) === left;
  if (isFlat) return;
  const above = load<i32>(row, 4);
  const third = load<i32>(row + (z === 0 ? 8 : 40));
  const gradients = abs(left - above) + abs(left - third) + abs(above - third);
  const weight = max(1, 252 / (4 + (byResiduals ? unrest() : (2 * gradients) >> restShift)));
  store<i32>(row, value, 4 * 28);
  for (let i: usize = 0; i < columns; i++) store<f64>(terms + 8 * i, <f64>(load<i32>(row + 4 * i) >> shift));
  let at = sums;
  for (let i: usize = 0; i < <usize>count; i++) {
    const weighed = <f64>weight * load<f64>(terms + 8 * i);
    const both = f64x2.splat(weighed);
    let j = i;
    for (; j + 2 <= columns; j += 2, at += 16) {
      v128.store(at, f64x2.add(v128.load(at), f64x2.mul(both, v128.load(terms + 8 * j))));
    }
    if (j < columns) {
      store<f64>(at, load<f64>(at) + weighed * load<f64>(terms + 8 * j));
      at += 8;
    }
  }
}

function lowBitsOf(level: i32): i32 {
  return max(0, (level >> 1) - fraction - 3);
}

function phaseOf(prediction: i32): i32 {
  return (prediction >> (fraction - 2)) & 3;
}

/**
 * Counts elements by their contexts.
 * @param counts initially 0: 729 sums of distances, 729 numbers of elements, 3328 numbers of tokens, four bytes each
 */
export function count(values: usize, x: i32, y: i32, depth: i32, model: usize, work: usize, counts: usize): void {
  startPart(model, work, x, y);
  let at = values;
  for (let slice = 0; slice < depth; slice++) {
    startSlice(slice);
    for (let line = 0; line < y; line++) {
      startRow(line);
      for (let i = 0; i < x; i++, at += 2) {
        if (slice === 0 && line === 0) raiseLeft();
        const value = <i32>load<u16>(at);
        const prediction = predict();
        if (!isSpecial(value)) countElement(value, prediction, counts);
        put(value, prediction);
      }
      endRow();
    }
  }
}

function countElement(value: i32, prediction: i32, counts: usize): void {
  const around = energy();
  const scale = scaleOf(around);
  const cell = counts + 4 * <usize>(27 * residualCell(scale) + gradientCell(scale, prediction));
  const distance = (64 * ((value << fraction) - prediction)) / scale;
  store<i32>(cell, load<i32>(cell) + max(-256, min(256, distance)));
  store<i32>(cell, load<i32>(cell, 4 * 729) + 1, 4 * 729);
  const level = levelOf(around);
  const middle = prediction >> fraction;
  const isAbove = value > middle;
  const high = (isAbove ? value - middle - 1 : middle - value) >> lowBitsOf(level);
  const token = counts + 4 * <usize>(1458 + (4 * level + phaseOf(prediction)) * 26 + 2 * min(high, 12) + i32(isAbove));
  store<i32>(token, load<i32>(token) + 1);
}

/** The levels by level, four bytes each, then the biases by residuals' cell and by gradients'. */
let coding: usize = 0;
/** Starts of tokens, 27 for each level and phase, then the chances of flags: two bytes each. */
let tables: usize = 0;

function biased(plain: i32, around: i32): i32 {
  const scale = scaleOf(around);
  const first = (load<i32>(coding + 4 * <usize>(32 + residualCell(scale))) * scale) >> 6;
  const second = (load<i32>(coding + 4 * <usize>(59 + gradientCell(scale, plain))) * scale) >> 6;
  const highest = range << fraction;
  return max(0, min(highest, plain + first + second));
}

function chanceOf(special: i32, around: i32, level: i32, prediction: i32): i32 {
  return <i32>load<u16>(tables + 2 * <usize>(3456 + flagContext(special, around, level, prediction)));
}

function tableOf(level: i32, prediction: i32): usize {
  return tables + 2 * <usize>(27 * (4 * load<i32>(coding + 4 * <usize>level) + phaseOf(prediction)));
}

/** The address of the current lane's next code. */
let next: usize = 0;

function add(start: i32, frequency: i32): void {
  store<i32>(next, (start << 16) | frequency);
  next += 4;
}

function addBits(value: i32, bits: i32): void {
  add(value << (12 - bits), 4096 >> bits);
}

/**
 * Codes each lane.
 * @param codes room for seven codes of four bytes for each element
 * @param lanes for each lane, room for twice its elements' bytes and 16 more
 * @param lengths receives the lanes' lengths, four bytes each; a lane's bytes end where its room ends
 * @returns whether each lane fits in its room
 */
export function encode(
  values: usize,
  x: i32,
  y: i32,
  depth: i32,
  model: usize,
  work: usize,
  choices: usize,
  fixed: usize,
  codes: usize,
  lanes: usize,
  laneRoom: usize,
  lengths: usize,
): bool {
  startPart(model, work, x, y);
  coding = choices;
  tables = fixed;
  const codeRoom: usize = 28 * <usize>x * <usize>depth;
  // Until a lane is written, its length holds the address of its next code.
  for (let line = 0; line < y; line++) store<u32>(lengths + 4 * <usize>line, <u32>(codes + <usize>line * codeRoom));
  let at = values;
  for (let slice = 0; slice < depth; slice++) {
    startSlice(slice);
    for (let line = 0; line < y; line++) {
      startRow(line);
      next = load<u32>(lengths + 4 * <usize>line);
      for (let i = 0; i < x; i++, at += 2) {
        if (slice === 0 && line === 0) raiseLeft();
        const value = <i32>load<u16>(at);
        const plain = predict();
        addElement(value, plain);
        put(value, plain);
      }
      store<u32>(lengths + 4 * <usize>line, <u32>next);
      endRow();
    }
  }
  let fits = true;
  for (let line = 0; line < y && fits; line++) {
    const start = codes + <usize>line * codeRoom;
    const length = writeLane(start, load<u32>(lengths + 4 * <usize>line), lanes + <usize>line * laneRoom, laneRoom);
    store<u32>(lengths + 4 * <usize>line, <u32>length);
    fits = length > 0;
  }
  return fits;
}

function addElement(value: i32, plain: i32): void {
  const around = energy();
  const level = levelOf(around);
  const prediction = biased(plain, around);
  for (let i = 0; i < specialCount; i++) {
    const special = i === 0 ? special0 : special1;
    const chance = chanceOf(special, around, level, prediction);
    if (value === special) {
      add(4096 - chance, chance);
      return;
    }
    add(0, 4096 - chance);
  }
  const lowBits = lowBitsOf(level);
  const middle = prediction >> fraction;
  const isAbove = value > middle;
  const magnitude = isAbove ? value - middle - 1 : middle - value;
  const high = magnitude >> lowBits;
  const token = tableOf(level, prediction) + 2 * <usize>(2 * min(high, 12) + i32(isAbove));
  const start = <i32>load<u16>(token);
  add(start, <i32>load<u16>(token, 2) - start);
  if (high >= 12) {
    const rest = high - 11;
    const digits = 31 - clz(rest);
    addBits(digits, 4);
    addBits(rest & ((1 << min(digits, 8)) - 1), min(digits, 8));
    if (digits > 8) addBits((rest >> 8) & ((1 << (digits - 8)) - 1), digits - 8);
  }
  if (lowBits > 0) addBits(magnitude & ((1 << lowBits) - 1), lowBits);
}

/** SPEC.md, 'A lane'. @returns its length; 0 if it does not fit */
function writeLane(codes: usize, end: usize, room: usize, roomBytes: usize): usize {
  const last = room + roomBytes;
  let to = last;
  let state: u32 = 65536;
  for (let at = end; at > codes; at -= 4) {
    if (to < room + 8) return 0;
    const code = load<u32>(at - 4);
    const frequency = code & 0xffff;
    while (state >= frequency << 12) {
      store<u8>(--to, <u8>state);
      state >>= 8;
    }
    state = ((state / frequency) << 12) + (state % frequency) + (code >> 16);
  }
  if (to < room + 3) return 0;
  store<u8>(--to, <u8>state);
  store<u8>(--to, <u8>(state >> 8));
  store<u8>(--to, <u8>(state >> 16));
  return last - to;
}

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
  coding = choices;
  tables = fixed;
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
