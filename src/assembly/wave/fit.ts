// The sums by which weights are fitted. Twin: `fit` in src/core/codecs/wave/loops.ts.
import { isSpecial } from './contexts';
import { endRow, predict, put, raiseLeft, range, readNeighbours, startPart, startRow, startSlice, unrest, z } from './walk';

const columns: usize = 29;
const row: usize = memory.data(4 * 29, 16);
const terms: usize = memory.data(8 * 29 + 8, 16);

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
