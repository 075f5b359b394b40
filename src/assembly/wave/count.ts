// Counts elements by their contexts. Twin: `count` in src/core/codecs/wave/loops.ts.
import { biasedAt, cellsAt, lowBitsAt, scalesAt, situation, startWithoutChoices, tablesAt } from './contexts';
import { fraction, isSpecial, isWide, startModel } from './model';
import { widened } from './predict';
import { endRow, openSlice, placeOf, predictSlice, situateNext, startSlices } from './slices';

/** Distances of eight elements. */
const distances: usize = memory.data(32, 16);

/**
 * Counts elements by their contexts.
 * @param period one in so many rows counts
 * @param counts initially 0: 729 sums of distances, 729 numbers of elements, 3328 numbers of tokens, four bytes each
 */
export function count(values: usize, x: i32, y: i32, depth: i32, model: usize, work: usize, period: i32, counts: usize): void {
  startModel(model);
  startSlices(work, x, y);
  startWithoutChoices();
  if (isWide()) countSlices<i32>(values, x, y, depth, period, counts);
  else countSlices<i16>(values, x, y, depth, period, counts);
}

function countSlices<T>(values: usize, width: i32, height: i32, depth: i32, period: i32, counts: usize): void {
  for (let slice = 0; slice < depth; slice++) {
    openSlice(slice, values);
    predictSlice();
    for (let y = (period - (slice % period)) % period; y < height; y += period) {
      let at = values + 2 * <usize>(width * (height * slice + y));
      for (let x = 0; x < width; ) {
        const count = situateNext<T>(x, y);
        const elements = v128.load(placeOf(x, y));
        v128.store(distances, distancesOf(widened(elements, false), 0));
        v128.store(distances, distancesOf(widened(elements, true), 16), 16);
        for (let i = 0; i < count; i++, at += 2) {
          const value = <i32>load<u16>(at);
          if (!isSpecial(value)) countElement(value, <usize>i, counts);
        }
        x += count;
      }
      endRow(y);
    }
  }
}

/** Four elements' distances from their predictions, in 64ths of the scale. Floating point divides them exactly enough. */
function distancesOf(elements: v128, at: usize): v128 {
  const difference = i32x4.sub(i32x4.shl(elements, fraction), v128.load(situation + biasedAt + at));
  const scale = f32x4.convert_i32x4_s(v128.load(situation + scalesAt + at));
  const distance = i32x4.trunc_sat_f32x4_s(f32x4.div(f32x4.convert_i32x4_s(i32x4.shl(difference, 6)), scale));
  return i32x4.max_s(i32x4.splat(-256), i32x4.min_s(i32x4.splat(256), distance));
}

function countElement(value: i32, i: usize, counts: usize): void {
  const cell = counts + 4 * <usize>load<u16>(situation + 2 * i, cellsAt);
  store<i32>(cell, load<i32>(cell) + load<i32>(distances + 4 * i));
  store<i32>(cell, load<i32>(cell, 4 * 729) + 1, 4 * 729);
  const middle = load<i32>(situation + 4 * i, biasedAt) >> fraction;
  const isAbove = value > middle;
  const magnitude = isAbove ? value - middle - 1 : middle - value;
  const high = magnitude >> <i32>load<u16>(situation + 2 * i, lowBitsAt);
  const table = <usize>load<u16>(situation + 2 * i, tablesAt);
  const token = counts + 4 * (1458 + table * 26 + <usize>(2 * min(high, 12) + i32(isAbove)));
  store<i32>(token, load<i32>(token) + 1);
}
