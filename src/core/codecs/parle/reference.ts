import { elementCount, readElement } from '../../codec/batch.ts';
import type { ChunkGeometry, CodecElementBytes, ReferenceCodec } from '../../codec/codec.ts';
import { type Elements, fillRun, fromScanOrder, inScanOrder, newElements, parseAxis } from '../../codec/scan-order.ts';
import { StriaError } from '../../shared/errors.ts';
import { bitmapWords, gapEscape, sectionsOf, segmentCountOf, segmentElements, segmentLength, segmentsOf } from './layout.ts';

export const reference: ReferenceCodec = {
  encode(chunk, parameters) {
    const axis = parseAxis('parle', parameters);
    const ordered = inScanOrder(chunk, axis);
    const count = ordered.length;
    const segmentCount = segmentCountOf(count);
    const runEnds = new Uint32Array(segmentCount);
    const markEnds = new Uint32Array(segmentCount);
    const values: number[] = [];
    const marks: Uint8Array[] = [];
    let previous = -1;
    let words = 0;
    for (let segment = 0; segment < segmentCount; segment++) {
      // 'Element i starts a run if i = 0, or if it differs from element i − 1.'
      const starts: number[] = [];
      const base = segment * segmentElements;
      const length = segmentLength(count, segment);
      for (let i = 0; i < length; i++) {
        const element = ordered[base + i] as number;
        if (element === previous) continue;
        starts.push(i);
        values.push(element);
        previous = element;
      }
      const written = marksOf(starts, length);
      marks.push(written);
      words += written.byteLength / 4;
      // A[k]: the runs that start in segments 0 to k. B[k]: the words of marks of segments 0 to k.
      runEnds[segment] = values.length;
      markEnds[segment] = words;
    }

    const { elementBytes } = chunk;
    const sections = sectionsOf(segmentCount, values.length, elementBytes);
    const payload = new Uint8Array(sections.marks + 4 * words);
    const view = new DataView(payload.buffer);
    runEnds.forEach((end, segment) => {
      view.setUint32(4 * segment, end, true);
    });
    markEnds.forEach((end, segment) => {
      view.setUint32(4 * (segmentCount + segment), end, true);
    });
    let at = sections.values;
    for (const value of values) {
      for (let byte = 0; byte < elementBytes; byte++) payload[at++] = value >>> (8 * byte);
    }
    at = sections.marks;
    for (const bytes of marks) {
      payload.set(bytes, at);
      at += bytes.byteLength;
    }
    return payload;
  },

  decode(payload, chunk, parameters) {
    const axis = parseAxis('parle', parameters);
    const count = elementCount(chunk);
    const reader = new PayloadReader(payload, chunk, count);
    reader.checkAnchors();
    const ordered = newElements(count, chunk.elementBytes);
    for (let segment = 0; segment < reader.segmentCount; segment++) {
      reader.decodeSegment(segment, ordered, segment * segmentElements);
    }
    return fromScanOrder(ordered, chunk.shape, axis);
  },

  sections(payload, chunk) {
    const reader = new PayloadReader(payload, chunk, elementCount(chunk));
    const { values, marks } = reader.sections;
    return [values, marks - values, payload.byteLength - marks];
  },

  decodeRange(payload, chunk, parameters, first, count) {
    parseAxis('parle', parameters);
    const total = elementCount(chunk);
    if (!(Number.isSafeInteger(first) && Number.isSafeInteger(count) && first >= 0 && count > 0 && first + count <= total)) {
      throw new StriaError('internal', `${count} elements from ${first} on do not lie in a chunk of ${total}`);
    }
    const reader = new PayloadReader(payload, chunk, total);
    const segments = segmentsOf(first, count);
    const base = segments.first * segmentElements;
    const elements = newElements(Math.min(total, segments.end * segmentElements) - base, chunk.elementBytes);
    for (let segment = segments.first; segment < segments.end; segment++) {
      reader.decodeSegment(segment, elements, segment * segmentElements - base);
    }
    return new Uint8Array(elements.slice(first - base, first - base + count).buffer);
  },
};

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the parle payload ${what}`);
}

/** The marks of a segment of `length` elements whose runs start at `starts`: whole words. */
function marksOf(starts: readonly number[], length: number): Uint8Array {
  const gaps = gapBytes(starts);
  const gapWords = Math.ceil(gaps.length / 4);
  // 'Gaps are used if they take fewer words than the bitmap, otherwise the bitmap.'
  if (gapWords < bitmapWords(length)) {
    const bytes = new Uint8Array(4 * gapWords);
    bytes.set(gaps);
    return bytes;
  }
  const bitmap = new Uint8Array(4 * bitmapWords(length));
  for (const start of starts) bitmap[start >> 3] = (bitmap[start >> 3] as number) | (1 << (start & 7));
  return bitmap;
}

/** For each run the distance of its start from the previous start, or the segment's: 255 as often as it fits, then the rest. */
function gapBytes(starts: readonly number[]): number[] {
  const bytes: number[] = [];
  let next = 0;
  for (const start of starts) {
    let gap = start - next;
    for (; gap >= gapEscape; gap -= gapEscape) bytes.push(gapEscape);
    bytes.push(gap);
    next = start + 1;
  }
  return bytes;
}

/** Reads single segments of a payload, and only the anchors that belong to them. */
class PayloadReader {
  readonly segmentCount: number;
  readonly sections: { readonly values: number; readonly marks: number };
  readonly #payload: Uint8Array;
  readonly #view: DataView;
  readonly #elementBytes: CodecElementBytes;
  readonly #count: number;
  readonly #runCount: number;

  /** Reads the last anchor, which says how many runs there are. */
  constructor(payload: Uint8Array, { elementBytes }: ChunkGeometry, count: number) {
    this.#payload = payload;
    this.#view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    this.#elementBytes = elementBytes;
    this.#count = count;
    this.segmentCount = segmentCountOf(count);
    if (payload.byteLength < 8 * this.segmentCount) {
      throw corrupt(`ends after ${payload.byteLength} bytes, inside the anchors (${8 * this.segmentCount} bytes)`);
    }
    this.#runCount = this.#runEnd(this.segmentCount - 1);
    this.sections = sectionsOf(this.segmentCount, this.#runCount, elementBytes);
    const expected = this.sections.marks + 4 * this.#markEnd(this.segmentCount - 1);
    if (payload.byteLength !== expected) throw corrupt(`has ${payload.byteLength} bytes; by its anchors it takes ${expected}`);
    for (let at = this.sections.values + this.#runCount * elementBytes; at < this.sections.marks; at++) {
      if (payload[at] !== 0) throw corrupt('has bytes after its last value');
    }
  }

  /** Checks that anchors never decrease. Whether they fit their segments is checked when each segment is decoded. */
  checkAnchors(): void {
    for (let segment = 0; segment < this.segmentCount; segment++) this.#anchor(segment);
  }

  /** Writes the elements of a segment to `target`, from element `at` on. */
  decodeSegment(segment: number, target: Elements, at: number): void {
    const length = segmentLength(this.#count, segment);
    const { firstRun, runCount } = this.#anchor(segment);
    const starts = this.#startsOf(segment, length);
    // 'The elements before its first start belong to the run in progress there, number A[k − 1] − 1'
    if (firstRun === 0 && starts[0] !== 0) throw corrupt('has no run that starts at element 0');
    let value = firstRun === 0 ? -1 : this.#value(firstRun - 1);
    let from = at;
    for (let run = 0; run < runCount; run++) {
      const start = at + (starts[run] as number);
      fillRun(target, value, from, start);
      const next = this.#value(firstRun + run);
      if (next === value) throw corrupt(`has two adjacent runs of the value ${value}, in segment ${segment}`);
      value = next;
      from = start;
    }
    fillRun(target, value, from, at + length);
  }

  #runEnd(segment: number): number {
    return segment < 0 ? 0 : this.#view.getUint32(4 * segment, true);
  }

  #markEnd(segment: number): number {
    return segment < 0 ? 0 : this.#view.getUint32(4 * (this.segmentCount + segment), true);
  }

  #value(run: number): number {
    return readElement(this.#payload, this.sections.values + run * this.#elementBytes, this.#elementBytes);
  }

  #anchor(segment: number) {
    const [firstRun, endRun] = [this.#runEnd(segment - 1), this.#runEnd(segment)];
    const [firstMark, endMark] = [this.#markEnd(segment - 1), this.#markEnd(segment)];
    const last = this.segmentCount - 1;
    if (firstRun > endRun || firstMark > endMark || endRun > this.#runCount || endMark > this.#markEnd(last)) {
      throw corrupt(`has an anchor lower than the previous one, at segment ${segment}`);
    }
    return { firstRun, runCount: endRun - firstRun, firstMark, markCount: endMark - firstMark };
  }

  /** The positions in a segment at which runs start. */
  #startsOf(segment: number, length: number): number[] {
    const { runCount, firstMark, markCount } = this.#anchor(segment);
    const words = bitmapWords(length);
    if (runCount > length || markCount > words) {
      throw corrupt(`has ${runCount} runs and ${markCount} words of marks in segment ${segment} of ${length} elements`);
    }
    const first = this.sections.marks + 4 * firstMark;
    const bytes = this.#payload.subarray(first, first + 4 * markCount);
    const starts = markCount === words ? startsInBitmap(bytes) : startsInGaps(bytes, runCount);
    const fault = `in the marks of segment ${segment}`;
    if (starts.length !== runCount) throw corrupt(`has ${starts.length} runs instead of ${runCount} ${fault}`);
    if (runCount > 0 && (starts[runCount - 1] as number) >= length) throw corrupt(`has a run past the end ${fault}`);
    // A segment has one encoding: the shorter form, padded with zeros.
    const expected = marksOf(starts, length);
    if (expected.length !== bytes.length || expected.some((byte, at) => byte !== bytes[at])) {
      throw corrupt(`has bytes that no encoder writes ${fault}`);
    }
    return starts;
  }
}

function startsInBitmap(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  bytes.forEach((byte, at) => {
    for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) starts.push(8 * at + bit);
  });
  return starts;
}

/** The first `runCount` starts; fewer if the bytes end early. */
function startsInGaps(bytes: Uint8Array, runCount: number): number[] {
  const starts: number[] = [];
  let next = 0;
  for (const byte of bytes) {
    if (starts.length === runCount) break;
    next += byte;
    if (byte < gapEscape) starts.push(next++);
  }
  return starts;
}
