import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { served } from '../../testing/web-server-testing.ts';
import { faultOf, noise, readVoxels } from '../io/common/source-testing.ts';
import { openVolume } from '../io/open-volume.ts';
import { zarrArray } from '../io/zarr/zarr-testing.ts';
import { urlOfAddress } from './address.ts';
import { openAddress } from './open-address.ts';
import { remoteTree } from './remote-tree.ts';

const values = noise(4 * 6 * 5 * 2);
const files = await zarrArray('', {
  version: 3,
  shape: [4, 6, 5],
  chunks: [2, 3, 5],
  dtype: '<u2',
  values,
  perShard: [1, 2, 1],
  compressor: 'gzip',
});

const serve: RequestListener = (request, response) => {
  const bytes = files[decodeURIComponent(new URL(request.url ?? '', 'http://a').pathname).slice('/data/a b.zarr/'.length)];
  response.writeHead(bytes ? 200 : 404).end(bytes);
};

test('reads a Zarr from a web address', async () => {
  await served(serve, async (address) => {
    for (const path of ['/data/a b.zarr', '/data/a%20b.zarr/']) {
      const volume = await openVolume(await openAddress(`${address}${path}`));
      expect(Buffer.compare(await readVoxels(volume), values)).toBe(0);
      expect((await volume.source()).parts[0]?.name).toBe('a b.zarr');
    }
  });
});

test('reads parts of long files', async () => {
  const long = noise(2 ** 20);
  const ranges: (string | undefined)[] = [];
  await served(
    (request, response) => {
      ranges.push(request.headers.range);
      const [, start, end] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
      if (start === undefined) response.writeHead(200, { 'content-length': 2 ** 30 }).write(long);
      else
        response
          .writeHead(206, { 'content-range': `bytes ${start}-${end}/${2 ** 30}` })
          .end(long.subarray(Number(start), Number(end) + 1));
    },
    async (address) => {
      const source = await remoteTree(new URL(address)).find('c/0');
      expect(source?.size).toBe(2 ** 30);
      expect(await source?.read(1000, 50)).toEqual(long.slice(1000, 1050));
      expect(ranges).toEqual([undefined, 'bytes=0-131071']);
      expect(await source?.read(131070, 4)).toEqual(long.slice(131070, 131074));
      expect(ranges).toEqual([undefined, 'bytes=0-131071', 'bytes=131072-262143']);
    },
  );
});

test.each([
  [403, 'does not allow it to be read (403)'],
  [500, 'the server answered 500'],
  [404, 'nothing that Stria reads was found'],
])('says what %i means', async (status, words) => {
  await served(
    (_request, response) => response.writeHead(status).end(),
    async (address) => {
      const fault = await faultOf(openVolume(remoteTree(urlOfAddress(`${address}/a.zarr`), { retryMs: 1 })));
      expect(fault?.tag).toBe(status === 404 ? 'unsupported' : 'not-readable');
      expect(fault?.message).toContain(words);
    },
  );
});

test.each([
  [2, '/data/a.zarr'],
  [2, '/data/a'],
  [3, '/data/a.zarr'],
] as const)('reads a Zarr of version %i from a bucket that answers 403 for missing files, at %s', async (version, path) => {
  const array = await zarrArray('', { version, shape: [4, 6, 5], chunks: [2, 3, 5], dtype: '<u2', values, compressor: 'gzip' });
  await served(
    (request, response) => {
      const bytes = array[(request.url ?? '').slice(path.length + 1)];
      response.writeHead(bytes ? 200 : 403).end(bytes);
    },
    async (address) => {
      const volume = await openVolume(await openAddress(`${address}${path}`));
      expect(Buffer.compare(await readVoxels(volume), values)).toBe(0);
    },
  );
});

test('reports an unreachable server, and a cancel', async () => {
  const fault = await faultOf(openVolume(remoteTree(new URL('http://127.0.0.1:9/a.zarr'), { retryMs: 1 })));
  expect(fault).toMatchObject({ tag: 'not-readable' });
  expect(fault?.message).toContain('cannot be reached');
  await served(
    () => undefined,
    async (address) => {
      const signal = AbortSignal.timeout(50);
      expect(await faultOf(openVolume(remoteTree(new URL(`${address}/a.zarr`), { signal }), { signal }))).toMatchObject({
        tag: 'aborted',
      });
    },
  );
});

test('a Zarr is found at an address without the ending .zarr', async () => {
  await served(
    (request, response) => {
      // As a server of folders does: it redirects to a page that lists the files.
      if (request.url === '/data/a') response.writeHead(301, { location: '/data/a/' }).end();
      else if (request.url === '/data/a/') response.writeHead(200, { 'content-type': 'text/html' }).end('<ul></ul>');
      else {
        const bytes = files[(request.url ?? '').slice('/data/a/'.length)];
        response.writeHead(bytes ? 200 : 404).end(bytes);
      }
    },
    async (address) => {
      const volume = await openVolume(await openAddress(`${address}/data/a`));
      expect(Buffer.compare(await readVoxels(volume), values)).toBe(0);
    },
  );
});
