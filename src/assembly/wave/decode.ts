// Decodes lanes, eight at a time: src/core/codecs/wave/SPEC.md, 'Tokens' and 'A lane'.
import { biasedAt, flagsAt, lowBitsAt, situate, situation, startChoices, tablesAt } from './contexts';
import {
  collect,
  endFirstRow,
  endFirstSlice,
  endRow,
  endSlot,
  period,
  raiseLeft,
  slotAt,
  slotBytes,
  startFirstRow,
  startHistory,
  startNextFirstRow,
} from './history';
import { fraction, isWide, range, residualOf, special0, special1, specialCount, startModel } from './model';
import { predict, toResidual } from './predict';
import { chances, entries, startTables, tokens } from './tables';

/** By lane, four bytes each: where its next byte and its end are, its state, and x. */
const readers: usize = memory.data(16 * 64, 16);
/** A lane that has no more elements. */
const done = i32.MIN_VALUE;

let width: i32 = 0;
let height: i32 = 0;
/** The slot after the last one of lane 0. */
let endOfSlices: i32 = 0;
let isSound: bool = true;
/** A negative number if an element was outside the range. */
let outside: i32 = 0;

/**
 * Decodes a coded part's lanes.
 * @param lanes the bytes of all lanes, contiguous, and room for 14 bytes for each element of a row, which are only read
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
  startModel(model);
  startHistory(work, x, y, depth);
  startChoices(choices);
  startTables(fixed);
  width = x;
  height = y;
  isSound = startLanes(lanes, lengths);
  outside = 0;
  if (!isSound) return false;
  if (isWide()) decodeSlices<i32>(depth);
  else decodeSlices<i16>(depth);
  if (!isSound || outside < 0) return false;
  for (let lane = 0; lane < y; lane++) {
    const reader = readers + 16 * <usize>lane;
    if (load<u32>(reader) !== load<u32>(reader, 4) || load<u32>(reader, 8) !== 65536) return false;
  }
  collect(values);
  return true;
}

/** @returns false if a lane begins wrongly */
function startLanes(lanes: usize, lengths: usize): bool {
  let from = lanes;
  for (let lane = 0; lane < height; lane++) {
    const end = from + load<u32>(lengths + 4 * <usize>lane);
    if (end < from + 3) return false;
    const state = ((<u32>load<u8>(from)) << 16) | ((<u32>load<u8>(from, 1)) << 8) | <u32>load<u8>(from, 2);
    if (state < 65536) return false;
    const reader = readers + 16 * <usize>lane;
    store<u32>(reader, <u32>(from + 3));
    store<u32>(reader, <u32>end, 4);
    store<u32>(reader, state, 8);
    from = end;
  }
  return true;
}

function decodeSlices<T>(depth: i32): void {
  startFirstRow();
  endOfSlices = width;
  store<i32>(readers, 0, 12);
  for (let slot = 0; slot <= width; slot++) {
    if (slot < width) raiseLeft(slot);
    decodeGroup<T>(slot, 0, 1, true);
  }
  endFirstRow();
  if (height > 1) startNextFirstRow(0, 0);
  store<i32>(readers, done, 12);
  for (let lane = 1; lane < height; lane++) startLane(lane, lane < 8 ? 3 : 0);
  for (let slot = 3; slot <= width + 3 * (height - 1); slot++) decodeSlot<T>(slot, slot - width, slot, true);
  if (depth === 1 || !isSound) return;

  endFirstSlice();
  for (let slot = period - 2; slot < period; slot++) endSlot(slot);
  endOfSlices = depth * period;
  for (let lane = 0; lane < height; lane++) startLane(lane, 0);
  for (let slot = period; slot < endOfSlices + 3 * (height - 1) && isSound; slot++) {
    decodeSlot<T>(slot, slot - endOfSlices, slot - period, false);
    endSlot(slot);
  }
}

/** Eight lanes begin together: the first of them at x. */
function startLane(lane: i32, x: i32): void {
  store<i32>(readers + 16 * <usize>lane, x - 3 * (lane & 7), 12);
}

/** Decodes one element of each lane from the first of these bounds, divided by 3, to the second one. */
function decodeSlot<T>(slot: i32, low: i32, high: i32, isFirst: bool): void {
  const from = max(0, low / 3) & ~7;
  const end = min(height, high / 3 + 1);
  for (let lane = from; lane < end; lane += 8) decodeGroup<T>(slot, lane, min(8, height - lane), isFirst);
}

/** Decodes one element of each of up to eight lanes. */
function decodeGroup<T>(slot: i32, lane: i32, count: i32, isFirst: bool): void {
  let at = slotAt(slot, lane);
  const back = at - slotBytes * <usize>period;
  predict(at, back, back - slotBytes * <usize>period, isFirst, situation);
  situate<T>(at, back, isFirst, situation);
  const haveLowBits = v128.any_true(v128.load(situation, lowBitsAt));
  let own = situation;
  let reader = readers + 16 * <usize>lane;
  const last = lane + count;
  for (; lane < last; lane++, at += 2, own += 4, reader += 16) {
    const x = load<i32>(reader, 12);
    store<i32>(reader, x + 1, 12);
    if (<u32>x >= <u32>width) {
      if (x >= width) waitForSlice(slot, lane, x, reader, isFirst);
      continue;
    }
    let from: usize = load<u32>(reader);
    let state = load<u32>(reader, 8);
    let value = -1;
    const half = (own - situation) >> 1;
    const prediction = load<i32>(own, biasedAt);
    for (let number = 0; number < specialCount; number++) {
      const chance = <u32>load<u16>(chances + 2 * <usize>load<u16>(situation + half + <usize>(16 * number), flagsAt));
      const rest = state & 4095;
      if (rest >= 4096 - chance) {
        state = chance * (state >> 12) + rest - (4096 - chance);
        value = number === 0 ? special0 : special1;
      } else {
        state = (4096 - chance) * (state >> 12) + rest;
      }
      while (state < 65536) state = (state << 8) | load<u8>(from++);
      if (value >= 0) break;
    }
    if (value < 0) {
      const table = <usize>load<u16>(situation + half, tablesAt);
      const slotOfCode = state & 4095;
      const token = <i32>load<u8>(tokens + (table << 12) + slotOfCode);
      const entry = load<u32>(entries + ((table << 7) + 4 * <usize>token));
      state = (entry & 0xffff) * (state >> 12) + slotOfCode - (entry >> 16);
      // Whether a byte is due is hard to foresee, so this is neither a branch nor `select`, which compilers make one of.
      let isDue = u32(state < 65536);
      state = (state << (8 * isDue)) | (load<u8>(from) & -isDue);
      from += <usize>isDue;
      if (state < 65536) state = (state << 8) | load<u8>(from++);
      let magnitude = token >> 1;
      if (magnitude === 12) {
        const digits = (state & 4095) >> 8;
        state = skipped(state, 4);
        while (state < 65536) state = (state << 8) | load<u8>(from++);
        const most = min(digits, 8);
        let more = (1 << digits) | ((state & 4095) >> (12 - most));
        state = skipped(state, most);
        while (state < 65536) state = (state << 8) | load<u8>(from++);
        if (digits > 8) {
          more |= ((state & 4095) >> (20 - digits)) << 8;
          state = skipped(state, digits - 8);
          while (state < 65536) state = (state << 8) | load<u8>(from++);
        }
        magnitude = 11 + more;
      }
      const lowBits = <i32>load<u16>(situation + half, lowBitsAt);
      if (haveLowBits) {
        // Of no bits, this reads 0 and leaves the state as it is.
        magnitude = (magnitude << lowBits) | ((state & 4095) >> (12 - lowBits));
        state = skipped(state, lowBits);
        isDue = u32(state < 65536);
        state = (state << (8 * isDue)) | (load<u8>(from) & -isDue);
        from += <usize>isDue;
        if (state < 65536) state = (state << 8) | load<u8>(from++);
      }
      const isAbove = token & 1;
      value = (prediction >> fraction) + 1 + (magnitude ^ (isAbove - 1));
      outside |= value | (range - value);
    }
    store<u32>(reader, <u32>from);
    store<u32>(reader, state, 8);
    store<i16>(at, <i16>(value - (sizeof<T>() === 2 ? 0 : 32768)));
    store<i16>(at + toResidual, <i16>residualOf(value, load<i32>(own)));
    if (isFirst && x === 0 && lane + 1 < height && lane > 0) startNextFirstRow(slot, lane);
  }
}

/** The state after a field of so many bits. */
function skipped(state: u32, bits: i32): u32 {
  return ((state >> 12) << (12 - bits)) + (state & ((1 << (12 - bits)) - 1));
}

/** Between a row and the lane's next one. */
function waitForSlice(slot: i32, lane: i32, x: i32, reader: usize, isFirst: bool): void {
  if (x === width) {
    endRow(slot, lane);
    // What was read past the end belongs to another lane.
    if (load<u32>(reader) > load<u32>(reader, 4)) isSound = false;
  }
  if (isFirst) store<i32>(reader, x === width ? done : x + 1, 12);
  else if (x === period - 1) store<i32>(reader, slot + 1 - 3 * lane < endOfSlices ? 0 : done, 12);
}
