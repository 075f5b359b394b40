import { expect, test } from 'vitest';
import { StriaError } from '../../core/shared/errors.ts';
import { freeName } from './browser-sinks.ts';
import { backedOut, toFileFault } from './faults.ts';

test.each([
  ['NotAllowedError', 'not-readable', 'permission'],
  ['SecurityError', 'not-readable', 'click'],
  ['NotFoundError', 'not-readable', "'a.nii' no longer exists"],
  ['NotReadableError', 'not-readable', "'a.nii' cannot be read"],
  ['QuotaExceededError', 'not-writable', 'not enough space'],
  ['NoModificationAllowedError', 'not-writable', 'in use'],
  ['TypeMismatchError', 'not-writable', 'is a folder'],
  ['SomethingNewError', 'not-writable', "'a.nii': what"],
] as const)('%s becomes %s with words', (name, tag, words) => {
  const fault = toFileFault(new DOMException('what', name), tag, 'a.nii');
  expect(fault).toMatchObject({ tag, message: expect.stringContaining(words) });
});

test('aborts and faults are not changed, and a lack of memory is reported as such', () => {
  expect(toFileFault(new DOMException('', 'AbortError'), 'not-readable', 'a').tag).toBe('aborted');
  const fault = new StriaError('corrupt', 'bad');
  expect(toFileFault(fault, 'not-readable', 'a')).toBe(fault);
  expect(toFileFault(new RangeError('Array buffer allocation failed'), 'not-readable', 'a').tag).toBe('out-of-memory');
  expect(backedOut(new DOMException('', 'AbortError'))).toBe(true);
  expect(backedOut(new DOMException('', 'SecurityError'))).toBe(false);
  expect(backedOut(new Error('AbortError'))).toBe(false);
});

test('numbers for free names go before the extension', async () => {
  const taken = new Set(['a.stria', 'a (2).stria', 'b']);
  const free = (name: string) => freeName(name, async (candidate) => taken.has(candidate));
  expect(await Promise.all(['a.stria', 'b', 'c'].map(free))).toEqual(['a (3).stria', 'b (2)', 'c']);
});
