// How long the first picture of a large .stria takes in the web app, and what is read for it: `node scripts/first-picture.mjs FILE`.
// FILE is dropped on the page, then opened over a loopback server that is as slow as a network. Needs `npm run build`, a browser of the
// Chromium family and a display (scripts/with-display.mjs). On a machine without a GPU, a software GPU draws.
//   --make CHUNKS     first writes FILE: a cube of CHUNKS × 64 voxels a side, with levels; CHUNKS is a power of two, and 64 makes 64 GiB
//   --sparse          with --make, leaves out the chunks at full resolution, which the first picture does not read
//   --node            opens FILE in Node with Dawn instead of the web app, and draws its bricks, so that no browser is needed
//   --megabits N      of the network, per second (100)
//   --latency MS      of each request (20)
//   --runs N          (3)
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { runnerImport } from 'vite';
import { findBrowser, neededSwitches } from './browser.mjs';
import { serveSlowly } from './first-picture/slow-server.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const number = (fallback) => ({ type: 'string', default: String(fallback) });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ make: { type: 'string' }, sparse: { type: 'boolean' }, node: { type: 'boolean' } },
    ...{ megabits: number(100), latency: number(20), runs: number(3) },
  },
});
const [given] = positionals;
if (!given)
  throw new Error(
    'usage: node scripts/first-picture.mjs FILE [--make CHUNKS [--sparse]] [--node] [--megabits N] [--latency MS] [--runs N]',
  );
const file = resolve(given);
if (values.make) await make(file, Number(values.make));
const { size } = statSync(file);
console.log(`first-picture: ${basename(file)}, ${(size / 2 ** 30).toFixed(1)} GiB`);

const network = await serveSlowly(file, Number(values.megabits), Number(values.latency));
const overNetwork = `${values.megabits} Mbit/s, ${values.latency} ms`;
try {
  if (values.node) await picturesInNode();
  else await picturesInApp();
} finally {
  network.stop();
}

async function picturesInApp() {
  const app = await startApp();
  const browser = await chromium.launch({ headless: false, executablePath: findBrowser(), args: neededSwitches() });
  try {
    for (let run = 1; run <= Number(values.runs); run++) {
      await inPage(browser, app.url, async (page) => report(run, 'local', await pictured(page, () => drop(page, file))));
      network.forget();
      await inPage(browser, `${app.url}?debug&url=${encodeURIComponent(network.url)}`, async (page) => {
        const opened = await pictured(page, async () => {});
        report(run, overNetwork, opened);
        reportRequests();
      });
    }
  } finally {
    await browser.close();
    app.stop();
  }
}

async function picturesInNode() {
  const { openPictures } = await load('scripts/first-picture/on-gpu.ts');
  const pictures = await openPictures();
  try {
    for (let run = 1; run <= Number(values.runs); run++) {
      report(run, 'local', JSON.stringify(await pictures.ofFile(file)));
      network.forget();
      report(run, overNetwork, JSON.stringify(await pictures.atAddress(network.url)));
      reportRequests();
    }
  } finally {
    await pictures.close();
  }
}

/** The requests, in order: what comes first is for the first picture. */
function reportRequests() {
  for (const line of network.sent) console.log(`    ${line}`);
}

/** Writes the file from the chunks of a small one. */
async function make(path, chunks) {
  const folder = mkdtempSync(join(tmpdir(), 'stria-first-picture-'));
  const [plain, small] = [join(folder, 'phantom.nii'), join(folder, 'phantom.stria')];
  try {
    stria('sample', 'phantom', '--size', '256', '-o', plain);
    stria('compress', plain, '--codec', 'rice', '--device', 'cpu', '-o', small);
    const { writeLarge } = await load('scripts/first-picture/large-file.ts');
    await writeLarge(small, path, chunks, values.sparse);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Imports a TypeScript module with all that it imports. */
async function load(name) {
  const module = async (path, plugins = []) =>
    (await runnerImport(join(root, path), { root, configFile: false, logLevel: 'error', plugins })).module;
  const { assemblyModules } = await module('assembly.config.ts');
  const { wasmModules } = await module('wasm.config.ts');
  const { wgsl } = await module('src/shaders/build/plugin.ts');
  return module(name, [wasmModules(), assemblyModules(), wgsl()]);
}

function stria(...args) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'out/main/cli.js'), ...args, '-q'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`stria ${args.join(' ')}: ${stderr}`);
}

/** Runs `npm run web` without opening a browser. */
async function startApp() {
  const server = spawn(process.execPath, [join(root, 'scripts/web.mjs'), '--port', '0', '--no-open'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((found) => {
    let text = '';
    server.stdout.on('data', (data) => {
      text += data;
      const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? [];
      if (address) found(address);
    });
  });
  return { url, stop: () => server.kill() };
}

async function inPage(browser, url, work) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url.includes('?') ? url : `${url}?debug`);
  await work(page);
  await page.close();
}

async function drop(page, path) {
  await page.locator('#root > *').first().waitFor({ state: 'attached' });
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'])
    await session.send('Input.dispatchDragEvent', { type, x: 640, y: 400, data });
}

/** What the app itself says in the tab Volume: from the request until the GPU has drawn the first picture. */
async function pictured(page, open) {
  await open();
  await page.getByTestId('tab-volume').click({ timeout: 120_000 });
  const facts = page.getByTestId('volume-facts');
  await facts.getByText('Opened in').waitFor({ timeout: 120_000 });
  const total = /Opened in\s*([\d.,]+\s*\S*s)/.exec(await facts.innerText())?.[1] ?? 'unknown';
  await page.getByTestId('open-timeline').getByRole('button').click();
  const stages = await page
    .getByTestId('open-timeline')
    .getByRole('listitem')
    .evaluateAll((rows) => rows.map((row) => row.title));
  return [total, ...stages].join('\n    ');
}

function report(run, way, opened) {
  console.log(`first-picture: run ${run}, ${way}: ${opened}`);
}
