import { expect, test } from 'vitest';
import type { BenchCase } from '../../../core/bench/harness/result.ts';
import { spreadOf } from '../../../core/bench/harness/statistics.ts';
import { fileRows } from './file-rows.ts';

function found(
  subject: string,
  method: string,
  operation: 'compress' | 'decompress',
  outputBytes: number,
  ms: number,
): BenchCase {
  return {
    table: 'files',
    subject,
    x: subject,
    method,
    operation,
    processor: 'cpu',
    inputBytes: 1000,
    outputBytes,
    movedBytes: 1000 + outputBytes,
    movedBytesAre: 'least',
    gpuMs: undefined,
    wallMs: spreadOf([ms, ms + 2, ms + 1]),
    processorMs: operation === 'compress' ? spreadOf([2 * ms]) : undefined,
    peakBytes: 5,
    stages: {},
    copyMs: undefined,
    timesCopy: undefined,
    verified: 'compared',
  };
}

test('compressing and decompressing with a program share a row, and each file has its own rows', () => {
  const cases = [
    found('a', 'zstd -1', 'compress', 400, 10),
    found('a', 'zstd -1', 'decompress', 400, 4),
    found('a', 'cp', 'compress', 1000, 1),
    found('b', 'cp', 'decompress', 1000, 1),
  ];
  const [a, b, ...others] = fileRows(cases);
  expect(others).toEqual([]);
  expect(a).toMatchObject({ subject: 'a', inputBytes: 1000, bestRatio: 2.5 });
  expect(a?.rows.map(({ method, ratio }) => [method, ratio])).toEqual([
    ['zstd -1', 2.5],
    ['cp', 1],
  ]);
  expect(a?.rows[0]?.compress).toEqual({ wallMs: 11, processorMs: 20, peakBytes: 5 });
  expect(a?.rows[0]?.decompress).toEqual({ wallMs: 5, processorMs: undefined, peakBytes: 5 });
  expect(a?.rows[1]?.decompress).toBeUndefined();
  expect(b?.rows).toMatchObject([{ method: 'cp', compress: undefined, decompress: { wallMs: 2 } }]);
});
