import { expect, test } from 'vitest';
import { StriaError } from '../core/shared/errors.ts';
import { errorCode, systemFault } from './system-faults.ts';

const systemError = (code: string) => Object.assign(new Error(`${code}: words of the system`), { code, syscall: 'write' });

test.each([
  ['ENOSPC', 'a.stria: the disk is full'],
  ['EACCES', 'a.stria: permission denied'],
  ['EROFS', 'a.stria: the file system is read-only'],
  ['EISDIR', 'a.stria: this is a folder'],
  ['EWEIRD', 'a.stria: EWEIRD'],
])('the message for %s', (code, message) => {
  expect(systemFault('not-writable', 'a.stria', systemError(code))).toMatchObject({ tag: 'not-writable', message });
});

test('a fault of Stria is unchanged, and a programming error is not taken for a system error', () => {
  const fault = new StriaError('corrupt', 'broken');
  expect(systemFault('not-readable', 'a', fault)).toBe(fault);
  expect(systemFault('not-readable', 'a', new TypeError('x is not a function'))).toMatchObject({ tag: 'internal' });
  expect(errorCode(Object.assign(new TypeError('bad'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeUndefined();
});
