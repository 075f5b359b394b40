import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { niftiFile, noise } from '../../core/io/common/source-testing.ts';
import { openVolume } from '../../core/io/open-volume.ts';
import { zarrArray } from '../../core/io/zarr/zarr-testing.ts';
import { openAddress, openAddressFile } from '../../core/remote/open-address.ts';
import { type FolderServer, startFolderServer } from './folder-server.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'stria-serve-')));
const root = join(base, 'data');
const app = join(base, 'app');
const data = noise(300_000);
let server: FolderServer;
let address: string;

beforeAll(async () => {
  mkdirSync(join(root, 'sub', 'cells.zarr'), { recursive: true });
  mkdirSync(join(root, '.private'));
  mkdirSync(join(app, 'assets'), { recursive: true });
  writeFileSync(join(base, 'secret.nii'), 'secret');
  writeFileSync(join(root, 'data.raw'), data);
  writeFileSync(join(root, 'a&b <1>.nii'), niftiFile({ dim: [3, 5, 4, 3], datatype: 2 }, noise(60)));
  writeFileSync(join(root, 'broken.stria'), 'STRIA');
  writeFileSync(join(root, 'notes.txt'), 'notes');
  writeFileSync(join(root, '.hidden.nii'), 'hidden');
  writeFileSync(join(root, '.private', 'a.nii'), 'hidden');
  const files = await zarrArray('', { version: 2, shape: [4, 6, 5], chunks: [4, 6, 5], dtype: '|u1', values: noise(120) });
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(join(root, 'sub', 'cells.zarr', path, '..'), { recursive: true });
    writeFileSync(join(root, 'sub', 'cells.zarr', path), bytes);
  }
  symlinkSync(join(base, 'secret.nii'), join(root, 'out.nii'));
  symlinkSync(base, join(root, 'up'));
  symlinkSync('data.raw', join(root, 'inside.raw'));
  writeFileSync(join(app, 'index.html'), '<title>app</title><link rel="manifest" href="./m" />');
  writeFileSync(join(app, 'service-worker.js'), '');
  writeFileSync(join(app, 'assets', 'a.js'), '1');
  writeFileSync(
    join(app, 'staticwebapp.config.json'),
    JSON.stringify({ globalHeaders: { 'content-security-policy': "default-src 'none'" } }),
  );
  server = await startFolderServer({ root, host: '127.0.0.1', port: 0, app });
  [address = ''] = server.addresses;
});

afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** A request whose path is sent as it is: fetch would resolve `..`. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET', at = address): Promise<Answer> {
  const { hostname, port } = new URL(at);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('latin1').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      response.on('error', reject);
    });
    sent.on('error', reject).end();
  });
}

const textOf = (answer: Answer): Answer => ({ ...answer, body: Buffer.from(answer.body, 'latin1').toString() });

/** Sends bytes and returns the first line of the answer. */
function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('latin1').on('data', (piece: string) => {
      answer += piece;
      if (answer.includes('\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
    socket.on('error', reject);
  });
}

test('the page lists volumes and folders, with shapes and types, and links into the app', async () => {
  const { status, headers, body } = textOf(await ask('/'));
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(body).toContain('href="app/?url=..%2Ffiles%2Fa%2526b%2520%253C1%253E.nii"');
  expect(body).toContain('>a&#38;b &#60;1&#62;.nii</a>');
  expect(body).toContain('5 × 4 × 3');
  expect(body).toContain('href="folder/sub/"');
  for (const absent of ['hidden', 'private', 'secret', 'out.nii', 'notes', base]) expect(body).not.toContain(absent);
  expect(body).toContain('broken.stria</a></td><td class="note">Stria doesn&#39;t recognise this file</td>');
  const sub = textOf(await ask('/folder/sub/'));
  expect(sub.body).toContain('href="../../app/?url=..%2Ffiles%2Fsub%2Fcells.zarr"');
  expect(sub.body).toContain('5 × 6 × 4');
  expect(await ask('/folder/sub')).toMatchObject({ status: 301, headers: { location: 'sub/' } });
});

test('the app comes with its own headers, without what would install it', async () => {
  expect(await ask('/app')).toMatchObject({ status: 301, headers: { location: 'app/' } });
  expect(await ask('/app/')).toMatchObject({
    status: 200,
    body: '<title>app</title>',
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" },
  });
  expect((await ask('/app/assets/a.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect((await ask('/app/service-worker.js')).status).toBe(404);
});

test('files by ranges, HEAD and conditions', async () => {
  const whole = await ask('/files/data.raw');
  const { etag, 'last-modified': modified } = whole.headers as Record<string, string>;
  expect(Buffer.from(whole.body, 'latin1').equals(data)).toBe(true);
  expect(await ask('/files/data.raw', {}, 'HEAD')).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': '300000', etag },
  });
  const part = (first: number, end: number) => Buffer.from(data.subarray(first, end)).toString('latin1');
  const ranges: [string, number, string, string | undefined][] = [
    ['bytes=10-19', 206, part(10, 20), 'bytes 10-19/300000'],
    ['bytes=-5', 206, part(299_995, 300_000), 'bytes 299995-299999/300000'],
    ['bytes=299990-999999', 206, part(299_990, 300_000), 'bytes 299990-299999/300000'],
    ['bytes=300000-', 416, '', 'bytes */300000'],
    ['bytes=-0', 416, '', 'bytes */300000'],
    ['bytes=9-3', 200, whole.body, undefined],
    ['bytes=0-1,5-6', 200, whole.body, undefined],
    ['bytes=99999999999999999999-', 200, whole.body, undefined],
    ['bytes=a-b', 200, whole.body, undefined],
    ['lines=1-2', 200, whole.body, undefined],
  ];
  for (const [range, status, body, contentRange] of ranges) {
    const answer = await ask('/files/data.raw', { range });
    expect([range, answer.status, answer.headers['content-range'], answer.body === body]).toEqual([
      range,
      status,
      contentRange,
      true,
    ]);
  }
  const range = 'bytes=0-9';
  const conditions: [Record<string, string | undefined>, number][] = [
    [{ range, 'if-range': etag }, 206],
    [{ range, 'if-range': modified }, 206],
    [{ range, 'if-range': '"other"' }, 200],
    [{ range, 'if-match': etag }, 206],
    [{ range, 'if-match': '"other"' }, 412],
    [{ 'if-none-match': `"x", ${etag}` }, 304],
    [{ 'if-none-match': '"x"', 'if-modified-since': modified }, 200],
    [{ 'if-modified-since': modified }, 304],
    [{ 'if-modified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }, 200],
    [{ 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }, 412],
    [{ 'if-unmodified-since': modified }, 200],
    [{ 'if-modified-since': 'nonsense', 'if-unmodified-since': 'nonsense' }, 200],
  ];
  for (const [headers, status] of conditions) {
    expect([headers, (await ask('/files/data.raw', headers as Record<string, string>)).status]).toEqual([headers, status]);
  }
});

test.each([
  '/files/../../secret.nii',
  '/files/..%2f..%2fsecret.nii',
  '/files/%2e%2e/%2e%2e/secret.nii',
  '/files/..\\..\\secret.nii',
  '/files//etc/passwd',
  '/files/%2fetc%2fpasswd',
  '/files/out.nii',
  '/files/up/secret.nii',
  '/folder/up/',
  '/folder/..%2f/',
  '/folder/data.raw/',
  '/files/.hidden.nii',
  '/files/.private/a.nii',
  '/folder/.private/',
  '/files/data.raw%00.nii',
  '/files/data.raw/',
  '/files/sub',
  '/files/',
  '/files',
  '/app/../files/data.raw',
  '/app/%2e%2e/data/data.raw',
  '/app/assets/',
  '/none',
  '/files/%E0%A4%A',
  `/files/${'a'.repeat(300)}`,
])('%s gives nothing', async (path) => {
  expect(await ask(path)).toMatchObject({ status: 404, body: '' });
});

test('a link inside the folder is followed', async () => {
  expect((await ask('/files/inside.raw')).body.length).toBe(300_000);
});

test('only this machine’s names, only reading', async () => {
  for (const host of ['evil.example', 'evil.example:8437', '127.0.0.1.evil.example']) {
    expect(await ask('/', { host })).toMatchObject({ status: 421, body: '' });
  }
  expect((await ask('/', { host: 'localhost:9000' })).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    expect(await ask('/files/data.raw', {}, method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  }
  const { headers } = await ask('/files/data.raw', { origin: 'https://evil.example' });
  expect(headers['access-control-allow-origin']).toBeUndefined();
  expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('hostile requests are refused and leave the server running', async () => {
  expect(await sendRaw('nonsense\r\n\r\n')).toContain('400');
  expect(await sendRaw('GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n')).toContain('404');
  expect(await sendRaw(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`)).toMatch(/431|400/);
  expect(await sendRaw('GET / HTTP/1.1\r\n\r\n')).toContain('400');
  expect(await sendRaw('GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toContain('400');
  expect(await sendRaw('GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n')).toMatch(/400|200/);
  expect(await sendRaw('GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n')).toContain(
    '400',
  );
  expect((await ask('/')).status).toBe(200);
});

test('off loopback there is a token, without which there is nothing', async () => {
  const open = await startFolderServer({ root, host: '0.0.0.0', port: 0, app });
  try {
    const url = new URL(open.addresses[0] ?? '');
    expect(url.pathname).toMatch(/^\/[\w-]{32}\/$/);
    const at = `http://127.0.0.1:${url.port}`;
    const token = url.pathname.slice(0, -1);
    for (const path of ['/', '/files/data.raw', '/app/', '//', `${token}x/`, token.slice(0, -1), '/x/files/data.raw', token]) {
      expect([path, (await ask(path, {}, 'GET', at)).status]).toEqual([path, 404]);
    }
    expect((await ask(`${token}/`, { host: 'lab.example' }, 'GET', at)).status).toBe(200);
    expect((await ask(`${token}/files/data.raw`, {}, 'GET', at)).body.length).toBe(300_000);
  } finally {
    await open.close();
  }
});

test('Stria reads from it what it lists', async () => {
  const volume = await openVolume(await openAddress(`${address}files/sub/cells.zarr`));
  expect(volume.info.dims).toEqual([5, 6, 4, 1]);
  const source = await openAddressFile(`${address}files/data.raw`);
  expect(Buffer.compare(await source.read(0, source.size), data)).toBe(0);
});

test('a file that becomes shorter while it is sent ends the connection', async () => {
  const long = join(root, 'long.raw');
  writeFileSync(long, new Uint8Array(64 * 2 ** 20));
  const { hostname, port } = new URL(address);
  const ended = new Promise<string>((resolve) => {
    const sent = request({ hostname, port, path: '/files/long.raw' }, (response) => {
      response.once('data', () => {
        response.pause();
        truncateSync(long, 10);
        response.resume();
      });
      response.on('end', () => resolve('whole'));
      response.on('error', () => resolve('broken'));
    });
    sent.end();
  });
  expect(await ended).toBe('broken');
  expect((await ask('/')).status).toBe(200);
});

test('a port that is taken, and a host that this machine does not have', async () => {
  const { port } = new URL(address);
  await expect(startFolderServer({ root, host: '127.0.0.1', port: Number(port) })).rejects.toThrow(`port ${port} is in use`);
  await expect(startFolderServer({ root, host: '203.0.113.7', port: 0 })).rejects.toThrow('no address 203.0.113.7');
});
