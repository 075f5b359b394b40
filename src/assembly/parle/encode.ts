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

/** The marks of a segment in both forms. A gap is at most one byte for each element, and a byte for each escape. */
const gaps: usize = memory.data(2048 + 16, 16);
const bitmap: usize = memory.data(256, 16);

/** As `encode` in index.ts. */
export function encodeRuns<T>(from: usize, x: u32, y: u32, z: u32, axis: u32, marks: usize, to: usize): u32 {
  setOrder(x, y, z, axis);
  const count = x * y * z;
  const segments = (count + segmentElements - 1) / segmentElements;
  let value = to + 8 * segments;
  let anchor = to;
  let marksEnd = marks;
  let runs: u32 = 0;
  let previous: T = 0;
  let gapsEnd = gaps;
  let next: u32 = 0;
  let inSegment: u32 = 0;
  let left = count;
  memory.fill(bitmap, 0, 256);
  for (let plane: u32 = 0; plane < planeLength; plane++) {
    for (let row: u32 = 0; row < rowLength; row++) {
      let at = from + (plane * planeStep + row * rowStep) * sizeof<T>();
      for (let i: u32 = 0; i < columnLength; i++, at += columnStep * sizeof<T>()) {
        const element = load<T>(at);
        if (element !== previous || runs === 0) {
          store<T>(value, element);
          value += sizeof<T>();
          previous = element;
          runs++;
          let gap = inSegment - next;
          for (; gap >= gapEscape; gap -= gapEscape) store<u8>(gapsEnd++, gapEscape);
          store<u8>(gapsEnd++, gap);
          next = inSegment + 1;
          const byte = bitmap + (inSegment >> 3);
          store<u8>(byte, <u32>load<u8>(byte) | ((<u32>1) << (inSegment & 7)));
        }
        inSegment++;
        left--;
        if (inSegment < segmentElements && left > 0) continue;
        // 'Gaps are used if they take fewer words than the bitmap, otherwise the bitmap.'
        const bitmapBytes: u32 = 4 * ((inSegment + 31) >> 5);
        const gapBytes: u32 = (<u32>(gapsEnd - gaps) + 3) & ~3;
        memory.fill(gapsEnd, 0, 4);
        memory.copy(marksEnd, gapBytes < bitmapBytes ? gaps : bitmap, min(gapBytes, bitmapBytes));
        marksEnd += min(gapBytes, bitmapBytes);
        store<u32>(anchor, runs);
        store<u32>(anchor + 4 * segments, <u32>(marksEnd - marks) >> 2);
        anchor += 4;
        memory.fill(bitmap, 0, 256);
        gapsEnd = gaps;
        next = 0;
        inSegment = 0;
      }
    }
  }
  // 'zero bytes at the end'
  const marksAt = to + 8 * segments + ((runs * sizeof<T>() + 3) & ~3);
  for (; value < marksAt; value++) store<u8>(value, 0);
  memory.copy(marksAt, marks, marksEnd - marks);
  return <u32>(marksAt - to + (marksEnd - marks));
}
