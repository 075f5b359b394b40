import { elementCount } from '../../codec/batch.ts';
import type { CodecDefinition, CodecParameters } from '../../codec/codec.ts';
import { spikeShare } from '../../codec/survey.ts';
import { brickCount, payloadBound } from './layout.ts';
import { reference } from './reference.ts';

/** Guesses from neighbours and a range coder, in bricks that decode independently: SPEC.md. */
export const labels: CodecDefinition = {
  id: 6,
  name: 'labels',
  summary: 'Guesses from neighbours and a range coder, for segmentations.',
  options: [],
  reason: 'flat areas, few steps',
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 20,

  choose(): CodecParameters {
    return new Uint8Array(0);
  },

  /**
   * Measured, in bits for each pair of neighbours that differ, along x, y and z together: 1 for segmentations with large parts,
   * in which hardly any element differs from both its neighbours; 3 for sparse volumes; 5 for scans. If parts are so small that
   * each brick has many, their labels take most of the space: 5 bits with 1-byte elements, 15 with 2-byte elements.
   */
  estimate(surveyed, chunk) {
    const [x, y, z] = surveyed.changes;
    const changing = (x + y + z) / (3 * elementCount(chunk));
    const smallness = Math.max(0, Math.min(1, 12 * (changing - 0.07)));
    const bits = 0.9 + Math.max(4 * spikeShare(surveyed), 5 * chunk.elementBytes ** 2 * smallness);
    const headers = brickCount(chunk) * (2 + chunk.elementBytes);
    return Math.min(Math.ceil(headers + ((x + y + z) * bits) / 8), payloadBound(chunk));
  },

  encodedBound: payloadBound,
  reference,
};
