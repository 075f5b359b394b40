import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { NewestRead } from './newest-read.ts';

test('a signal that outlives many reads keeps no listener of them', async () => {
  const newest = new NewestRead(
    () => {},
    () => {},
  );
  const { signal } = new AbortController();
  for (let frame = 0; frame < 20; frame++) {
    newest.request(`frame ${frame}`, {}, async () => {});
    await newest.ended(signal);
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
