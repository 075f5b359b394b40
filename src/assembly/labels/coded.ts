// SPEC.md, 'A coded brick'.
import { brickBytes, clearNumbers, maxLabels, numberLabels, storeLabels } from './brick';
import { closeEncoder, decodedBytes, startDecoder, startEncoder } from './range-coder';
import { labelCount, walk } from './walk';

/** An encoder's labels, 4 bytes each. */
const values: usize = memory.data(4 * 64, 16);

/** @returns the end of the coded brick, or 0 if it would be no shorter than the elements */
export function encodeBrick<T>(to: usize): usize {
  const count = numberLabels<T>(values);
  if (count > maxLabels) return 0;
  const limit = to + brickBytes<T>();
  startEncoder(to);
  if (!walk(maxLabels, limit)) return 0;
  let end = closeEncoder();
  for (let label = count; label > 0; label--, end += sizeof<T>()) store<T>(end, <T>load<u32>(values + 4 * (label - 1)));
  return end < limit ? end : 0;
}

/** @returns whether the coded brick is valid */
export function decodeBrick<T>(from: usize, bytes: u32): bool {
  clearNumbers();
  startDecoder(from, from + bytes);
  if (!walk(min<u32>(maxLabels, bytes / sizeof<T>()), usize.MAX_VALUE)) return false;
  if (decodedBytes() + labelCount * sizeof<T>() !== bytes) return false;
  storeLabels<T>(from + bytes);
  return true;
}
