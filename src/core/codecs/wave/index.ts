import { type CodecDefinition, noParameters } from '../../codec/codec.ts';
import { changingShare, evenness, lorenzoGain, riceBytes, softShare, spikeShare } from '../../codec/survey.ts';
import { blockCount, laneCount, payloadBound, planesOf } from './layout.ts';
import { reference } from './reference.ts';

/** Prediction fitted to each chunk, and codes from fixed tables, in rows that decode in parallel: SPEC.md. */
export const wave: CodecDefinition = {
  id: 8,
  name: 'wave',
  summary: 'Prediction fitted to each chunk, for the smallest files of scans; slower to decode.',
  options: [],
  reason: 'a scan that fitted prediction makes small',
  standsAlone: true,
  interleavesTime: true,
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 3.8,
  decodeGigabytesPerSecond: 14,

  choose: () => noParameters,

  /**
   * Fitted to 110 chunks of six scans and of synthetic ones, relative to what the survey expects of Rice codes: 0.4 to 0.9 for
   * scans. The less changes, and the more alike neighbouring residuals are, the lower the share. Noise that is independent from
   * voxel to voxel leaves nothing to fit. The weights of predictions are too coarse for values that Lorenzo predicts almost exactly.
   * Labels and sparse volumes, in which few elements differ from both neighbours, gain nothing.
   */
  estimate(surveyed, chunk) {
    const changing = changingShare(surveyed, chunk);
    const spikes = spikeShare(surveyed);
    const gain = lorenzoGain(surveyed);
    const exactness = Math.max(0, gain - 1.1) * { 1: 0.15, 2: 1, 4: 3 }[chunk.elementBytes];
    const ofScans = -0.55 + 0.36 * changing + 1.07 * spikes + 0.66 / Math.min(1.25, gain) - 0.55 * softShare(surveyed);
    const share = spikes < 0.7 ? 1 : Math.max(0.3, ofScans + exactness + 0.08 * evenness(surveyed));
    const headers = blockCount(chunk) * planesOf(chunk.elementBytes) * (100 + 4 * Math.min(laneCount, chunk.shape[1]));
    return Math.min(Math.ceil(headers + share * riceBytes(surveyed, chunk)), payloadBound(chunk));
  },

  encodedBound: payloadBound,
  reference,
};
