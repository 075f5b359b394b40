import { expect, test } from 'vitest';
import { toStriaError } from './errors.ts';

// Messages of V8 and JavaScriptCore.
test.each([
  'Array buffer allocation failed',
  'Invalid array length',
  'WebAssembly.Memory.grow(): Unable to grow instance memory',
  'WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance',
  'Out of memory',
])('too little memory is no internal error: %s', (message) => {
  expect(toStriaError(new RangeError(message)).tag).toBe('out-of-memory');
});

test('other errors of ranges are internal', () => {
  expect(toStriaError(new RangeError('Offset is outside the bounds of the DataView')).tag).toBe('internal');
});
