/** SPEC.md, 'Segments': elements in a segment; the chunk's last one may be shorter. */
export const segmentElements = 2048;

/** SPEC.md, 'Marks': a byte of this value adds as much to a gap and starts no run. */
export const gapEscape = 255;

/** Segments of a chunk of `count` elements. */
export function segmentCountOf(count: number): number {
  return Math.ceil(count / segmentElements);
}

/** Elements of segment `segment` in a chunk of `count`. */
export function segmentLength(count: number, segment: number): number {
  return Math.min(segmentElements, count - segment * segmentElements);
}

/** Words of a segment's marks as a bitmap: SPEC.md, 'Marks'. */
export function bitmapWords(length: number): number {
  return Math.ceil(length / 32);
}

/** Numbers of the first segment that holds any of `count` elements from `first` on, and of the one behind the last. */
export function segmentsOf(first: number, count: number): { readonly first: number; readonly end: number } {
  return { first: Math.floor(first / segmentElements), end: segmentCountOf(first + count) };
}

/** Where the parts of a payload start, in bytes: SPEC.md, 'Payload'. The anchors start at 0. */
export interface Sections {
  readonly values: number;
  readonly marks: number;
}

export function sectionsOf(segmentCount: number, runCount: number, elementBytes: number): Sections {
  const values = 8 * segmentCount;
  return { values, marks: values + 4 * Math.ceil((runCount * elementBytes) / 4) };
}
