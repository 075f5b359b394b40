// Codes lanes: src/core/codecs/wave/SPEC.md, 'Tokens' and 'A lane'.
import { biased, chanceOf, lowBitsOf, startCoding, tableOf } from './contexts';
import {
  endRow,
  energy,
  fraction,
  levelOf,
  predict,
  put,
  raiseLeft,
  special0,
  special1,
  specialCount,
  startPart,
  startRow,
  startSlice,
} from './walk';

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
  startCoding(choices, fixed);
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
