// How long the first picture of a large .stria takes in the web app, and what is read for it: `node scripts/first-picture.mjs FILE`.
// FILE is dropped on the page, then opened over a loopback server that is as slow as a network. Needs `npm run build`, a browser of the
// Chromium family and a display (scripts/with-display.mjs). On a machine without a GPU, a software GPU draws.
//   --make CHUNKS     first writes FILE: a cube of CHUNKS × 64 voxels a side, with levels; CHUNKS is a power of two, and 64 makes 64 GiB
//   --megabits N      of the network, per second (100)
//   --latency MS      of each request (20)
//   --runs N          (3)
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { runnerImport } from 'vite';
import { findBrowser, neededSwitches } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const number = (fallback) => ({ type: 'string', default: String(fallback) });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { make: { type: 'string' }, megabits: number(100), latency: number(20), runs: number(3) },
});
const [given] = positionals;
if (!given)
  throw new Error('usage: node scripts/first-picture.mjs FILE [--make CHUNKS] [--megabits N] [--latency MS] [--runs N]');
const file = resolve(given);
if (values.make) await make(file, Number(values.make));
const { size } = statSync(file);
console.log(`first-picture: ${basename(file)}, ${(size / 2 ** 30).toFixed(1)} GiB`);

const app = await startApp();
const network = await serveSlowly(file, Number(values.megabits), Number(values.latency));
const browser = await chromium.launch({ headless: false, executablePath: findBrowser(), args: neededSwitches() });
try {
  for (let run = 1; run <= Number(values.runs); run++) {
    await inPage(app.url, async (page) => report(run, 'local', await pictured(page, () => drop(page, file))));
    network.sent = [];
    network.firstAsked = undefined;
    await inPage(`${app.url}?debug&url=${encodeURIComponent(network.url)}`, async (page) => {
      const opened = await pictured(page, async () => {});
      report(run, `${values.megabits} Mbit/s, ${values.latency} ms`, opened);
      // The requests, in order: what comes first is for the first picture.
      for (const line of network.sent) console.log(`    ${line}`);
    });
  }
} finally {
  await browser.close();
  app.stop();
  network.stop();
}

/** Writes the file from the chunks of a small one. */
async function make(path, chunks) {
  const folder = mkdtempSync(join(tmpdir(), 'stria-first-picture-'));
  const [plain, small] = [join(folder, 'phantom.nii'), join(folder, 'phantom.stria')];
  stria('sample', 'phantom', '--size', '256', '-o', plain);
  stria('compress', plain, '--codec', 'rice', '--device', 'cpu', '-o', small);
  const load = async (name, plugins = []) =>
    (await runnerImport(join(root, name), { root, configFile: false, logLevel: 'error', plugins })).module;
  const { assemblyModules } = await load('assembly.config.ts');
  const { wasmModules } = await load('wasm.config.ts');
  const { writeLarge } = await load('scripts/first-picture/large-file.ts', [wasmModules(), assemblyModules()]);
  await writeLarge(small, path, chunks);
  rmSync(folder, { recursive: true });
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

/** Serves ranges of a file. All answers share the network's bandwidth. */
async function serveSlowly(path, megabits, latencyMs) {
  const handle = openSync(path, 'r');
  const bytesPerMs = (megabits * 1e6) / 8 / 1000;
  const pieceBytes = 2 ** 15;
  let freeAt = 0;
  const until = (time) => new Promise((next) => setTimeout(next, Math.max(0, time - performance.now())));
  const network = { url: '', sent: [], firstAsked: undefined, stop: () => server.close() };
  const server = createServer(async (request, response) => {
    const { sent } = network;
    const cors = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'range, if-match',
      'access-control-expose-headers': 'content-range, etag',
      'access-control-max-age': '600',
    };
    await until(performance.now() + latencyMs);
    if (request.method === 'OPTIONS') return void response.writeHead(204, cors).end();
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [0, 0, size - 1];
    const [start, end] = [Number(first), Math.min(size, Number(last) + 1)];
    const facts = { etag: '"1"', 'content-length': end - start, 'content-range': `bytes ${start}-${end - 1}/${size}` };
    response.writeHead(206, { ...cors, ...facts });
    const asked = performance.now();
    network.firstAsked ??= asked;
    for (let at = start; at < end && !response.destroyed; at += pieceBytes) {
      const piece = new Uint8Array(Math.min(pieceBytes, end - at));
      freeAt = Math.max(freeAt, performance.now()) + piece.byteLength / bytesPerMs;
      await until(freeAt);
      readSync(handle, piece, 0, piece.byteLength, at);
      response.write(piece);
    }
    response.end();
    const how = response.destroyed ? ', cancelled' : '';
    const since = (time) => Math.round(time - network.firstAsked);
    const megabytes = ((end - start) / 1e6).toFixed(2);
    sent.push(`${since(asked)} to ${since(performance.now())} ms: ${megabytes} MB from ${start}${how}`);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  network.url = `http://127.0.0.1:${server.address().port}/${basename(path)}`;
  return network;
}

async function inPage(url, work) {
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
