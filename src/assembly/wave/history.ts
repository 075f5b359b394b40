// Values and residuals of a part that is being decoded, in the order in which a wave of lanes decodes them. Slot t of lane y has
// the element with x = t − 3 y − period z, so a lane is three elements behind the lane above it, and the neighbours of adjacent
// lanes are adjacent. Slots between rows, and the lanes above and below the part, hold the stand-ins of
// src/core/codecs/wave/SPEC.md, 'Outside'.
import { center } from './model';
import { startNeighbours, toResidual } from './predict';

/** Bytes from a slot to the next: 64 lanes, two above and two below them, and four of nothing. */
export const slotBytes: usize = 144;
const downBytes: usize = 3 * slotBytes + 2;
/** Slots before slot 0. */
const lead: i32 = 16;

let width: i32 = 0;
let height: i32 = 0;
let depth: i32 = 0;
/** Slots from an element to the one in the next slice. */
export let period: i32 = 0;
/** The address of slot 0 of lane 0. */
let origin: usize = 0;
let slots: i32 = 0;

function measure(x: i32, y: i32, slices: i32): void {
  width = x;
  height = y;
  depth = slices;
  // Two stand-ins on either side; no part needs stand-ins earlier than after 16 slots.
  period = slices > 1 ? max(x + 4, 16) : x + 4;
  slots = (slices > 1 ? (slices + 2) * period : period) + 3 * (y + 2) + 2 * lead;
}

/** Bytes that `startHistory` needs. */
export function historyBytes(x: i32, y: i32, slices: i32): usize {
  measure(x, y, slices);
  return 2 * slotBytes * <usize>slots;
}

export function startHistory(work: usize, x: i32, y: i32, slices: i32): void {
  measure(x, y, slices);
  const before = lead + (slices > 1 ? period : 0);
  origin = work + slotBytes * <usize>before + 4;
  startNeighbours(slotBytes, downBytes, slotBytes * <usize>slots);
}

/** The address of a slot. Adjacent lanes are two bytes apart. */
export function slotAt(slot: i32, lane: i32): usize {
  return origin + <usize>(slot * <i32>slotBytes + 2 * lane);
}

/** Copies an element to another slot and lane. */
function copy(from: usize, slot: i32, lane: i32): void {
  const to = slotAt(slot, lane);
  store<i16>(to, load<i16>(from));
  store<i16>(to + toResidual, load<i16>(from + toResidual));
}

/** Before row 0 of slice 0 there is nothing. */
export function startFirstRow(): void {
  for (let slot = -2; slot < 0; slot++) {
    store<i16>(slotAt(slot, 0), <i16>-center);
    store<i16>(slotAt(slot, 0) + toResidual, 0);
  }
}

/** In row 0 of slice 0 the element to the left stands for those above. */
export function raiseLeft(slot: i32): void {
  const left = slotAt(slot - 1, 0);
  for (let column = -2; column <= 2; column++) {
    copy(left, slot - 3 + column, -1);
    copy(left, slot - 6 + column, -2);
  }
}

/** After row 0 of slice 0, it is above itself. */
export function endFirstRow(): void {
  for (let slot = -2; slot < width + 2; slot++) {
    copy(slotAt(slot, 0), slot - 3, -1);
    copy(slotAt(slot, 0), slot - 6, -2);
  }
}

/** Stands in for the elements to the left of the next row of slice 0, once the first element of a row is known. */
export function startNextFirstRow(slot: i32, lane: i32): void {
  copy(slotAt(slot, lane), slot + 1, lane + 1);
  copy(slotAt(slot, lane), slot + 2, lane + 1);
}

/** Stands in for elements to the right of a row, and to the left of its successor in the next slice. The row ends before `slot`. */
export function endRow(slot: i32, lane: i32): void {
  copy(slotAt(slot - 1, lane), slot, lane);
  copy(slotAt(slot - 1, lane), slot + 1, lane);
  if (depth === 1) return;
  const first = slotAt(slot - width, lane);
  copy(first, slot - width + period - 2, lane);
  copy(first, slot - width + period - 1, lane);
}

/** After slice 0: it is also the slice before itself, its last row is below itself, and row 0 is above the next slice. */
export function endFirstSlice(): void {
  for (let x = -2; x < width + 2; x++) {
    belowLast(x + 3 * (height - 1));
    aboveNext(x);
    for (let lane = -1; lane <= height; lane++) {
      store<i16>(slotAt(x + 3 * lane - period, lane), load<i16>(slotAt(x + 3 * lane, lane)));
    }
  }
}

/** After each slot of later slices. */
export function endSlot(slot: i32): void {
  belowLast(slot);
  aboveNext(slot);
  // Now that no element of row 0 and 1 needs the slice behind there any more, row 0 is above itself.
  const own = slotAt(slot - 8, 0);
  copy(own, slot - 11, -1);
  copy(own, slot - 14, -2);
}

/** The last row is below itself. */
function belowLast(slot: i32): void {
  const last = slotAt(slot, height - 1);
  copy(last, slot + 3, height);
  copy(last, slot + 6, height + 1);
}

/** Row 0 is above row 0 of the next slice. */
function aboveNext(slot: i32): void {
  const first = slotAt(slot, 0);
  copy(first, slot + period - 3, -1);
  copy(first, slot + period - 6, -2);
}

/** Copies a part's values to `to`, two bytes each, x fastest, then y, then z. */
export function collect(to: usize): void {
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) {
      let from = slotAt(3 * y + period * z, y);
      for (const end = to + 2 * <usize>width; to < end; to += 2, from += slotBytes) {
        store<i16>(to, <i16>(load<i16>(from) + center));
      }
    }
  }
}
