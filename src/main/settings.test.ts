import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSettings } from './settings.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-'));
  file = join(folder, 'deep', 'settings.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const defaults = { compatibilityMode: false, updateChecks: false, window: undefined };

test('settings are kept independently of each other', () => {
  expect(createSettings(file).get()).toEqual(defaults);
  createSettings(file).change({ compatibilityMode: true });
  const window = { x: -20, y: 10, width: 900, height: 700, maximized: true };
  createSettings(file).change({ window });
  expect(createSettings(file).get()).toEqual({ ...defaults, compatibilityMode: true, window });
});

test('known settings of an older or a newer version are kept', () => {
  const path = join(folder, 'settings.json');
  const window = { x: 1, y: 2, width: 900, height: 700 };
  writeFileSync(path, JSON.stringify({ compatibilityMode: true, window, future: { deep: [1] } }));
  const kept = { ...defaults, compatibilityMode: true, window: { ...window, maximized: false } };
  expect(createSettings(path).get()).toEqual(kept);
  createSettings(path).change({ updateChecks: true });
  expect(createSettings(path).get()).toEqual({ ...kept, updateChecks: true });
});

test.each([
  '',
  'null',
  '[]',
  '{"compatibilityMode":"yes","updateChecks":1,"window":{"x":0,"y":0,"width":"900","height":700}}',
  '{"__proto__":{"compatibilityMode":true},"window":[1,2,3,4]}',
  '{"window":{"x":0,"y":0,"width":1e999,"height":null}}',
  '{"window":{"x":1e9,"y":0,"width":900,"height":700}}',
])('a damaged file means the defaults: %s', (text) => {
  const path = join(folder, 'settings.json');
  writeFileSync(path, text);
  expect(createSettings(path).get()).toEqual(defaults);
});
