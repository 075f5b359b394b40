import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { cliPath } from './cli-testing.ts';

const folder = join(dirname(cliPath), 'chunks');
const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

/** The files that are loaded with these: they and all that they import, directly or indirectly, but not on demand. */
function loadedWith(names: readonly string[]): ReadonlySet<string> {
  const found = new Set(names);
  for (const name of found) {
    const imports = texts.get(name)?.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g) ?? [];
    for (const [, imported] of imports) found.add(imported as string);
  }
  return found;
}

/** The file of a module that others load on demand. */
function onDemand(stem: string): string {
  const pattern = new RegExp(`import\\([\`"']\\./(${stem}-[^\`"']+)[\`"']\\)`);
  for (const text of texts.values()) {
    const [, name] = pattern.exec(text) ?? [];
    if (name !== undefined) return name;
  }
  throw new Error(`nothing loads ${stem} on demand`);
}

const started = loadedWith(
  [...readFileSync(cliPath, 'utf8').matchAll(/\.\/chunks\/([\w.-]+\.js)/g)].map(([, name]) => name as string),
);

/** What a module needs besides what the command has loaded. */
const besides = (stem: string) => [...loadedWith([onDemand(stem)])].filter((name) => !started.has(name));

test.each(['decompress', 'gpu-device'])('%s is loaded from few files', (stem) => {
  expect(besides(stem).length).toBeGreaterThan(0);
  expect(besides(stem).length).toBeLessThanOrEqual(6);
});

test('threads are started without the code for a GPU', () => {
  const bytes = besides('node-task-pool').reduce((sum, name) => sum + (texts.get(name)?.length ?? 0), 0);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(20_000);
});
