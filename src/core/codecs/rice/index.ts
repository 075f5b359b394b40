import { elementCount } from '../../codec/batch.ts';
import { brickCount, planesOf } from '../../codec/bricks.ts';
import type { CodecDefinition } from '../../codec/codec.ts';
import { changingShare, evenness, placesBytes, riceBytes } from '../../codec/survey.ts';
import { encodedBound, formParameters, geometryOf, parseForm } from './layout.ts';
import { reference } from './reference.ts';

/** Prediction and Rice codes, in bricks that decode independently: SPEC.md. */
export const rice: CodecDefinition = {
  id: 3,
  name: 'rice',
  summary: 'Prediction and Rice codes, for scans and pictures.',
  options: ['effort'],
  reason: 'smooth, with noise',
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 250,

  /** Chunks of fewer than 4 slices count as pictures: a volume's groups, up to 4 slices deep, would extend past them. */
  choose: (_statistics, { shape }, { effort }) => formParameters(shape, effort),

  /**
   * Measured, relative to what the survey expects of one predictor for the whole chunk: 0.78 if little changes, 0.95 for noise,
   * and more than 1 if nearly every element differs slightly, because a code has at least one bit. Even noise, which level
   * predicts best, takes 3 % less. The levels of sparse volumes take at least 1.1 times `placesBytes`. Each brick adds some bytes.
   */
  estimate(surveyed, chunk, parameters) {
    const form = parseForm(parameters);
    const headers = brickCount(chunk, geometryOf(form, chunk.elementBytes)) * planesOf(chunk.elementBytes).planes * 5;
    const expected = riceBytes(surveyed, chunk);
    const changing = changingShare(surveyed, chunk);
    const changesPerBit = (changing * elementCount(chunk)) / (8 * Math.max(1, expected));
    const shortCodes = 0.7 * Math.min(0.5, Math.max(0, changesPerBit - 0.25));
    // Median and linear predictors make scans and photographs smaller: 1-byte elements by 3 to 5 %, 2-byte elements by 2 %.
    const byCausal = form.causal ? (chunk.elementBytes === 1 ? 0.945 : 0.98) : 1;
    const byLevel = 1 - 0.03 * evenness(surveyed);
    const coded = byCausal * byLevel * (0.78 + 0.17 * changing + shortCodes) * expected;
    return Math.ceil(headers + Math.max(coded, 1.1 * placesBytes(surveyed, chunk)));
  },

  encodedBound: (chunk) => encodedBound(chunk, parseForm(formParameters(chunk.shape, 'normal'))),

  reference,
};
