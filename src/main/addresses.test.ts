import type { LookupAddress, lookup } from 'node:dns';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ServedFile, served } from '../testing/web-server-testing.ts';
import { isPrivateAddress, WebAddresses } from './addresses.ts';

/** A lookup that resolves these names. */
function names(known: Readonly<Record<string, readonly string[]>>): typeof lookup {
  const find = (host: string, _options: object, done: (error: Error | null, found: LookupAddress[]) => void) => {
    const found = known[host];
    if (found)
      done(
        null,
        found.map((address) => ({ address, family: 4 })),
      );
    else done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []);
  };
  return find as unknown as typeof lookup;
}

const data = new Uint8Array(1000).map((_, index) => index);
const yes = async () => true;

async function withServer(work: (file: ServedFile, port: string) => Promise<void>): Promise<void> {
  const file = new ServedFile(data);
  await served(file.listener, (address) => work(file, new URL(address).port));
}

const ask = (addresses: WebAddresses, address: string, headers: Record<string, string> = {}, method = 'GET') =>
  addresses.relay(new Request('http://page/', { headers, method }), address);

test('the person is asked once for each host, and told if it is in their own network', async () => {
  const addresses = new WebAddresses(names({ 'example.org': ['93.184.215.14'], 'lab.example': ['10.1.2.3'] }));
  const asked: [string, boolean][] = [];
  const answer = async (host: string, isPrivate: boolean) => {
    asked.push([host, isPrivate]);
    return host !== 'no.example';
  };
  for (const address of [
    'https://example.org/a',
    'https://example.org/b',
    'http://example.org/a',
    'https://lab.example:8443/a',
    'http://127.0.0.1/a',
    'http://[::1]/a',
    'http://localhost.example/a',
  ]) {
    await addresses.allow(address, answer);
  }
  await expect(addresses.allow('https://no.example/a?key=1', answer)).rejects.toThrow(
    'https://no.example/a was not opened: you chose',
  );
  expect(asked).toEqual([
    ['example.org', false],
    ['example.org', false],
    ['lab.example:8443', true],
    ['127.0.0.1', true],
    ['[::1]', true],
    ['localhost.example', false],
    ['no.example', false],
  ]);
  expect(
    ['https://example.org/x', 'https://no.example/a', 'https://example.org:444/'].map((one) => addresses.isAllowed(one)),
  ).toEqual([true, false, false]);
  await expect(addresses.allow('file:///etc/passwd', yes)).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('a page reads ranges from an allowed host, with few headers', async () => {
  await withServer(async (file, port) => {
    const addresses = new WebAddresses();
    const address = `http://127.0.0.1:${port}/a.stria?key=1`;
    expect((await ask(addresses, address)).status).toBe(599);
    expect(file.seen).toHaveLength(0);
    await addresses.allow(address, yes);
    let headers: Record<string, unknown> = {};
    file.before = (request) => {
      headers = request.headers;
      return false;
    };
    file.headers = { 'set-cookie': 'a=1', 'access-control-allow-origin': '*', 'content-type': 'text/html' };
    const response = await ask(addresses, address, {
      range: 'bytes=10-19',
      cookie: 'b=1',
      origin: 'app://stria',
      'if-match': '"1"',
    });
    expect(response.status).toBe(206);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(data.slice(10, 20));
    expect(Object.keys(headers).sort()).toEqual(['accept-encoding', 'connection', 'host', 'if-match', 'range', 'user-agent']);
    expect(Object.fromEntries(response.headers)).toMatchObject({ etag: '"1"', 'content-range': 'bytes 10-19/1000' });
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    for (const name of ['set-cookie', 'access-control-allow-origin']) expect(response.headers.get(name)).toBeNull();
    const head = await ask(addresses, address, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '1000', null]);
  });
});

test('a compressed response is unpacked', async () => {
  await withServer(async (file, port) => {
    const addresses = new WebAddresses();
    const address = `http://127.0.0.1:${port}/a`;
    await addresses.allow(address, yes);
    file.before = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(data));
      return true;
    };
    const response = await ask(addresses, address);
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(data);
  });
});

test('a public host leads neither by a redirect nor by its name into the own network', async () => {
  await withServer(async (file, port) => {
    // The name resolves to a public address first, and to this computer later.
    const known: Record<string, string[]> = { 'evil.example': ['93.184.215.14'] };
    const addresses = new WebAddresses(names(known));
    await addresses.allow(`http://evil.example:${port}/a`, yes);
    known['evil.example'] = ['127.0.0.1'];
    const rebound = await ask(addresses, `http://evil.example:${port}/a`);
    expect([rebound.status, await rebound.text()]).toEqual([
      599,
      expect.stringContaining('leads to this computer or its own network'),
    ]);
    expect(file.seen).toHaveLength(0);

    const own = new WebAddresses(names({ 'lab.example': ['127.0.0.1'], 'public.example': ['127.0.0.1'] }));
    await own.allow(`http://lab.example:${port}/a`, yes);
    for (const target of [
      'http://169.254.169.254/latest/meta-data',
      `http://public.example:${port}/a`,
      'http://[::ffff:127.0.0.1]/',
    ]) {
      file.before = (_request, response) => {
        response.writeHead(302, { location: target }).end();
        return true;
      };
      const response = await ask(own, `http://lab.example:${port}/a`);
      expect([response.status, await response.text()]).toEqual([599, expect.stringContaining('leads to this computer')]);
    }
    for (const target of ['file:///etc/passwd', 'ftp://a/b']) {
      file.before = (_request, response) => {
        response.writeHead(302, { location: target }).end();
        return true;
      };
      expect((await ask(own, `http://lab.example:${port}/a`)).status).toBe(599);
    }
  });
});

test('a recent address lets no public host into the own network', async () => {
  await withServer(async (file, port) => {
    const known: Record<string, string[]> = { 'evil.example': ['93.184.215.14'] };
    const addresses = new WebAddresses(names(known));
    const asked: boolean[] = [];
    const answer = async (_host: string, isPrivate: boolean) => {
      asked.push(isPrivate);
      return true;
    };
    const address = `http://evil.example:${port}/a`;
    addresses.trust(address);
    await addresses.allow(address, answer);
    expect(asked).toEqual([]);
    known['evil.example'] = ['127.0.0.1'];
    expect((await ask(addresses, address)).status).toBe(599);
    expect(file.seen).toHaveLength(0);
    await addresses.allow(address, answer);
    expect(asked).toEqual([true]);
    expect((await ask(addresses, address)).status).toBe(200);

    const own = `http://127.0.0.1:${port}/a`;
    addresses.trust(own);
    await addresses.allow(own, answer);
    expect(asked).toEqual([true]);
    expect((await ask(addresses, own)).status).toBe(200);
  });
});

test('redirects on an allowed host are followed, up to five', async () => {
  await withServer(async (file, port) => {
    const addresses = new WebAddresses();
    const address = `http://127.0.0.1:${port}/1`;
    await addresses.allow(address, yes);
    file.before = (request, response) => {
      const step = Number(request.url?.slice(1));
      if (step >= 4) return false;
      response.writeHead(307, { location: `/${step + 1}` }).end();
      return true;
    };
    expect((await ask(addresses, address)).status).toBe(200);
    file.before = (_request, response) => {
      response.writeHead(302, { location: '/1' }).end();
      return true;
    };
    expect(await (await ask(addresses, address)).text()).toContain('redirects too often');
  });
});

test('an unreachable server is reported with its code', async () => {
  const addresses = new WebAddresses(names({}));
  await addresses.allow('https://none.example/a', yes);
  const response = await ask(addresses, 'https://none.example/a');
  expect([response.status, await response.json()]).toEqual([598, { message: expect.any(String), code: 'ENOTFOUND' }]);
});

test('private addresses are recognised', () => {
  for (const address of [
    '127.0.0.1',
    '127.255.0.1',
    '10.0.0.1',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '255.255.255.255',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '::7f00:1',
    'fec0::1',
  ]) {
    expect(isPrivateAddress(address), address).toBe(true);
  }
  for (const address of ['93.184.215.14', '172.32.0.1', '8.8.8.8', '2606:2800:21f::1', '::ffff:8.8.8.8']) {
    expect(isPrivateAddress(address), address).toBe(false);
  }
});
