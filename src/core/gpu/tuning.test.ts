import { expect, test } from 'vitest';
import { checkedTuning, standardTuning, type TuningChoice, tuningChoices, tuningNames } from './tuning.ts';

test('every standard is one of its values, and every device allows all of them', () => {
  for (const name of tuningNames) {
    const { values, standard }: TuningChoice = tuningChoices[name];
    expect(values, name).toContain(standard);
    expect(Math.max(...values), name).toBeLessThanOrEqual(256);
    expect(standardTuning[name]).toBe(standard);
  }
});

test('what was stored is kept', () => {
  const stored = { ...standardTuning, 'rle.measure': 32 };
  expect(checkedTuning(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['text', 'rle.measure'],
  ['a list', [32]],
  ['values of other types', { 'rle.measure': '32' }],
  ['values that a choice does not have', { 'rle.measure': 48, 'rle.write': -1, 'rle.expand': 1e9 }],
  ['not a number', { 'rle.measure': Number.NaN }],
  ['choices of another version', { 'rle.other': 32, toString: 32 }],
  ['what it inherits', Object.create({ 'rle.measure': 32 })],
])('%s: the standard', (_what, stored) => {
  expect(checkedTuning(stored)).toEqual(standardTuning);
});
