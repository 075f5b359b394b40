// `npm run test:electron`: a smoke test of the app in Electron itself. Where Electron's binary is missing it says so, and tests nothing.
//   --required  a missing binary is a failure: for machines that should have it
//   --double    on the test double of the electron module instead, to try the test itself
// STRIA_PACKAGED=FILE also tests a packaged app. Other arguments go to Playwright.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findElectron } from './electron-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const given = process.argv.slice(2);
const flags = ['--required', '--double'];
const binary = findElectron();

if (binary === undefined && !given.includes('--double')) {
  console.log(
    "test:electron: not run here. Electron's binary is not installed: run `npx install-electron` where its download can be reached, " +
      'or unpack its zip and set ELECTRON_OVERRIDE_DIST_PATH to that folder.',
  );
  process.exit(given.includes('--required') ? 1 : 0);
}
if (!existsSync(join(root, 'out/main/index.js'))) {
  console.log('test:electron: there is no build: run `npm run build`.');
  process.exit(1);
}
console.log(`test:electron: on ${binary ?? 'the double'}`);
const args = ['playwright', 'test', '--project=electron', ...given.filter((arg) => !flags.includes(arg))];
const { status } = spawnSync(process.execPath, [join(root, 'scripts/with-display.mjs'), 'npx', ...args], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(status ?? 1);
