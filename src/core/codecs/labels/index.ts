import { elementCount } from '../../codec/batch.ts';
import { type CodecDefinition, noParameters } from '../../codec/codec.ts';
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

  choose: () => noParameters,

  /**
   * Fitted. Each pair of neighbours that differ, along x, y or z, costs about 1 bit in segmentations with large parts, in which
   * hardly any element differs from both its neighbours, and about 3 bits in sparse volumes, whose bricks also list their values.
   * If parts are so small that each brick has many, their labels take most of the space: 5 bits with 1-byte elements, 15 with
   * 2-byte elements.
   */
  estimate(surveyed, chunk) {
    const { elementBytes } = chunk;
    const [x, y, z] = surveyed.changes;
    const spikes = spikeShare(surveyed);
    const changing = (x + y + z) / (3 * elementCount(chunk));
    const areManySmall = Math.max(0, Math.min(1, 30 * (changing - 0.107)));
    const bits = 0.65 + 0.1 * elementBytes + (3.25 + 0.4 * elementBytes) * spikes + 5 * elementBytes ** 2 * areManySmall;
    const headers = brickCount(chunk) * (1 + 14 * elementBytes * spikes);
    return Math.min(Math.ceil(headers + ((x + y + z) * bits) / 8), payloadBound(chunk));
  },

  encodedBound: payloadBound,
  reference,
};
