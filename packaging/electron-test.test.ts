import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('without Electron the smoke test says that it has not run, and fails only where it must run', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/test-electron.mjs', ...args], {
      encoding: 'utf8',
      env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: join(import.meta.dirname, 'none') },
    });
  const said = expect.stringMatching(
    /^test:electron: not run here\. Electron's binary is not installed: run `npx install-electron`/,
  );
  expect(run()).toMatchObject({ status: 0, stdout: said });
  expect(run('--required')).toMatchObject({ status: 1, stdout: said });
});
