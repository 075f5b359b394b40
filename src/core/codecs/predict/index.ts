import { chunkBytes } from '../batch.ts';
import type { CodecDefinition, CodecParameters } from '../codec.ts';
import { riceBytes, spikeShare } from '../survey.ts';
import { pictureGeometry, volumeGeometry } from './bricks.ts';
import { parametersOf, parseMode, payloadBound } from './layout.ts';
import { reference } from './reference.ts';

/** Prediction residuals as bytes, sorted by magnitude, for an entropy coder behind it: SPEC.md. */
export const predict: CodecDefinition = {
  id: 7,
  name: 'predict',
  summary: 'Prediction residuals sorted by magnitude, to stand in front of an entropy coder: predict+huffman.',
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 150,
  preparesEntropy: true,

  /** Chunks of fewer than 4 slices are pictures: a group would reach out of them. */
  choose(_statistics, { shape }, { effort }): CodecParameters {
    return parametersOf({ geometry: shape[2] < 4 ? pictureGeometry : volumeGeometry, tryMedian: effort === 'max' });
  },

  /** By itself it leaves out groups without a residual, and no more: runs and Rice codes do that better. */
  estimate({ changes }, chunk) {
    const [x, y, z] = chunk.shape;
    const changing = Math.max(...changes) / (x * y * z);
    return Math.ceil(Math.min(1, 0.05 + 32 * changing) * chunkBytes(chunk));
  },

  /**
   * Measured: of what Rice codes would take, 0.3 to 0.45 is left of labels and sparse volumes, 0.6 and more of scans, 0.9
   * where nearly all elements differ.
   */
  estimateWithEntropy(surveyed, chunk) {
    const [x, y, z] = chunk.shape;
    const changing = (surveyed.changes[0] + surveyed.changes[1] + surveyed.changes[2]) / (3 * x * y * z);
    return (
      200 + riceBytes(surveyed, chunk) * Math.min(0.88, 0.35 + 0.9 * Math.max(0, spikeShare(surveyed) - 0.56) + 1.2 * changing)
    );
  },

  encodedBound(chunk) {
    return payloadBound(chunk, parseMode(this.choose({ changes: [0, 0, 0] }, chunk, { axis: 'auto' })).geometry);
  },

  reference,
};
