// The sections of a payload: SPEC.md, 'Payload'.
import { blockCount } from './brick';

/** Lengths in words: of the classes, the tails, then the heads of each class from 1 on. */
export const sectionWords: usize = memory.data(4 * 14, 16);

/** `bytes` rounded up to whole words. */
export function wordBytes(bytes: u32): u32 {
  return (bytes + 3) & ~3;
}

/** Bytes of predictors and bases. */
export function fixedBytes<T>(): u32 {
  return wordBytes(blockCount) + wordBytes(blockCount * sizeof<T>());
}

/** The start of a section in the payload: 0 is the tails, then the heads of each class. */
export function startOf<T>(section: u32): u32 {
  let bytes = fixedBytes<T>();
  for (let before: u32 = 0; before <= section; before++) bytes += 4 * load<u32>(sectionWords + 4 * before);
  return bytes;
}
