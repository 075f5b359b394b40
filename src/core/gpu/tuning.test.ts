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
  const stored = { ...standardTuning, 'rice.decode': 64 };
  expect(checkedTuning(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['text', 'rice.decode'],
  ['a list', [32]],
  ['values of other types', { 'rice.decode': '64' }],
  ['values that a choice does not have', { 'rice.decode': 48, 'view.rays': -1, 'parle.expand': 1e9 }],
  ['not a number', { 'rice.decode': Number.NaN }],
  ['choices of another version', { 'rle.other': 32, toString: 32 }],
  ['what it inherits', Object.create({ 'rice.decode': 64 })],
])('%s: the standard', (_what, stored) => {
  expect(checkedTuning(stored)).toEqual(standardTuning);
});
