// A part's model: what predictions depend on. src/core/codecs/wave/SPEC.md, 'A coded part' and 'Prediction'.
//
// Functions with a type parameter exist for two types. i16: a value, and twice the largest prediction, fit in 16 bits with a
// sign. i32: they may not. Then stored values have `center` subtracted, so that they do.

export let fraction: i32 = 0;
export let range: i32 = 0;
export let specialCount: i32 = 0;
/** −1 where there is none. */
export let special0: i32 = -1;
export let special1: i32 = -1;
/** Subtracted from stored values. */
export let center: i32 = 0;

/** The weights of two neighbours in a vector, four times: 14 vectors, then five for slice 0. */
export const pairs: usize = memory.data(19 * 16, 16);
export const firstPairs: usize = pairs + 14 * 16;
/** Added to sums of products, because `center` was subtracted from the values. */
export let offset: i32 = 0;
export let firstOffset: i32 = 0;

/** @param model fraction, range, number of special values, two special values, 28 weights and 28 of slice 0 */
export function startModel(model: usize): void {
  fraction = load<i32>(model);
  range = load<i32>(model, 4);
  specialCount = load<i32>(model, 8);
  special0 = specialCount > 0 ? load<i32>(model, 12) : -1;
  special1 = specialCount > 1 ? load<i32>(model, 16) : -1;
  center = isWide() ? 32768 : 0;
  const weights = model + 20;
  for (let pair: usize = 0; pair < 14; pair++) setPair(pairs + 16 * pair, weights + 8 * pair);
  for (let pair: usize = 0; pair < 5; pair++) setPair(firstPairs + 16 * pair, weights + 28 * 4 + 8 * pair);
  offset = center * sumOf(weights, 28);
  firstOffset = center * sumOf(weights + 28 * 4, 10);
}

function setPair(to: usize, weights: usize): void {
  const pair = (load<i32>(weights) & 0xffff) | (load<i32>(weights, 4) << 16);
  v128.store(to, i32x4.splat(pair));
}

function sumOf(weights: usize, count: usize): i32 {
  let sum = 0;
  for (let i: usize = 0; i < count; i++) sum += load<i32>(weights + 4 * i);
  return sum;
}

export function isWide(): bool {
  return range << fraction > 16383;
}

/** Whether a value has a flag of its own. */
export function isSpecial(value: i32): bool {
  return value === special0 || value === special1;
}

/** SPEC.md, 'Prediction': the residual. */
export function residualOf(value: i32, prediction: i32): i32 {
  const limit = isSpecial(value) ? 1 << fraction : 32767;
  return max(-limit, min(limit, (value << fraction) - prediction));
}
