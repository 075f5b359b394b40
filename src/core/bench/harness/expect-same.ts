import { StriaError } from '../../shared/errors.ts';

/** @throws StriaError `internal` if two arrays differ */
export function expectSame(actual: Uint8Array | Uint32Array, expected: Uint8Array | Uint32Array, what: string): void {
  if (actual.length !== expected.length) {
    throw new StriaError('internal', `${what}: got ${actual.length} values instead of ${expected.length}`);
  }
  for (let index = 0; index < expected.length; index++) {
    if (actual[index] !== expected[index]) throw new StriaError('internal', `${what}: number ${index} is wrong`);
  }
}
