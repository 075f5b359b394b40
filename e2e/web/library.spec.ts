import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { relative } from 'node:path';
import { expect, type Page, test } from 'playwright/test';
import type * as Zarrita from 'zarrita';
import type * as Library from '../../src/lib/index.ts';
import type * as Zarr from '../../src/lib/zarr.ts';
import { type StaticServer, serveStatic } from '../support/static-server.ts';

// The library in a browser, without a bundler: the files of out/lib as `npm run build` makes them.

/** The policy that pages need at least. */
const policy = "default-src 'self'; img-src data:; script-src 'self' 'nonce-n' 'wasm-unsafe-eval'; connect-src *";
const shape = [100, 70, 40] as const;

let server: StaticServer;
test.beforeAll(async () => {
  server = await serveStatic('.', '/', { 'content-security-policy': policy });
});
test.afterAll(() => server.close());

/** Opens a page in the test's folder, without a Playwright route, which would break requests to other servers. @returns its problems */
async function openPage(page: Page, body: string): Promise<string[]> {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  const html = `<!doctype html><meta charset="utf-8" /><title>a page</title><link rel="icon" href="data:," />${body}`;
  await page.goto(write('page.html', html.replace(/<script/g, '<script nonce="n"')));
  return problems;
}

/** @returns the file's address */
function write(name: string, text: string): string {
  const path = test.info().outputPath(name);
  writeFileSync(path, text);
  return `${server.url}${relative('.', path)}`;
}

const imports = {
  stria: '/out/lib/index.js',
  'stria/zarr': '/out/lib/zarr.js',
  zarrita: '/node_modules/zarrita/dist/src/index.js',
  '@zarrita/storage': '/node_modules/@zarrita/storage/dist/src/index.js',
  '@zarrita/storage/fetch': '/node_modules/@zarrita/storage/dist/src/fetch.js',
};
const importMap = `<script type="importmap">${JSON.stringify({ imports })}</script>`;

/** The voxels of a ball in noise. */
function ball(): Int16Array<ArrayBuffer> {
  const [x, y, z] = shape;
  let seed = 7;
  return Int16Array.from({ length: x * y * z }, (_, i) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const [dx, dy] = [(i % x) - 50, (Math.floor(i / x) % y) - 35];
    return dx * dx + dy * dy < 900 ? dx * 3 + (seed >>> 29) : -1000;
  });
}

test('compresses in a worker, and opens bytes, blobs and files', async ({ page }) => {
  const worker = `
    import { compress } from '/out/lib/index.js';
    onmessage = async ({ data: { voxels, options } }) => postMessage(await compress(voxels, options));`;
  const workerUrl = write('worker.js', worker);
  const problems = await openPage(page, importMap);
  const voxels = ball();
  const found = await page.evaluate(
    async ({ numbers, shape, workerUrl }) => {
      const { open, StriaError } = (await import('stria' as string)) as typeof Library;
      const voxels = Int16Array.from(numbers);
      const worker = new Worker(workerUrl, { type: 'module' });
      const bytes = await new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
        worker.postMessage({ voxels, options: { shape, spacing: [1, 1, 2, 1] } });
      });
      const boxes: number[][] = [];
      for (const input of [bytes, new Blob([bytes]), new File([bytes], 'a.stria')]) {
        const volume = await open(input);
        const { data } = await volume.read({ x: [10, 20], y: 7, z: [38, 40] });
        boxes.push([...data]);
        await volume.close();
      }
      const fault = await open(new Blob([bytes.slice(0, -9)])).catch((error) =>
        error instanceof StriaError ? error.tag : error,
      );
      return { bytes: [...bytes], boxes, fault };
    },
    { numbers: [...voxels], shape: [...shape], workerUrl },
  );
  const expected = [38, 39].flatMap((z) => [...voxels.subarray((z * 70 + 7) * 100 + 10, (z * 70 + 7) * 100 + 20)]);
  expect(found.boxes).toEqual([expected, expected, expected]);
  expect(found.fault).toBe('corrupt');
  const { compress } = (await import(new URL('../../out/lib/index.js', import.meta.url).href)) as typeof Library;
  expect(found.bytes).toEqual([...(await compress(voxels, { shape, spacing: [1, 1, 2, 1] }))]);
  expect(problems).toEqual([]);
});

test('reads a file on another server, range by range', async ({ page }) => {
  const { compress } = (await import(new URL('../../out/lib/index.js', import.meta.url).href)) as typeof Library;
  const voxels = ball();
  const bytes = await compress(voxels, { shape, codec: 'raw' });
  let sent = 0;
  // Most servers with CORS don't expose Content-Range.
  const elsewhere = createServer((request, response) => {
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'range' };
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (request.method === 'HEAD') return response.writeHead(200, { ...cors, 'content-length': bytes.length }).end();
    if (first === undefined) return response.writeHead(200, cors).end();
    const part = bytes.subarray(Number(first), Number(last) + 1);
    sent += part.length;
    const range = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
    response.writeHead(206, { ...cors, 'content-range': range, 'content-length': part.length }).end(part);
  });
  await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening));
  try {
    const problems = await openPage(page, importMap);
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/scan.stria`;
    const plane = await page.evaluate(async (url) => {
      const { open } = (await import('stria' as string)) as typeof Library;
      const volume = await open(url);
      return [...(await volume.read({ x: [64, 100], y: [64, 70], z: 39 })).data];
    }, url);
    const rows = [64, 65, 66, 67, 68, 69].map((y) => voxels.subarray((39 * 70 + y) * 100 + 64, (39 * 70 + y + 1) * 100));
    expect(plane).toEqual(rows.flatMap((row) => [...row]));
    // Only one chunk of four and both ends of the file were read.
    expect(sent).toBeLessThan(bytes.length / 2);
    expect(problems).toEqual([]);
  } finally {
    elsewhere.close();
    elsewhere.closeAllConnections();
  }
});

test('serves zarrita as a codec', async ({ page }) => {
  const problems = await openPage(page, importMap);
  const same = await page.evaluate(async () => {
    const zarr = (await import('zarrita' as string)) as typeof Zarrita;
    const { striaCodec } = (await import('stria/zarr' as string)) as typeof Zarr;
    zarr.registry.set('stria', async () => striaCodec as never);
    const shape = [20, 30, 40];
    const data = Float32Array.from({ length: 24000 }, (_, i) => Math.sin(i / 50));
    const codecs = [{ name: 'stria', configuration: {} }];
    const array = await zarr.create(zarr.root(new Map()), { shape, chunkShape: [16, 16, 40], dtype: 'float32', codecs });
    await zarr.set(array, null, { data, shape, stride: [1200, 40, 1] });
    const found = (await zarr.get(array, null)).data;
    return found.length === data.length && found.every((value, i) => value === data[i]);
  });
  expect(same).toBe(true);
  expect(problems).toEqual([]);
});

test('the example page of docs/LIBRARY.md works', async ({ page }) => {
  const [, example = ''] = /^```html\n(.*?)^```/ms.exec(readFileSync('docs/LIBRARY.md', 'utf8')) ?? [];
  expect(example).toContain('"./lib/index.js"');
  const problems = await openPage(page, example.replaceAll('./lib/', '/out/lib/'));
  const { compress } = (await import(new URL('../../out/lib/index.js', import.meta.url).href)) as typeof Library;
  const buffer = Buffer.from(await compress(ball(), { shape }));
  await page.locator('input').setInputFiles({ name: 'a.stria', mimeType: 'application/octet-stream', buffer });
  await expect(page.locator('output')).toHaveText('100 × 70 × 1 × 1 voxels, the first is -1000');
  expect(problems).toEqual([]);
});
