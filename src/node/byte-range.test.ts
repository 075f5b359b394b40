import { expect, test } from 'vitest';
import { parseRange } from './byte-range.ts';

test.each([
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=2-5', 10, { start: 2, end: 5 }],
  ['bytes=2-', 10, { start: 2, end: 9 }],
  ['bytes=2-99', 10, { start: 2, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=4294967296-4294967299', 2 ** 33, { start: 2 ** 32, end: 2 ** 32 + 3 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-12', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-', 10, 'whole'],
  ['bytes=5-2', 10, 'whole'],
  ['bytes=0-1,3-4', 10, 'whole'],
  ['lines=0-1', 10, 'whole'],
  ['bytes=a-b', 10, 'whole'],
  ['bytes=99999999999999999999-', 10, 'whole'],
  [null, 10, 'whole'],
])('%s of %i bytes', (header, size, expected) => {
  expect(parseRange(header, size)).toEqual(expected);
});
