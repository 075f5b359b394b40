import {
  columnLength,
  columnStep,
  gapEscape,
  planeLength,
  planeStep,
  rowLength,
  rowStep,
  segmentElements,
  setOrder,
} from './scan-order';

/** The starts of a segment's runs. */
const starts: usize = memory.data(4 * 2048, 16);

/** As `decode` in index.ts. */
export function decodeRuns<T>(from: usize, length: u32, x: u32, y: u32, z: u32, axis: u32, ordered: usize, to: usize): bool {
  setOrder(x, y, z, axis);
  const count = x * y * z;
  const segments = (count + segmentElements - 1) / segmentElements;
  if (length < 8 * segments) return false;
  const runs = load<u32>(from + 4 * (segments - 1));
  const words = load<u32>(from + 8 * segments - 4);
  const valuesBytes = <u64>runs * sizeof<T>();
  const marksAt = <u64>8 * segments + ((valuesBytes + 3) & ~(<u64>3));
  if (marksAt + ((<u64>words) << 2) !== <u64>length) return false;
  const values = from + 8 * segments;
  const marks = from + <usize>marksAt;
  for (let at = values + <usize>valuesBytes; at < marks; at++) if (load<u8>(at) !== 0) return false;

  let run: u32 = 0;
  let word: u32 = 0;
  let value: T = 0;
  const elements = axis === 0 ? to : ordered;
  let at = elements;
  for (let segment: u32 = 0; segment < segments; segment++) {
    const here = min(segmentElements, count - segment * segmentElements);
    const endRun = load<u32>(from + 4 * segment);
    const endWord = load<u32>(from + 4 * (segments + segment));
    if (endRun < run || endWord < word || endRun > runs || endWord > words) return false;
    if (!readStarts(marks + 4 * word, endWord - word, endRun - run, here)) return false;
    if (segment === 0 && (endRun === 0 || load<u32>(starts) !== 0)) return false;
    let filled: u32 = 0;
    for (let i: u32 = 0; run < endRun; i++, run++) {
      const start = load<u32>(starts + 4 * i);
      at = fill<T>(at, value, start - filled);
      filled = start;
      const next = load<T>(values + run * sizeof<T>());
      if (run > 0 && next === value) return false;
      value = next;
    }
    at = fill<T>(at, value, here - filled);
    word = endWord;
  }
  if (axis !== 0) scatter<T>(elements, to);
  return true;
}

function fill<T>(at: usize, value: T, count: u32): usize {
  if (sizeof<T>() === 1) {
    memory.fill(at, <u8>value, count);
    return at + count;
  }
  const end = at + count * sizeof<T>();
  for (; at < end; at += sizeof<T>()) store<T>(at, value);
  return end;
}

/** Reads where runs start in a segment of `length` elements. @returns false if SPEC.md refuses its marks */
function readStarts(from: usize, words: u32, runs: u32, length: u32): bool {
  const bitmapWords = (length + 31) >> 5;
  if (runs > length || words > bitmapWords) return false;
  const end = from + 4 * words;
  let found: u32 = 0;
  let next: u32 = 0;
  let gapBytes: u32 = 0;
  if (words === bitmapWords) {
    for (let word: u32 = 0; word < words; word++) {
      for (let bits = load<u32>(from + 4 * word); bits !== 0; bits &= bits - 1) {
        const start: u32 = 32 * word + <u32>ctz(bits);
        if (start >= length || found === runs) return false;
        store<u32>(starts + 4 * found, start);
        gapBytes += (start - next) / gapEscape + 1;
        next = start + 1;
        found++;
      }
    }
    return found === runs && (gapBytes + 3) >> 2 >= bitmapWords;
  }
  let at = from;
  for (; found < runs && at < end; at++) {
    const byte = <u32>load<u8>(at);
    next += byte;
    if (byte === gapEscape) continue;
    if (next >= length) return false;
    store<u32>(starts + 4 * found, next++);
    found++;
  }
  if (found !== runs || end - at > 3) return false;
  for (; at < end; at++) if (load<u8>(at) !== 0) return false;
  return true;
}

/** Puts elements in scan order in their places. */
function scatter<T>(from: usize, to: usize): void {
  for (let plane: u32 = 0; plane < planeLength; plane++) {
    for (let row: u32 = 0; row < rowLength; row++) {
      let at = to + (plane * planeStep + row * rowStep) * sizeof<T>();
      for (let i: u32 = 0; i < columnLength; i++, at += columnStep * sizeof<T>(), from += sizeof<T>()) {
        store<T>(at, load<T>(from));
      }
    }
  }
}
