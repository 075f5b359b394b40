import { chunkBytes } from '../../codec/batch.ts';
import type { CodecDefinition, CodecParameters } from '../../codec/codec.ts';
import { changingShare, placesBytes, riceBytes, softShare, spikeShare } from '../../codec/survey.ts';
import { pictureGeometry, volumeGeometry } from './bricks.ts';
import { parametersOf, parseMode, payloadBound } from './layout.ts';
import { reference } from './reference.ts';

/** Prediction residuals as bytes, sorted by magnitude, for an entropy coder to follow: SPEC.md. */
export const predict: CodecDefinition = {
  id: 7,
  name: 'predict',
  summary: 'Prediction residuals sorted by magnitude, for an entropy coder to follow: predict+huffman.',
  options: ['effort'],
  reason: 'smooth, noise varies',
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 150,
  preparesEntropy: true,

  /** Chunks of fewer than 4 slices count as pictures: a volume's groups, 4 slices deep, would extend past them. */
  choose(_statistics, { shape }, { effort }): CodecParameters {
    return parametersOf({ geometry: shape[2] < 4 ? pictureGeometry : volumeGeometry, tryMedian: effort === 'max' });
  },

  /** Alone it only omits groups without residuals, which runs and Rice codes do better. */
  estimate({ changes }, chunk) {
    const [x, y, z] = chunk.shape;
    const changing = Math.max(...changes) / (x * y * z);
    return Math.ceil(Math.min(1, 0.05 + 32 * changing) * chunkBytes(chunk));
  },

  /**
   * Measured, relative to Rice codes: 0.3 to 0.45 for labels and sparse volumes; 0.65 for smooth scans, which soft predicts
   * badly; 0.95 if nearly all elements differ. The more bits an element has, the lower the share. The levels of
   * sparse volumes take about 3/4 of `placesBytes`.
   */
  estimateWithEntropy(surveyed, chunk, parameters) {
    const expected = riceBytes(surveyed, chunk);
    const changing = changingShare(surveyed, chunk);
    const ofLabels = 0.35 + 0.9 * Math.max(0, spikeShare(surveyed) - 0.56) + 1.2 * changing;
    const ofScans = 1.22 + 0.37 * changing - 0.45 * softShare(surveyed) - (0.24 * expected) / chunkBytes(chunk);
    // The median makes scans 2.5 to 7 % smaller.
    const byMedian = parseMode(parameters).tryMedian ? 0.96 : 1;
    return 200 + Math.max(0.75 * placesBytes(surveyed, chunk), expected * Math.min(1, ofLabels, byMedian * ofScans));
  },

  encodedBound(chunk) {
    return payloadBound(chunk, parseMode(this.choose({ changes: [0, 0, 0] }, chunk, { axis: 'auto' })).geometry);
  },

  reference,
};
