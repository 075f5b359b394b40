import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { sourceOf } from './file-source.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A source of `size` bytes from a server with a given listener. */
async function served(size: number, listener: RequestListener) {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return sourceOf({ kind: 'url', name: 'scan.raw', size, url: `http://127.0.0.1:${port}/` });
}

const bytes = Uint8Array.from({ length: 100 }, (_, index) => index);
const honest: RequestListener = (request, response) => {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const [start, end] = [Number(first), Number(last)];
  response.writeHead(206, { 'content-range': `bytes ${start}-${end}/100` }).end(bytes.subarray(start, end + 1));
};

test.each([
  [0, 100, 100],
  [0, 1, 1],
  [99, 1, 1],
  [90, 50, 10],
  [100, 5, 0],
  [4000, 5, 0],
  [3, 0, 0],
])('from %i, %i bytes: a blob and a URL give the same %i', async (offset, length, expected) => {
  const url = await served(100, honest);
  const blob = sourceOf({ kind: 'blob', name: 'scan.raw', blob: new Blob([bytes]) });
  for (const source of [url, blob]) {
    const read = await source.read(offset, length);
    expect(read).toEqual(bytes.slice(offset, offset + length));
    expect(read.byteLength).toBe(expected);
    expect(read.buffer.byteLength).toBe(expected);
  }
});

test.each([
  [-1, 5],
  [0, -5],
  [0.5, 5],
  [0, Number.NaN],
  [Number.POSITIVE_INFINITY, 5],
])('an invalid range is refused: from %d, %d bytes', async (offset, length) => {
  const source = sourceOf({ kind: 'blob', name: 'scan.raw', blob: new Blob([bytes]) });
  await expect(source.read(offset, length)).rejects.toMatchObject({ tag: 'not-readable' });
});

const answers: [string, RequestListener, RegExp][] = [
  ['is missing', (_, response) => response.writeHead(404).end(), /no longer exists/],
  ['was changed', (_, response) => response.writeHead(409).end(), /changed since it was opened/],
  ['was truncated', (_, response) => response.writeHead(416).end(), /changed since it was opened/],
  ['is forbidden', (_, response) => response.writeHead(403).end(), /permission/],
  ['comes as a whole', (_, response) => response.writeHead(200).end(bytes), /does not support range requests/],
  ['fails', (_, response) => response.writeHead(500).end(), /the server answered 500/],
  ['has another size', (_, response) => response.writeHead(206, { 'content-range': 'bytes 0-9/50' }).end(bytes), /changed since/],
  [
    'has another range',
    (_, response) => response.writeHead(206, { 'content-range': 'bytes 1-10/100' }).end(bytes),
    /changed since/,
  ],
  [
    'is cut short',
    (_, response) => response.writeHead(206, { 'content-range': 'bytes 0-9/100' }).end('abc'),
    /returned 3 bytes instead of 10/,
  ],
  [
    'stops sending',
    (_, response) => response.writeHead(206, { 'content-range': 'bytes 0-9/100', 'content-length': 10 }).flushHeaders(),
    /scan.raw/,
  ],
];
test.each(answers)('a file that %s is not readable, with a message', async (_, listener, words) => {
  const source = await served(100, (request, response) => {
    listener(request, response);
    if (!response.writableEnded) setTimeout(() => response.destroy(), 20);
  });
  await expect(source.read(0, 10)).rejects.toMatchObject({ tag: 'not-readable', message: expect.stringMatching(words) });
});

test('a missing server is an error, not a hang', async () => {
  const source = sourceOf({ kind: 'url', name: 'scan.raw', size: 10, url: 'http://127.0.0.1:1/' });
  await expect(source.read(0, 10)).rejects.toMatchObject({ tag: 'not-readable' });
});

test('an abort reaches the request and stays an abort', async () => {
  const abort = new AbortController();
  let sawClose = () => {};
  const closed = new Promise<void>((resolve) => {
    sawClose = resolve;
  });
  // Abort once the request has arrived. On a busy machine, the server might never see an earlier abort.
  const source = await served(100, (_, response) => {
    response.on('close', sawClose);
    abort.abort();
  });
  await expect(source.read(0, 10, { signal: abort.signal })).rejects.toMatchObject({ tag: 'aborted' });
  await closed;
  await expect(source.read(0, 10, { signal: abort.signal })).rejects.toMatchObject({ tag: 'aborted' });
});

test('a refusal by main keeps its reason', async () => {
  const fault = { tag: 'not-readable', message: '/study/IM2: permission denied', context: [] };
  const source = await served(100, (_, response) =>
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(fault)),
  );
  await expect(source.read(0, 4)).rejects.toMatchObject({ tag: 'not-readable', message: fault.message });
});
