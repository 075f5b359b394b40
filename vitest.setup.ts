import { expect } from 'vitest';

/**
 * Decides at once that equal byte arrays are equal. `toEqual` compares element by element, 170 KB per second, which took most
 * of the time of tests of whole files. Differences are still found and shown by `toEqual`.
 */
function haveSameBytes(a: unknown, b: unknown): true | undefined {
  const areAlike = ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && Object.getPrototypeOf(a) === Object.getPrototypeOf(b);
  return areAlike && Buffer.compare(bytesOf(a), bytesOf(b)) === 0 ? true : undefined;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

// Once per process, because this file runs again for each test file.
const known = globalThis as { striaEquality?: true };
if (!known.striaEquality) expect.addEqualityTesters([haveSameBytes]);
known.striaEquality = true;
