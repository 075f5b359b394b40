import { expect, test } from 'vitest';
import type { BenchCase } from '../../../core/bench/harness/result.ts';
import { spreadOf } from '../../../core/bench/harness/statistics.ts';
import { planeData } from './lab-plane.ts';

function caseAt(x: number, y: number, method: string, ms: number): BenchCase {
  const base = { table: 'cuvle-plane', subject: `${y} bits, ${x} MB`, processor: 'gpu', operation: 'encode' } as const;
  const bytes = { inputBytes: 1, outputBytes: 1, movedBytes: 2, movedBytesAre: 'passes' } as const;
  const times = { gpuMs: spreadOf([ms]), wallMs: spreadOf([ms]), stages: {}, copyMs: 1, timesCopy: ms };
  return { ...base, ...bytes, ...times, x, y, method, verified: 'yes' };
}

test('a grid has each cell once, in order, and gaps where a method is missing', () => {
  const cases = [caseAt(4, 1, 'slow', 6), caseAt(4, 1, 'fast', 2), caseAt(1, 0, 'slow', 1), caseAt(1, 0, 'fast', 0.5)];
  cases.push(caseAt(1, 1, 'slow', 3), caseAt(4, 0, 'slow', 1), caseAt(4, 0, 'fast', 0));
  expect(planeData(cases, { slower: 'slow', faster: 'fast' })).toEqual({
    xs: [1, 4],
    rows: [
      { y: 0, places: [{ ms: 0.5, speedup: 2 }, undefined] },
      { y: 1, places: [undefined, { ms: 2, speedup: 3 }] },
    ],
  });
});
