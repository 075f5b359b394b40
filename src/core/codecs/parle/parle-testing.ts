import { elementCount } from '../../codec/batch.ts';
import type { ChunkGeometry, ChunkVoxels, CodecParameters } from '../../codec/codec.ts';
import type { Axis } from '../../codec/scan-order.ts';
import { bytesOf, orderedByDefinition, packBits, startsRun } from '../../codec/scan-order-testing.ts';
import { sectionsOf, segmentCountOf } from './layout.ts';

/** A copy of a payload that keeps only what the segments from `first` up to `end` need. The rest is 0xEE. Only for tests. */
export function keepSegments(payload: Uint8Array, chunk: ChunkGeometry, first: number, end: number): Uint8Array<ArrayBuffer> {
  const { elementBytes } = chunk;
  const segmentCount = segmentCountOf(elementCount(chunk));
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const anchor = (which: number, segment: number) =>
    segment < 0 ? 0 : view.getUint32(4 * (which * segmentCount + segment), true);
  const runCount = anchor(0, segmentCount - 1);
  const { values, marks } = sectionsOf(segmentCount, runCount, elementBytes);
  const kept = new Uint8Array(payload.byteLength).fill(0xee);
  const keep = (from: number, to: number) => kept.set(payload.subarray(from, to), from);
  for (const which of [0, 1]) {
    const start = 4 * which * segmentCount;
    keep(start + 4 * Math.max(0, first - 1), start + 4 * end);
    keep(start + 4 * (segmentCount - 1), start + 4 * segmentCount);
  }
  keep(values + Math.max(0, anchor(0, first - 1) - 1) * elementBytes, values + anchor(0, end - 1) * elementBytes);
  keep(values + runCount * elementBytes, marks);
  keep(marks + 4 * anchor(1, first - 1), marks + 4 * anchor(1, end - 1));
  return kept;
}

/** An encoder written from SPEC.md, sentence by sentence, and slow. Only for tests; `reference` is the fast one. */
export function encodeByDefinition(chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array {
  const ordered = orderedByDefinition(chunk, parameters[0] as Axis);
  const values: number[] = [];
  const marks: number[] = [];
  const runsSoFar: number[] = [];
  const wordsSoFar: number[] = [];
  // 'Segment k is the elements 2048 k to 2048 k + 2047, or to the chunk's last.'
  for (let first = 0; first < ordered.length; first += 2048) {
    const isStart = ordered.slice(first, first + 2048).map((_, i) => startsRun(ordered, first + i));
    values.push(...ordered.slice(first, first + 2048).filter((_, i) => isStart[i]));
    marks.push(...marksByDefinition(isStart));
    runsSoFar.push(values.length);
    wordsSoFar.push(marks.length / 4);
  }
  const anchors = [...runsSoFar, ...wordsSoFar].flatMap((count) => bytesOf(count, 4));
  return Uint8Array.from([...anchors, ...wholeWords(values.flatMap((value) => bytesOf(value, chunk.elementBytes))), ...marks]);
}

/** 'Gaps are used if they take fewer words than the bitmap, otherwise the bitmap.' */
function marksByDefinition(isStart: readonly boolean[]): number[] {
  const gaps: number[] = [];
  let gap = 0;
  for (const starts of isStart) {
    if (starts) {
      // '255 as often as it fits, then the rest, which is 0 to 254.'
      gaps.push(...new Array<number>(Math.floor(gap / 255)).fill(255), gap % 255);
      gap = 0;
    } else {
      gap++;
    }
  }
  const bitmap = wholeWords(packBits(isStart));
  return wholeWords(gaps).length < bitmap.length ? wholeWords(gaps) : bitmap;
}

/** Zero bytes fill the last word. */
function wholeWords(bytes: readonly number[]): number[] {
  return [...bytes, ...new Array<number>(4 * Math.ceil(bytes.length / 4) - bytes.length).fill(0)];
}
