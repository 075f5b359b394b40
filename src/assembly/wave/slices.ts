// Slices of a part that is being encoded, with margins that hold the stand-ins of src/core/codecs/wave/SPEC.md, 'Outside'.
import { situate } from './contexts';
import { center, fraction, residualOf, special0, special1 } from './model';
import { predict, startNeighbours, toResidual, widened } from './predict';

/** Stand-ins above and below a slice. */
const rowMargin: usize = 2;
/** Bytes of stand-ins to the left of a row. There are as many to its right. */
const sideBytes: usize = 8;

let width: i32 = 0;
let height: i32 = 0;
/** Bytes of a row with its margins, and of a slice's values; their residuals follow. */
let pitch: usize = 0;
let sliceBytes: usize = 0;
let slices: usize = 0;
/** A slice's predictions, four bytes each. */
let predictions: usize = 0;
let predictionPitch: usize = 0;

/** The current slice, and the addresses of the first elements of it, of the slice behind and the one behind that. */
export let z: i32 = 0;
let here: usize = 0;
let behind: usize = 0;
let farther: usize = 0;

function measure(x: i32, y: i32): void {
  width = x;
  height = y;
  predictionPitch = 4 * <usize>((x + 7) & ~7);
  pitch = predictionPitch / 2 + 2 * sideBytes;
  sliceBytes = pitch * (<usize>y + 2 * rowMargin);
}

/** Bytes that `startSlices` needs. */
export function slicesBytes(x: i32, y: i32): usize {
  measure(x, y);
  return 6 * sliceBytes + predictionPitch * <usize>y;
}

export function startSlices(work: usize, x: i32, y: i32): void {
  measure(x, y);
  slices = work;
  predictions = work + 6 * sliceBytes;
  startNeighbours(2, pitch, sliceBytes);
}

function firstOf(number: i32): usize {
  return slices + 2 * sliceBytes * <usize>((number + 3) % 3) + rowMargin * pitch + sideBytes;
}

/** The address of the element (x, y) of the current slice. */
export function placeOf(x: i32, y: i32): usize {
  return here + pitch * <usize>y + 2 * <usize>x;
}

/** From an element to the one behind it, and to the one behind that. */
export function toBack(): usize {
  return behind - here;
}

export function toFar(): usize {
  return farther - here;
}

/** The address of the prediction without biases of the element (x, y), four bytes each. */
export function predictionOf(x: i32, y: i32): usize {
  return predictions + predictionPitch * <usize>y + 4 * <usize>x;
}

/** Goes on to the next slice. @param values of all slices, two bytes each */
export function openSlice(number: i32, values: usize): void {
  z = number;
  here = firstOf(number);
  behind = firstOf(number - 1);
  farther = number === 1 ? behind : firstOf(number - 2);
  if (number > 0) {
    // Row 0 of the slice behind is above the current slice. From now on it is also above itself, and its last row below itself.
    copyRow(behind, behind - pitch);
    copyRow(behind, behind - 2 * pitch);
    const last = behind + pitch * <usize>(height - 1);
    copyRow(last, last + pitch);
    copyRow(last, last + 2 * pitch);
    copyRow(behind, here - pitch);
    copyRow(behind, here - 2 * pitch);
  }
  const rowBytes: usize = 2 * <usize>width;
  let from = values + rowBytes * <usize>(height * number);
  for (let y = 0; y < height; y++, from += rowBytes) {
    const row = placeOf(0, y);
    // Reads and writes up to seven elements past the row.
    const centers = i16x8.splat(<i16>center);
    for (let x: usize = 0; x < rowBytes; x += 16) v128.store(row + x, i16x8.sub(v128.load(from + x), centers));
    repeatLast(row);
    repeatFirst(row, y, -center);
  }
}

/** The values and residuals of a row with its margins. */
function copyRow(from: usize, to: usize): void {
  memory.copy(to - sideBytes, from - sideBytes, pitch);
  memory.copy(to - sideBytes + toResidual, from - sideBytes + toResidual, pitch);
}

/** The last element of a row stands for those to its right. */
function repeatLast(row: usize): void {
  const end = row + 2 * <usize>width;
  const last = <u32>load<u16>(end - 2);
  store<u32>(end, last | (last << 16));
}

/** The first of the slice behind, or of the row above, stands for those to the left of a row. */
function repeatFirst(row: usize, y: i32, none: i32): void {
  const from = z > 0 ? row + toBack() : row - pitch;
  const first = z === 0 && y === 0 ? <u32>(none & 0xffff) : <u32>load<u16>(from);
  store<u32>(row - 4, first | (first << 16));
}

/**
 * In row 0 of slice 0 the element to the left stands for those above, so that elements of that row are visited one by one.
 * Afterwards the row is above itself.
 */
function raiseLeft(x: i32): void {
  const left = placeOf(x - 1, 0);
  const value = load<i16>(left);
  const residual = load<i16>(left + toResidual);
  for (let column = x - 2; column <= x + 2; column++) {
    const at = placeOf(column, 0) - pitch;
    store<i16>(at, value);
    store<i16>(at - pitch, value);
    store<i16>(at + toResidual, residual);
    store<i16>(at - pitch + toResidual, residual);
  }
}

function isRaised(y: i32): bool {
  return z === 0 && y === 0;
}

/** Prepares the elements from x on. @returns their number, at most 8 */
export function nextOf(x: i32, y: i32): i32 {
  if (!isRaised(y)) return min(8, width - x);
  raiseLeft(x);
  return 1;
}

/** To be called after a row. */
export function endRow(y: i32): void {
  if (!isRaised(y)) return;
  copyRow(here, here - pitch);
  copyRow(here, here - 2 * pitch);
}

/**
 * Predicts a row's first elements, and stores their residuals. Rows above come first.
 * @param end a multiple of 8, or the width
 */
export function predictRow(y: i32, end: i32): void {
  const row = placeOf(0, y);
  if (isRaised(y)) store<u32>(row - 4 + toResidual, 0);
  for (let x = 0; x < end; ) {
    const count = nextOf(x, y);
    const at = placeOf(x, y);
    const to = predictionOf(x, y);
    if (count === 1) {
      // More must not be stored, since it could be read as an element.
      predict(at, at + toBack(), at + toFar(), z === 0, single);
      const prediction = load<i32>(single);
      store<i32>(to, prediction);
      store<i16>(at + toResidual, <i16>residualOf(<i32>load<i16>(at) + center, prediction));
    } else {
      predict(at, at + toBack(), at + toFar(), z === 0, to);
      storeResiduals(at, to);
    }
    x += count;
  }
  repeatLast(row + toResidual);
  repeatFirst(row + toResidual, y, 0);
  endRow(y);
}

const single: usize = memory.data(32, 16);

/** SPEC.md, 'Prediction': the residuals of eight elements. Saturation clamps them. */
function storeResiduals(at: usize, predictions: usize): void {
  const values = v128.load(at);
  const low = i32x4.sub(i32x4.shl(widened(values, false), fraction), v128.load(predictions));
  const high = i32x4.sub(i32x4.shl(widened(values, true), fraction), v128.load(predictions, 16));
  const residuals = i16x8.max_s(i16x8.splat(-32767), i16x8.narrow_i32x4_s(low, high));
  const limit = i16x8.splat(<i16>((<i32>1) << fraction));
  const clamped = i16x8.min_s(limit, i16x8.max_s(i16x8.neg(limit), residuals));
  v128.store(at + toResidual, v128.bitselect(clamped, residuals, specialsAt(at)));
}

/** Of eight elements, all bits of those that are special values. */
export function specialsAt(at: usize): v128 {
  const values = v128.load(at);
  const first = v128.and(i16x8.eq(values, i16x8.splat(<i16>(special0 - center))), i16x8.splat(<i16>-i32(special0 >= 0)));
  const second = i16x8.eq(values, i16x8.splat(<i16>(special1 - center)));
  return v128.or(first, v128.and(second, i16x8.splat(<i16>-i32(special1 >= 0))));
}

/** Predicts the current slice. */
export function predictSlice(): void {
  for (let y = 0; y < height; y++) predictRow(y, width);
}

/** Stores the contexts of the elements from x on. @returns their number, at most 8 */
export function situateNext<T>(x: i32, y: i32): i32 {
  const count = nextOf(x, y);
  const at = placeOf(x, y);
  situate<T>(at, at + toBack(), z === 0, predictionOf(x, y));
  return count;
}
