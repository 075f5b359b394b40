import { type CodecDefinition, noParameters } from '../../codec/codec.ts';
import { changingShare, evenness, lorenzoGain, riceBytes, softShare, spikeShare } from '../../codec/survey.ts';
import { blockCount, laneCount, payloadBound, planesOf } from './layout.ts';
import { reference } from './reference.ts';

/** A codec with prediction fitted to each chunk, and codes from fixed tables, in rows that decode in parallel: SPEC.md. */
export const wave: CodecDefinition = {
  id: 8,
  name: 'wave',
  summary: 'Prediction fitted to each chunk, for the smallest files of scans; slower to decode.',
  options: [],
  reason: 'a scan that fitted prediction makes small',
  standsAlone: true,
  interleavesTime: true,
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 11,
  decodeGigabytesPerSecond: 22,

  choose: () => noParameters,

  /**
   * The estimate was fitted to about 1,100 chunks of six scans, of photographs and of synthetic volumes. It is relative to the size that
   * the survey expects with Rice codes: 0.4 to 0.9 for scans. The ratio is lower if less changes, and if neighbouring residuals are more
   * alike. Noise that is independent from voxel to voxel leaves nothing to fit. Values that Lorenzo predicts almost exactly gain less,
   * above all floats. Pictures have no slice to predict from. Labels and sparse volumes, in which few elements differ from both
   * neighbours, gain nothing.
   */
  estimate(surveyed, chunk) {
    const spikes = spikeShare(surveyed);
    const gain = lorenzoGain(surveyed);
    const changing = changingShare(surveyed, chunk);
    const ofScans = -0.55 + 0.36 * changing + 1.07 * spikes + 0.66 / Math.min(1.25, gain) - 0.55 * softShare(surveyed);
    const exactness = Math.max(0, gain - 1.1) * { 1: 0.4, 2: 0.5, 4: 3 }[chunk.elementBytes];
    const [, rows, slices] = chunk.shape;
    const isPicture = slices === 1;
    const ofPictures = isPicture ? 0.1 : 0;
    const share = spikes < 0.7 ? 1 : Math.max(0.2, ofScans + exactness + ofPictures + 0.08 * evenness(surveyed));
    const parts = blockCount(chunk) * planesOf(chunk.elementBytes);
    const lanes = (parts / Math.ceil(rows / laneCount)) * rows;
    const headers = (isPicture ? 81 : 119) * parts + 4 * lanes;
    return Math.min(Math.ceil(headers + share * riceBytes(surveyed, chunk)), payloadBound(chunk));
  },

  encodedBound: payloadBound,
  reference,
};
