import { expect, test } from 'vitest';
import type { BenchCase } from '../../../core/bench/harness/result.ts';
import { spreadOf } from '../../../core/bench/harness/statistics.ts';
import { plotData } from './lab-series.ts';

function caseAt(x: string | number, method: string, ms: number, operation: BenchCase['operation'] = 'encode'): BenchCase {
  const base = { table: 'parle', subject: String(x), processor: 'gpu', inputBytes: 1, outputBytes: 1, movedBytes: 2 } as const;
  const times = { gpuMs: spreadOf([ms]), wallMs: spreadOf([2 * ms]), stages: {}, copyMs: 0.5, timesCopy: 2 * ms };
  return { ...base, ...times, x, method, operation, movedBytesAre: 'least', verified: 'yes' };
}

test('numbers are sorted, and cases that were not measured are gaps', () => {
  const cases = [caseAt(1000, 'a', 3), caseAt(10, 'a', 1), caseAt(10, 'b', 2)];
  expect(plotData(cases, 'log')).toEqual({
    words: undefined,
    xs: [10, 1000],
    lines: [
      { label: 'a', color: 0, isHollow: false, isCopy: false, values: [1, 3] },
      { label: 'b', color: 1, isHollow: false, isCopy: false, values: [2, null] },
      { label: 'copying the raw bytes', color: 2, isHollow: false, isCopy: true, values: [0.5, 0.5] },
    ],
  });
});

test('categories keep their order, and encoding and decoding are separate lines', () => {
  const cases = [caseAt('zero', 'a', 3), caseAt('zero', 'a', 1, 'decode'), caseAt('labels', 'a', 2)];
  const { words, xs, lines } = plotData(cases, 'words');
  expect([words, xs]).toEqual([
    ['zero', 'labels'],
    [0, 1],
  ]);
  expect(lines.map(({ label, color, isHollow }) => [label, color, isHollow])).toEqual([
    ['a, encode', 0, false],
    ['a, decode', 0, true],
    ['copying the raw bytes', 1, false],
  ]);
});
