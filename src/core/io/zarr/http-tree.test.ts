import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';
import { httpTree } from './http-tree.ts';
import { zarrArray } from './zarr-testing.ts';

/** Runs `work` with the address of a server. */
async function served(listener: RequestListener, work: (address: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
}

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
      const volume = await openVolume(httpTree(`${address}${path}`, {}));
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
      else response.writeHead(206).end(long.subarray(Number(start), Number(end) + 1));
    },
    async (address) => {
      const source = await httpTree(address, {}).find('c/0');
      expect(source?.size).toBe(2 ** 30);
      expect(await source?.read(1000, 50)).toEqual(long.slice(1000, 1050));
      expect(ranges).toEqual([undefined, 'bytes=1000-1049']);
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
      const fault = await faultOf(openVolume(httpTree(`${address}/a.zarr`, {})));
      expect(fault?.tag).toBe(status === 404 ? 'unsupported' : 'not-readable');
      expect(fault?.message).toContain(words);
    },
  );
});

test('reports an unreachable server, and a cancel', async () => {
  const fault = await faultOf(openVolume(httpTree('http://127.0.0.1:9/a.zarr', {})));
  expect(fault).toMatchObject({ tag: 'not-readable' });
  expect(fault?.message).toContain('cannot be reached');
  await served(
    () => undefined,
    async (address) => {
      const signal = AbortSignal.timeout(50);
      expect(await faultOf(openVolume(httpTree(`${address}/a.zarr`, { signal }), { signal }))).toMatchObject({ tag: 'aborted' });
    },
  );
});
