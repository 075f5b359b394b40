import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('a file is imported as its bytes', async () => {
  const { default: bytes } = await import('../../../testdata/small.stria?bytes');
  expect(bytes).toEqual(new Uint8Array(readFileSync(new URL('../../../testdata/small.stria', import.meta.url))));
});
