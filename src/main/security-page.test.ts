import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('docs/SECURITY.md names files and tests that exist', () => {
  const text = readFileSync('docs/SECURITY.md', 'utf8');
  const tables = text.split('\n').filter((line) => line.startsWith('|'));
  const files = [...tables.join('\n').matchAll(/`((?:[\w.-]+\/)*[\w-]+\.(?:test\.ts|spec\.ts|ts|mjs|json))`/g)].map(
    ([, name = '']) => name,
  );
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((name) => ![name, `src/main/${name}`].some((path) => existsSync(path)))).toEqual([]);

  expect(text).not.toMatch(/assum/i);
  // All twenty recommendations of Electron's tutorial, in order, each with the setting, its place, and a test.
  const [, checklist = ''] = text.split('## ');
  const rows = checklist.split('\n').filter((line) => /^\| \d/.test(line));
  const numbers = rows.flatMap((row) => (/^\| ([\d, ]+) /.exec(row)?.[1] ?? '').split(', ').map(Number));
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  for (const row of rows) for (const cell of row.split('|').slice(1, -1)) expect(cell.trim().length, row).toBeGreaterThan(1);

  const titles = [...tables.join('\n').matchAll(/(?<=: |\| |; )'([^']+)'(?= \||;|$)/g)].map(([, title = '']) => title);
  expect(titles.length).toBeGreaterThan(15);
  const tests = ['src/main', 'e2e', 'packaging'].flatMap((folder) => readTests(folder)).join('\n');
  expect(titles.filter((title) => !tests.includes(`('${title}'`))).toEqual([]);
});

function readTests(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(test|spec)\.ts$/.test(name));
  return names.map((name) => readFileSync(join(folder, name), 'utf8'));
}
