import { elementCount } from '../../codec/batch.ts';
import { brickCount, planesOf } from '../../codec/bricks.ts';
import type { CodecDefinition, CodecParameters } from '../../codec/codec.ts';
import { changingShare, evenness, riceBytes } from '../../codec/survey.ts';
import { encodedBound, formByte, geometryOf, parseForm } from './layout.ts';
import { reference } from './reference.ts';

/** Prediction and Rice codes, in bricks that decode by themselves: SPEC.md. */
export const rice: CodecDefinition = {
  id: 3,
  name: 'rice',
  summary: 'Prediction and Rice codes, for scans and pictures.',
  options: ['effort'],
  reason: 'smooth, with noise',
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 250,

  /** Chunks of fewer than 4 slices are pictures: a group would reach out of them. */
  choose(_statistics, { shape }, { effort }): CodecParameters {
    return Uint8Array.of(formByte(shape, effort));
  },

  /**
   * Measured: of what the survey expects of one predictor for all, 0.78 is left where little changes, 0.95 of noise, more than
   * all where nearly each element differs but by little, as codes have a bit at least; 3 % less of even noise, which level expects best;
   * and some bytes a brick.
   */
  estimate(surveyed, chunk, parameters) {
    const form = parseForm(parameters);
    const headers = brickCount(chunk, geometryOf(form, chunk.elementBytes)) * planesOf(chunk.elementBytes).planes * 5;
    const expected = riceBytes(surveyed, chunk);
    const changing = changingShare(surveyed, chunk);
    const changesPerBit = (changing * elementCount(chunk)) / (8 * Math.max(1, expected));
    const shortCodes = 0.7 * Math.min(0.5, Math.max(0, changesPerBit - 0.25));
    // Median and linear predictors make scans and photographs of 1 byte 3 to 5 % smaller, those of 2 bytes 2 %.
    const byCausal = form.causal ? (chunk.elementBytes === 1 ? 0.945 : 0.98) : 1;
    const byLevel = 1 - 0.03 * evenness(surveyed);
    return Math.ceil(headers + byCausal * byLevel * (0.78 + 0.17 * changing + shortCodes) * expected);
  },

  encodedBound: (chunk) => encodedBound(chunk, parseForm(Uint8Array.of(formByte(chunk.shape, 'normal')))),

  reference,
};
