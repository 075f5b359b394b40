// Counts elements by their contexts. Twin: `count` in src/core/codecs/wave/loops.ts.
import { isSpecial, lowBitsOf, phaseOf } from './contexts';
import {
  endRow,
  energy,
  fraction,
  gradientCell,
  levelOf,
  predict,
  put,
  raiseLeft,
  residualCell,
  scaleOf,
  startPart,
  startRow,
  startSlice,
} from './walk';

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
