import { expect, test } from 'vitest';
import { StriaError } from '../../core/shared/errors.ts';
import { Exports } from './exports.ts';
import { createAppStore } from './state/store.ts';

test('a file that cannot be written says why, even if what was written cannot be removed', async () => {
  const store = createAppStore();
  const fail = (message: string) => () => Promise.reject(new StriaError('not-writable', message));
  const sink = { name: 'a.txt', write: fail('the disk is full'), close: async () => {}, abort: fail('there is no such file') };
  const exports = new Exports({ saveAs: async () => sink } as never, store);
  await exports.saveText('a.txt', 'text');
  expect(store.getState().notice).toBe('the disk is full');
});
