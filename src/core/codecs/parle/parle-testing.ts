import { elementCount } from '../batch.ts';
import type { ChunkGeometry } from '../codec.ts';
import { sectionsOf, segmentCountOf } from './layout.ts';

/** A payload of which only what segments `first` to before `end` need is left; all else is 0xEE. For tests alone. */
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
