import { describe, expect, test } from 'vitest';
import { checkBenchResult } from './check-result.ts';
import { compareResults } from './compare.ts';
import { type BenchCase, type BenchResult, benchSchema } from './harness/result.ts';
import { spreadOf } from './harness/statistics.ts';
import { suiteNames, tableIds } from './harness/tables.ts';
import schema from './result.schema.json';

function caseAt(ms: number, subject = 'zero 64³ u8'): BenchCase {
  const spread = spreadOf([ms, ms, ms]);
  return {
    table: 'codecs',
    subject,
    x: 'zero',
    method: 'rle x',
    operation: 'encode',
    processor: 'gpu',
    inputBytes: 262144,
    outputBytes: 64,
    movedBytes: 262208,
    movedBytesAre: 'least',
    gpuMs: spread,
    wallMs: spread,
    stages: { measure: spread },
    copyMs: 1,
    timesCopy: ms,
    verified: 'decoded',
  };
}

function resultOf(cases: readonly BenchCase[], change: Partial<BenchResult['machine']> = {}): BenchResult {
  return {
    schema: benchSchema,
    suite: 'codecs',
    stria: '0.1.0',
    date: '2026-11-21T00:00:00.000Z',
    durationMs: 12,
    request: { suite: 'codecs', size: 64, type: 'u8', codecs: ['rle'], repetitions: 15 },
    machine: {
      adapter: { vendor: 'a', architecture: 'b', device: 'c', description: 'driver 1' },
      software: false,
      timestamps: true,
      cpu: 'a CPU',
      threads: 2,
      platform: 'linux x64',
      runtime: 'Node v20.20.2',
      ...change,
    },
    cases,
    gaps: [],
  };
}

const asFile = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the schema of results', () => {
  test('accepts a result', () => {
    expect(checkBenchResult(asFile(resultOf([caseAt(1)])))).toEqual(asFile(resultOf([caseAt(1)])));
  });

  test('lists the same suites and tables as the program', () => {
    expect(schema.properties.suite.enum).toEqual(suiteNames);
    expect(schema.properties.request.properties.suite.enum).toEqual(suiteNames);
    expect(schema.$defs.table.enum).toEqual(tableIds);
    expect(schema.properties.schema.const).toBe(benchSchema);
  });

  test.each([
    ['another schema', { schema: 1 }, /result\.schema/],
    ['no machine', { machine: undefined }, /has no machine/],
    ['an unknown field', { speed: 'very fast' }, /unknown speed/],
    [
      'a time that is not a number',
      { cases: [{ ...caseAt(1), wallMs: { ...caseAt(1).wallMs, median: '1' } }] },
      /wallMs\.median/,
    ],
    ['an unknown table', { cases: [{ ...caseAt(1), table: 'best' }] }, /cases\[0\]\.table/],
    ['a negative time', { cases: [caseAt(-1)] }, /below 0/],
    ['no date', { date: 'yesterday' }, /date/],
  ])('refuses %s', (_, change, message) => {
    const result = asFile({ ...resultOf([caseAt(1)]), ...change });
    expect(() => checkBenchResult(result)).toThrow(expect.objectContaining({ tag: 'invalid-input' }));
    expect(() => checkBenchResult(result)).toThrow(message);
  });
});

describe('two results', () => {
  test('agree only within 5 %', () => {
    const a = resultOf([caseAt(1), caseAt(2, 'labels 64³ u8'), caseAt(3, 'only a')]);
    const b = resultOf([caseAt(1.04), caseAt(2.2, 'labels 64³ u8')]);
    const { rows, onlyA, onlyB } = compareResults(a, b);
    expect(rows.map(({ agrees, clock }) => [agrees, clock])).toEqual([
      [true, 'gpu'],
      [false, 'gpu'],
    ]);
    expect(rows[1]?.ratio).toBeCloseTo(1.1, 10);
    expect(onlyA).toEqual(['codecs · only a · rle x · encode']);
    expect(onlyB).toEqual([]);
  });

  test('from different drivers are compared, and the difference is reported', () => {
    const adapter = { vendor: 'a', architecture: 'b', device: 'c', description: 'driver 2' };
    const { differences } = compareResults(resultOf([caseAt(1)]), resultOf([caseAt(1)], { adapter }));
    expect(differences).toEqual(['driver driver 1 and driver 2']);
  });

  test.each([
    ['GPU', { adapter: { vendor: 'a', architecture: 'b', device: 'd', description: 'driver 1' } }],
    ['software GPU', { software: true }],
    ['threads', { threads: 16 }],
    ['timestamps', { timestamps: false }],
  ])('that are not comparable are refused: %s', (what, change) => {
    expect(() => compareResults(resultOf([]), resultOf([], change))).toThrow(new RegExp(`not comparable: ${what}`));
  });

  test('of different sizes are refused', () => {
    const a = resultOf([]);
    expect(() => compareResults(a, { ...a, request: { ...a.request, size: 512 } })).toThrow(/size 64 and 512/);
  });
});

test('a spread summarizes its samples', () => {
  const samples = [5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
  expect(spreadOf(samples)).toEqual({ min: 1, median: 8, p95: 15, max: 15, repetitions: 15 });
});
