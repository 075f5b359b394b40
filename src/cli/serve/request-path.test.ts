import { expect, test } from 'vitest';
import { isLoopbackHost, isSameToken, namesInPath } from './request-path.ts';

test('paths become names', () => {
  expect(namesInPath('/')).toEqual(['']);
  expect(namesInPath('/files/a%20b.nii?x=/..')).toEqual(['files', 'a b.nii']);
  expect(namesInPath('/files/cells.zarr/.zarray')).toEqual(['files', 'cells.zarr', '.zarray']);
  expect(namesInPath('/folder/ä/')).toEqual(['folder', 'ä', '']);
});

test.each([
  undefined,
  '',
  'files/a',
  'http://example.org/files/a',
  '*',
  '/files/../a',
  '/files/%2e%2e/a',
  '/files/.%2E/a',
  '/files/..%2fa',
  '/files/..%5ca',
  '/files/..\\a',
  '/files/./a',
  '/files//a',
  '//files/a',
  '/files/a%00.nii',
  '/files/a%0d%0ab',
  '/files/%ff',
  '/files/%',
  '/files/.ssh/id',
  '/files/.hidden',
  `/files/${'a'.repeat(9000)}`,
])('%j is not the path of a file', (address) => {
  expect(namesInPath(address)).toBeUndefined();
});

test('tokens and hosts', () => {
  expect(['abc', 'abd', 'ab', '', 'abcd'].map((given) => isSameToken(given, 'abc'))).toEqual([true, false, false, false, false]);
  for (const host of ['localhost', 'localhost:80', 'LOCALHOST:9000', '127.0.0.1:8437', '127.1.2.3', '[::1]:8437', '[::1]']) {
    expect(isLoopbackHost(host), host).toBe(true);
  }
  for (const host of [
    undefined,
    '',
    'evil.example',
    'localhost.evil.example:80',
    '127.0.0.1.evil.example',
    'evil@localhost',
    '[::2]',
    '10.0.0.1',
    'localhost:80:80',
    '[localhost',
  ]) {
    expect(isLoopbackHost(host), host).toBe(false);
  }
});
