// SPEC.md, 'Walk' and 'Guesses'. An encoder has already numbered the elements' labels; a decoder numbers them here.
import { firstLanes } from '../common/lanes';
import { depth, height, none, rowAt, rowStep, sliceStep, width } from './brick';
import { ask, streamAt } from './range-coder';
import { missChance, newChance, rowChance } from './tables';

/** Labels met so far. */
export let labelCount: u32 = 0;

/** All ones in the lanes of a row that exist. */
let present: v128 = i32x4.splat(0);

/**
 * Goes through the brick and asks every question.
 * @param mostLabels the walk ends if there are more
 * @param lastByte the walk ends if the stream continues past it
 * @returns false if it ended early, or if a number has no label
 */
export function walk(mostLabels: u32, lastByte: usize): bool {
  labelCount = 0;
  present = firstLanes<u8>(width);
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const row = rowAt(y, z);
      const common = commonLabel(row);
      if (common !== none) {
        const labels = v128.bitselect(i8x16.splat(<i8>common), i8x16.splat(<i8>none), present);
        if (!ask(rowChance(rowsAround), v128.any_true(v128.xor(v128.load(row), labels)))) {
          v128.store(row, labels);
          continue;
        }
      }
      for (let at = row; at < row + width; at++) {
        const number = codeElement(at);
        if (number === labelCount) {
          if (labelCount === mostLabels) return false;
          labelCount++;
        } else if (number > labelCount) return false;
        store<u8>(at, number);
      }
      if (streamAt() > lastByte) return false;
    }
  }
  return true;
}

/** The rows around a row: how many exist, the first one's label, and where the others differ from it. */
let rowsAround: u32 = 0;
let labelAround: u32 = none;
let differences: v128 = i32x4.splat(0);

/** The label that all elements of the rows around a row have, or `none`. */
function commonLabel(row: usize): u32 {
  rowsAround = 0;
  labelAround = none;
  differences = i32x4.splat(0);
  lookAt(row - rowStep);
  lookAt(row - rowStep - sliceStep);
  lookAt(row - sliceStep);
  lookAt(row + rowStep - sliceStep);
  return v128.any_true(v128.and(differences, present)) ? none : labelAround;
}

function lookAt(row: usize): void {
  const label = <u32>load<u8>(row);
  if (label === none) return;
  if (rowsAround === 0) labelAround = label;
  rowsAround++;
  differences = v128.or(differences, v128.xor(v128.load(row), i8x16.splat(<i8>labelAround)));
}

/** The element's number. An encoder finds it at `at`. */
function codeElement(at: usize): u32 {
  const own = <u32>load<u8>(at);
  const behind = at - sliceStep - 1;
  let around = v128.load32_zero(behind - rowStep);
  around = v128.load32_lane(behind, around, 1);
  around = v128.load32_lane(behind + rowStep, around, 2);
  around = v128.load32_lane(at - rowStep - 1, around, 3);
  // The element above and two to the right is not needed: the left one takes its place.
  around = v128.load8_lane(at - 1, around, 15);
  // 'The nine behind', then 'the seven near'.
  const neighbours = i8x16.shuffle(around, around, 0, 1, 2, 4, 5, 6, 8, 9, 10, 15, 12, 13, 14, 5, 6, 9);
  // 'left; above; behind; (x + 1, y, z − 1); (x, y + 1, z − 1); (x + 1, y − 1, z); (x + 1, y + 1, z − 1)'
  const ordered = i8x16.shuffle(around, around, 15, 13, 5, 6, 9, 14, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10);
  let tried = i8x16.eq(ordered, i8x16.splat(<i8>none));
  let guess = <u32>i8x16.extract_lane_u(around, 13);
  if (guess === none || guess !== <u32>i8x16.extract_lane_u(around, 5)) guess = nextGuess(ordered, tried);
  let guesses: u32 = 0;
  while (guess !== none) {
    const same = i8x16.splat(<i8>guess);
    if (!ask(missChance(guesses, i8x16.bitmask(i8x16.eq(neighbours, same))), own !== guess)) return guess;
    if (++guesses === 3) break;
    tried = v128.or(tried, i8x16.eq(ordered, same));
    guess = nextGuess(ordered, tried);
  }
  // 'let m be the number of labels met in this brick so far, less the number of guesses. If m = 0, the label is new.'
  const left = labelCount - guesses;
  if (left === 0 || ask(newChance(left), own === labelCount)) return labelCount;
  let number: u32 = 0;
  const bits: u32 = 32 - clz(labelCount - 1);
  for (let bit: u32 = 0; bit < bits; bit++) number |= u32(ask(2048, ((own >> bit) & 1) !== 0)) << bit;
  return number < labelCount ? number : none;
}

/** 'it is the first label in this order that exists and has not been guessed yet' */
function nextGuess(ordered: v128, tried: v128): u32 {
  const first = ctz(~i8x16.bitmask(tried));
  return first < 7 ? <u32>i8x16.extract_lane_u(i8x16.swizzle(ordered, i8x16.splat(<i8>first)), 0) : none;
}
