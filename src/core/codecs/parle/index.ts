import { elementCount } from '../../codec/batch.ts';
import type { ChunkGeometry, CodecDefinition } from '../../codec/codec.ts';
import { chooseAxis, orderOf, parseAxis } from '../../codec/scan-order.ts';
import { bitmapWords, sectionsOf, segmentCountOf } from './layout.ts';
import { reference } from './reference.ts';

/** Flat run-length encoding with anchors: SPEC.md. */
export const parle: CodecDefinition = {
  id: 4,
  name: 'parle',
  summary: 'Flat runs with anchors, so that any part of a chunk decodes without the rest.',
  options: ['axis'],
  reason: 'runs',
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 200,

  choose: ({ changes }, _chunk, { axis }) => chooseAxis(changes, axis),

  axisOf(parameters) {
    return parameters.byteLength === 1 ? (['x', 'y', 'z'] as const)[parameters[0] as number] : undefined;
  },

  scanOrder: ({ shape }, parameters) => orderOf(shape, parseAxis('parle', parameters)),

  /**
   * Assumes that runs are scattered at random. Real runs cluster, and `rle` gains more from that than this codec. The estimate
   * is therefore pessimistic, so that 'auto' does not prefer this codec if the two estimates are close.
   */
  estimate({ changes }, chunk, parameters) {
    const axis = parseAxis('parle', parameters);
    const count = elementCount(chunk);
    const segmentCount = segmentCountOf(count);
    // A run may also start where one column ends and the next begins: neighbours along the lower remaining axis.
    const lower = axis === 0 ? 1 : 0;
    const runs = Math.min(count, 1 + changes[axis] + changes[lower] / chunk.shape[axis]);
    // The share of gaps longer than 255, 510 … follows from a geometric distribution. A segment's end cuts a gap.
    const escapes = Math.min(runs / Math.expm1((255 * runs) / count), 4 * runs);
    const padding = -1.5 * segmentCount * Math.expm1(-runs / segmentCount);
    const marks = Math.min(runs + escapes + padding, bitmapBytes(count));
    const scattered = sectionsOf(segmentCount, runs, chunk.elementBytes).marks + marks;
    return Math.min(Math.ceil(1.15 * scattered), this.encodedBound(chunk));
  },

  /** The worst case: every element starts a run. All marks are then bitmaps, and every element is stored. */
  encodedBound(chunk: ChunkGeometry) {
    const count = elementCount(chunk);
    return sectionsOf(segmentCountOf(count), count, chunk.elementBytes).marks + bitmapBytes(count);
  },

  reference,
};

/** Bytes of a chunk's marks if all are bitmaps. Every segment except the last fills whole words. */
function bitmapBytes(count: number): number {
  return 4 * bitmapWords(count);
}
