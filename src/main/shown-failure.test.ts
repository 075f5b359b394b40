import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSettings } from './settings.ts';
import { showFailure } from './shown-failure.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const message = 'The setting could not be saved';

test('a setting that cannot be saved is shown with its reason', async () => {
  // A folder in the file's place fails for root, too.
  mkdirSync(join(folder, 'settings.json', 'full'), { recursive: true });
  const settings = createSettings(join(folder, 'settings.json'));
  const shown: unknown[] = [];
  await showFailure(
    message,
    () => settings.change({ updateChecks: true }),
    async (box) => shown.push(box),
  );
  expect(shown).toEqual([
    { type: 'error', message, detail: "'settings.json' cannot be written: it is a folder. Choose a file", buttons: ['OK'] },
  ]);
});

test('nothing is shown after success; a rejection is shown like a thrown error', async () => {
  const shown: (string | undefined)[] = [];
  const show = async ({ detail }: { detail?: string }) => shown.push(detail);
  await showFailure(message, () => createSettings(join(folder, 'settings.json')).change({ updateChecks: true }), show);
  expect(shown).toEqual([]);
  await showFailure(message, () => Promise.reject(new Error('no window')), show);
  expect(shown).toHaveLength(1);
});
