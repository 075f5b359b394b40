import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'stria-web-'));
afterAll(() => rmSync(folder, { recursive: true }));

function buildWeb(out: string) {
  return spawnSync(process.execPath, ['scripts/build-web.mjs', '--out', out], { encoding: 'utf8' });
}

test('the web app replaces an earlier version, but no folder with other files', () => {
  const app = join(folder, 'app');
  mkdirSync(app);
  expect(buildWeb(app)).toMatchObject({ status: 0 });
  writeFileSync(join(app, 'assets', 'old.js'), '');
  expect(buildWeb(app)).toMatchObject({ status: 0 });
  expect(existsSync(join(app, 'assets', 'old.js'))).toBe(false);

  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'thesis.tex'), '');
  const { status, stderr } = buildWeb(other);
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('holds other files') });
  expect(existsSync(join(other, 'thesis.tex'))).toBe(true);
}, 60_000);
