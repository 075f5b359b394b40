import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'playwright/test';
import { startWebServer, type WebServer } from '../support/web-shell.ts';

let server: WebServer;
let page: string;
test.beforeAll(async () => {
  server = await startWebServer();
  page = `${server.url}index.html`;
});
test.afterAll(() => server.stop());
// Whatever the request, the server must answer the next one.
test.afterEach(async () => expect((await fetch(page)).status).toBe(200));

const rangeStatus = async (range: string) => (await fetch(page, { headers: { range } })).status;

test('an invalid range is answered with 416', async () => {
  for (const range of ['bytes=10-5', 'bytes=abc', 'bytes=-', 'lines=1-2', 'bytes=0-5-9']) {
    expect(await rangeStatus(range), range).toBe(416);
  }
});

test('other ranges get the whole file', async () => {
  const whole = await (await fetch(page)).text();
  for (const range of ['bytes=0-9007199254740993', 'bytes=0-0', 'bytes=5-', 'bytes=-5', 'bytes=0-1, 3-4', 'bytes=99999999-']) {
    const response = await fetch(page, { headers: { range } });
    expect(response.status, range).toBe(200);
    expect(await response.text(), range).toBe(whole);
  }
});

test('methods other than GET and HEAD are refused', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const response = await fetch(page, { method });
    expect(response.status, method).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  }
  const head = await fetch(page, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
});

test('a path that cannot be decoded does not stop the server', async () => {
  expect((await fetch(`${server.url}%E0%A4%A`)).status).toBeGreaterThanOrEqual(400);
});

test('a page of another origin cannot stop the server', async ({ page: stranger }) => {
  const elsewhere = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>elsewhere</title>');
  });
  await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening));
  try {
    await stranger.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
    // CORS lets a page send these requests without a preflight, and only hides the response.
    const outcomes = await stranger.evaluate(async (url) => {
      const requests: RequestInit[] = [
        { headers: { range: 'bytes=0-9007199254740993' } },
        { headers: { range: 'bytes=10-5' } },
        { method: 'POST', body: 'x' },
      ];
      const answers = requests.map((request) => fetch(url, request).catch(() => 'kept'));
      return Promise.all(answers);
    }, page);
    expect(outcomes).toEqual(['kept', 'kept', 'kept']);
    expect((await fetch(page)).status).toBe(200);
  } finally {
    elsewhere.close();
  }
});
