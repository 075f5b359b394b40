import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatDuration, formatRate, formatRatio, table } from './text.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.00 kB'],
  [3_086_278, '3.09 MB'],
  [134_217_728, '134 MB'],
  [999_999, '1.00 MB'],
  [9_995, '10.0 kB'],
  [4 * 2 ** 30, '4.29 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0.1234, '0.12 ms'],
  [12.34, '12.3 ms'],
  [999.6, '1.00 s'],
  [61_000, '1 min 1 s'],
  [200_000, '3 min 20 s'],
])('%d ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('counts, rates and ratios', () => {
  expect(formatCount(134217728)).toBe('134\u2009217\u2009728');
  expect(formatCount(512)).toBe('512');
  expect(formatRate(1.24e9)).toBe('1.24 GB/s');
  expect(formatRate(Number.POSITIVE_INFINITY)).toBe('–');
  expect(formatRatio(41.27)).toBe('41.3 ×');
  expect(formatRatio(Number.NaN)).toBe('–');
});

test('a table aligns its columns and leaves no trailing blanks', () => {
  const rows = [
    ['a', '1', 'x'],
    ['long', '100', ''],
  ];
  expect(table(rows, ['left', 'right'])).toBe('a       1  x\nlong  100');
});
