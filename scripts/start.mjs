// `npm start`: the desktop app. If Electron's binary is missing, downloads it once; if that fails, opens the same renderer in
// an installed browser instead. Arguments are files to open, and switches for Electron.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser, hasDisplay, openBrowser } from './browser.mjs';
import { electronPackage, findElectron } from './electron-files.mjs';
import { serveRenderer } from './web-server.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const installLimitMs = 60_000;

/** Downloads the binary with Electron's own installer. Prints the reason if that fails. */
function installElectron() {
  const installer = join(electronPackage, 'install.js');
  if (!existsSync(installer)) {
    console.log('start: the package electron is not installed (run `npm ci`).');
    return;
  }
  console.log("start: Electron's binary is not here yet; fetching it once …");
  const { status, signal, stderr } = spawnSync(process.execPath, [installer], {
    cwd: root,
    timeout: installLimitMs,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return;
  const reason = signal ? `no answer within ${installLimitMs / 1000} s` : (stderr.trim().split('\n')[0] ?? '');
  console.log(`start: it could not be fetched: ${reason}`);
}

function runElectron(binary) {
  // Chromium's sandbox refuses to run as root.
  const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(binary, [...asRoot, root, ...process.argv.slice(2)], { stdio: ['inherit', 'inherit', 'pipe'] });
  /** The end of its output. */
  let words = '';
  child.stderr.on('data', (data) => {
    process.stderr.write(data);
    words = (words + data).slice(-10_000);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(`Electron could not be started: ${error.message}`));
  // Not 'exit', because output may still follow it.
  child.once('close', (code, signal) => {
    process.exitCode = signal ? 1 : (code ?? 1);
    if (process.exitCode !== 0 && /SUID sandbox helper|No usable sandbox/.test(words)) withoutSandbox(binary);
  });
}

/** Ubuntu 23.10 and later require an AppArmor profile for user namespaces, on which Chromium's sandbox is based. */
function withoutSandbox(binary) {
  const helper = `'${join(dirname(binary), 'chrome-sandbox')}'`;
  console.log(
    `
start: Electron has ended, because its sandbox may not start on this system (Ubuntu 23.10 and later restrict it).
start: To allow it, run this once after each installation of Electron, then \`npm start\` again:

  sudo chown root:root ${helper} && sudo chmod 4755 ${helper}
`,
  );
  runBrowserOrFail();
}

function runBrowserOrFail() {
  process.exitCode = 0;
  void runBrowser().catch((error) => fail(error.message));
}

async function runBrowser() {
  const browser = findBrowser();
  if (!browser) return fail('There is no Electron that starts and no Chromium-family browser here. Install one of them.');
  const { url, close } = await serveRenderer({ port: 0 });
  console.log(`start: opening the web shell instead, at ${url} in ${browser}. Close its window, or press Ctrl-C, to end.`);
  if (process.argv.length > 2) console.log('start: a browser takes no file arguments: drop the files on its window.');
  await openBrowser(browser, url);
  close();
}

function fail(message) {
  console.error(`start: ${message}`);
  process.exitCode = 1;
}

if (!hasDisplay()) {
  fail('There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set). `npm run demo` shows Stria without one.');
} else {
  if (findElectron() === undefined) installElectron();
  const electron = findElectron();
  if (electron) runElectron(electron);
  else runBrowserOrFail();
}
