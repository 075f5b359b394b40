// Codes lanes: src/core/codecs/wave/SPEC.md, 'Tokens' and 'A lane'.
import { biasedAt, flagsAt, lowBitsAt, situation, startChoices, tablesAt } from './contexts';
import { fraction, isWide, special0, special1, specialCount, startModel } from './model';
import { endRow, openSlice, predictSlice, situateNext, startSlices } from './slices';
import { chances, entries, startTables } from './tables';

/** By frequency: 2^36 divided by it, plus 1. A product with a state below 2^24, >> 36, is the quotient exactly. */
const reciprocals: usize = memory.data(8 * 4097, 16);

function startReciprocals(): void {
  if (load<u64>(reciprocals, 8) !== 0) return;
  for (let frequency: u64 = 1; frequency <= 4096; frequency++) {
    store<u64>(reciprocals + 8 * <usize>frequency, ((<u64>1) << 36) / frequency + 1);
  }
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
  startModel(model);
  startSlices(work, x, y);
  startChoices(choices);
  startTables(fixed);
  startReciprocals();
  const codeRoom: usize = 28 * <usize>x * <usize>depth;
  // Until a lane is written, its length holds the address of its next code.
  for (let line = 0; line < y; line++) store<u32>(lengths + 4 * <usize>line, <u32>(codes + <usize>line * codeRoom));
  if (isWide()) codeSlices<i32>(values, x, y, depth, lengths);
  else codeSlices<i16>(values, x, y, depth, lengths);
  let fits = true;
  for (let line = 0; line < y && fits; line++) {
    const start = codes + <usize>line * codeRoom;
    const length = writeLane(start, load<u32>(lengths + 4 * <usize>line), lanes + <usize>line * laneRoom, laneRoom);
    store<u32>(lengths + 4 * <usize>line, <u32>length);
    fits = length > 0;
  }
  return fits;
}

function codeSlices<T>(values: usize, width: i32, height: i32, depth: i32, lengths: usize): void {
  let at = values;
  for (let slice = 0; slice < depth; slice++) {
    openSlice(slice, values);
    predictSlice();
    for (let line = 0; line < height; line++) {
      next = load<u32>(lengths + 4 * <usize>line);
      for (let x = 0; x < width; ) {
        const count = situateNext<T>(x, line);
        for (let i = 0; i < count; i++, at += 2) addElement(<i32>load<u16>(at), <usize>i);
        x += count;
      }
      store<u32>(lengths + 4 * <usize>line, <u32>next);
      endRow(line);
    }
  }
}

/** @param i which of eight elements it is */
function addElement(value: i32, i: usize): void {
  const own = situation + 2 * i;
  for (let number = 0; number < specialCount; number++) {
    const chance = <i32>load<u16>(chances + 2 * <usize>load<u16>(own + <usize>(16 * number), flagsAt));
    if (value === (number === 0 ? special0 : special1)) {
      add(4096 - chance, chance);
      return;
    }
    add(0, 4096 - chance);
  }
  const lowBits = <i32>load<u16>(own, lowBitsAt);
  const middle = load<i32>(situation + 4 * i, biasedAt) >> fraction;
  const isAbove = i32(value > middle);
  const magnitude = (value - middle - 1) ^ (isAbove - 1);
  const high = magnitude >> lowBits;
  const token = 2 * min(high, 12) + isAbove;
  store<u32>(next, load<u32>(entries + ((<usize>load<u16>(own, tablesAt)) << 7) + 4 * <usize>token));
  next += 4;
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
    const limit = frequency << 12;
    // Whether a byte is due is hard to foresee, so this is not a branch.
    const isDue = state >= limit;
    store<u8>(to - 1, <u8>state);
    to -= <usize>isDue;
    state = select<u32>(state >> 8, state, isDue);
    while (state >= limit) {
      store<u8>(--to, <u8>state);
      state >>= 8;
    }
    const quotient = <u32>((<u64>state * load<u64>(reciprocals + 8 * <usize>frequency)) >> 36);
    state += quotient * (4096 - frequency) + (code >> 16);
  }
  if (to < room + 3) return 0;
  store<u8>(--to, <u8>state);
  store<u8>(--to, <u8>(state >> 8));
  store<u8>(--to, <u8>(state >> 16));
  return last - to;
}
