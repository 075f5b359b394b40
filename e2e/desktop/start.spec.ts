import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'playwright/test';

// Runs `npm start` with tiny scripts in place of Electron and the browser, on Linux and macOS only.
let folder = '';
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria start '));
  mkdirSync(join(folder, 'electron'));
});
test.afterEach(() => rmSync(folder, { recursive: true }));

function script(path: string, words: string): string {
  const whole = join(folder, path);
  writeFileSync(whole, `#!/bin/sh\n${words}\n`);
  chmodSync(whole, 0o755);
  return whole;
}

function start(electronWords: string) {
  script('electron/electron', electronWords);
  const browser = script('chromium', `echo "$@" > '${join(folder, 'browser-arguments')}'`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('scripts/start.mjs'), 'scan.nii'], {
    encoding: 'utf8',
    env: { ...process.env, DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'electron'), CHROMIUM_PATH: browser },
  });
  const argumentsFile = join(folder, 'browser-arguments');
  return { status, stdout, stderr, browser: existsSync(argumentsFile) ? readFileSync(argumentsFile, 'utf8') : undefined };
}

const complaints = [
  'FATAL:setuid_sandbox_host.cc(158)] The SUID sandbox helper binary was found, but is not configured correctly.',
  'FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox!',
];
for (const words of complaints) {
  test(`without a sandbox, npm start says what to do and opens a browser: ${words}`, () => {
    const { status, stdout, stderr, browser } = start(`echo '${words}' >&2; kill -TRAP $$`);
    expect(stderr).toContain(words);
    const helper = `'${join(folder, 'electron', 'chrome-sandbox')}'`;
    expect(stdout).toContain(`sudo chown root:root ${helper} && sudo chmod 4755 ${helper}`);
    expect(stdout).toContain('opening the web shell instead');
    expect(browser).toContain('--app=http://127.0.0.1:');
    expect(status).toBe(0);
  });
}

const endings = [
  ['exit 0', 0],
  ['echo something else >&2; exit 3', 3],
  // The message without an error exit is not a failure.
  ['echo No usable sandbox >&2', 0],
] as const;
for (const [words, code] of endings) {
  test(`otherwise npm start ends as Electron ends: ${words}`, () => {
    const { status, stdout, browser } = start(words);
    expect(status).toBe(code);
    expect(stdout).not.toContain('chrome-sandbox');
    expect(browser).toBeUndefined();
  });
}
