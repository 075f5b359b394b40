import { StriaError } from '../../shared/errors.ts';

/** @throws StriaError `internal` where two arrays differ */
export function expectSame(actual: Uint8Array | Uint32Array, expected: Uint8Array | Uint32Array, what: string): void {
  if (actual.length !== expected.length) {
    throw new StriaError('internal', `${what}: ${actual.length} came out, and ${expected.length} were expected`);
  }
  for (let index = 0; index < expected.length; index++) {
    if (actual[index] !== expected[index]) throw new StriaError('internal', `${what}: number ${index} is wrong`);
  }
}
