// What a code depends on: special values, levels, biases and tables. src/core/codecs/wave/SPEC.md, 'Bias' to 'Tokens'.
import { flagContext, fraction, gradientCell, range, residualCell, scaleOf, special0, special1, specialCount } from './walk';

/** Whether a value has a flag of its own. */
export function isSpecial(value: i32): bool {
  return (specialCount > 0 && value === special0) || (specialCount > 1 && value === special1);
}

/** The number of low bits that a token leaves out. */
export function lowBitsOf(level: i32): i32 {
  return max(0, (level >> 1) - fraction - 3);
}

/** The fraction of a prediction in quarters. */
export function phaseOf(prediction: i32): i32 {
  return (prediction >> (fraction - 2)) & 3;
}

/** The levels by level, four bytes each, then the biases by residuals' cell and by gradients'. */
let coding: usize = 0;
/** Starts of tokens, 27 for each level and phase, then the chances of flags: two bytes each. */
let tables: usize = 0;

export function biased(plain: i32, around: i32): i32 {
  const scale = scaleOf(around);
  const first = (load<i32>(coding + 4 * <usize>(32 + residualCell(scale))) * scale) >> 6;
  const second = (load<i32>(coding + 4 * <usize>(59 + gradientCell(scale, plain))) * scale) >> 6;
  const highest = range << fraction;
  return max(0, min(highest, plain + first + second));
}

export function chanceOf(special: i32, around: i32, level: i32, prediction: i32): i32 {
  return <i32>load<u16>(tables + 2 * <usize>(3456 + flagContext(special, around, level, prediction)));
}

export function tableOf(level: i32, prediction: i32): usize {
  return tables + 2 * <usize>(27 * (4 * load<i32>(coding + 4 * <usize>level) + phaseOf(prediction)));
}

/** @param choices the chunk's levels and biases @param fixed the tables of SPEC.md */
export function startCoding(choices: usize, fixed: usize): void {
  coding = choices;
  tables = fixed;
}
