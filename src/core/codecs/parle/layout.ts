/** SPEC.md, 'Segments': elements in a segment. The last segment of a chunk may be shorter. */
export const segmentElements = 2048;

/** SPEC.md, 'Marks': a byte of this value extends a gap by as much and starts no run. */
export const gapEscape = 255;

/** Segments of a chunk of `count` elements. */
export function segmentCountOf(count: number): number {
  return Math.ceil(count / segmentElements);
}

/** Elements of segment `segment` in a chunk of `count`. */
export function segmentLength(count: number, segment: number): number {
  return Math.min(segmentElements, count - segment * segmentElements);
}

/** Number of words in a segment's marks if they are a bitmap: SPEC.md, 'Marks'. */
export function bitmapWords(length: number): number {
  return Math.ceil(length / 32);
}

/** The range of segments that hold `count` elements from `first` on; `end` is exclusive. */
export function segmentsOf(first: number, count: number): { readonly first: number; readonly end: number } {
  return { first: Math.floor(first / segmentElements), end: segmentCountOf(first + count) };
}

/** The byte offsets of a payload's parts: SPEC.md, 'Payload'. The anchors start at 0. */
export interface Sections {
  readonly values: number;
  readonly marks: number;
}

export function sectionsOf(segmentCount: number, runCount: number, elementBytes: number): Sections {
  const values = 8 * segmentCount;
  return { values, marks: values + 4 * Math.ceil((runCount * elementBytes) / 4) };
}
