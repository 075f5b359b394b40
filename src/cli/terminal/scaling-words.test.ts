import { expect, test } from 'vitest';
import { scalingNote, scalingWords } from './scaling-words.ts';

test.each([
  [1, 0, undefined],
  [1, -1024, '1 × stored − 1024'],
  [0.5, 3, '0.5 × stored + 3'],
  [Math.fround(0.01), 273.15, '0.01 × stored + 273.15'],
  [2, 32768.25, '2 × stored + 32768.25'],
])('slope %s and intercept %s', (slope, intercept, words) => {
  expect(scalingWords({ slope, intercept })).toBe(words);
});

test('an export without slope and intercept says how the real values are found', () => {
  const scaling = { slope: 1, intercept: -1024 };
  expect(scalingNote('tiff', scaling)).toBe(
    'TIFF keeps no slope and intercept: the file has the stored values. Real values are 1 × stored − 1024.',
  );
  expect(scalingNote('npy', { slope: 1, intercept: 0 })).toBeUndefined();
  for (const format of ['nifti', 'nrrd', 'mha', 'ome-zarr'] as const) expect(scalingNote(format, scaling)).toBeUndefined();
});
