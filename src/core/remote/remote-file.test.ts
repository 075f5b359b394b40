import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { ServedFile, served } from '../../testing/web-server-testing.ts';
import { faultOf, noise } from '../io/common/source-testing.ts';
import { knownAddressFile, openAddressFile, siblingsOfAddress } from './open-address.ts';
import { blockBytes } from './remote-file.ts';
import type { RemoteOptions } from './remote-options.ts';

const quick: RemoteOptions = { retryMs: 1 };
const data = noise(10 * blockBytes + 100);

/** Runs `work` with a file on a server and its address. */
async function withServed(work: (file: ServedFile, address: string) => Promise<void>, bytes = data): Promise<void> {
  const file = new ServedFile(bytes);
  await served(file.listener, (address) => work(file, `${address}/scan.nii`));
}

/** The message of the fault that reading the whole file gives. */
async function readFault(address: string, options = quick): Promise<string | undefined> {
  const fault = await faultOf(openAddressFile(address, options).then((source) => source.read(0, source.size)));
  expect(fault?.tag).toBe('not-readable');
  return fault?.message;
}

test('reads any part, with the end of the file', async () => {
  await withServed(async (_file, address) => {
    const source = await openAddressFile(address, quick);
    expect([source.name, source.size]).toEqual(['scan.nii', data.byteLength]);
    for (const [offset, length] of [
      [0, 10],
      [blockBytes - 3, 7],
      [blockBytes, blockBytes],
      [5, 3 * blockBytes],
      [data.byteLength - 4, 100],
      [0, data.byteLength],
      [data.byteLength + 5, 3],
      [7, 0],
    ] as const) {
      expect(Buffer.compare(await source.read(offset, length), data.subarray(offset, offset + length))).toBe(0);
    }
    const into = new ArrayBuffer(100);
    expect((await source.read(3, 50, { into })).buffer).toBe(into);
    expect(new Uint8Array(into, 0, 50)).toEqual(data.slice(3, 53));
  });
});

test('near reads are joined, a block is read once, and a small file with one request', async () => {
  await withServed(async (file, address) => {
    const source = await openAddressFile(address, quick);
    await Promise.all([
      source.read(blockBytes, 10),
      source.read(3 * blockBytes, 10),
      source.read(blockBytes + 50, 10),
      source.read(9 * blockBytes, 10),
    ]);
    await source.read(2 * blockBytes, 10);
    expect(file.seen.map(({ range }) => range)).toEqual([
      `bytes=0-${blockBytes - 1}`,
      `bytes=${blockBytes}-${4 * blockBytes - 1}`,
      `bytes=${9 * blockBytes}-${10 * blockBytes - 1}`,
    ]);
    expect(file.seen.at(-1)?.ifMatch).toBe('"1"');
  });
  await withServed(
    async (file, address) => {
      const source = await openAddressFile(address, quick);
      expect(await source.read(0, 100)).toEqual(data.slice(0, 100));
      expect(file.seen).toHaveLength(1);
    },
    data.slice(0, 100),
  );
});

test('a file that was opened before is read without asking for its head again, and a changed one is noticed', async () => {
  await withServed(async (file, address) => {
    const { name, size, version, ...opened } = await openAddressFile(address, quick);
    const head = await opened.read(0, blockBytes);
    const known = knownAddressFile(address, { name, size, version, head }, quick);
    expect([known.name, known.size, known.isWhole]).toEqual(['scan.nii', data.byteLength, false]);
    expect(Buffer.compare(await known.read(0, blockBytes + 5), data.subarray(0, blockBytes + 5))).toBe(0);
    expect(file.seen.map(({ range }) => range)).toEqual([
      `bytes=0-${blockBytes - 1}`,
      `bytes=${blockBytes}-${2 * blockBytes - 1}`,
    ]);
    file.etag = '"2"';
    const changed = knownAddressFile(address, { name, size, version, head }, quick);
    expect((await faultOf(changed.read(blockBytes, 5)))?.message).toContain('the file changed on the server');
  });
});

test('the cache is bounded', async () => {
  await withServed(async (file, address) => {
    const source = await openAddressFile(address, { ...quick, cacheBytes: 0 });
    await source.read(0, data.byteLength);
    await source.read(0, 1);
    expect(file.seen).toHaveLength(3);
  });
});

test('reads leave nothing at the signal of their job, which would keep their blocks', async () => {
  await withServed(async (_file, address) => {
    const { signal } = new AbortController();
    const source = await openAddressFile(address, { ...quick, signal });
    for (let block = 1; block < 10; block++) await source.read(block * blockBytes, 10);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

test('a server that drops every third connection and fails every fifth request is read', async () => {
  await withServed(async (file, address) => {
    file.before = (_request, response, count) => {
      if (count % 5 === 0) response.writeHead(503, { 'retry-after': '0' }).end();
      else if (count % 3 === 0) response.socket?.destroy();
      else return false;
      return true;
    };
    const source = await openAddressFile(address, { ...quick, cacheBytes: 0 });
    for (let at = 0; at < 40; at++) {
      const offset = (at * 7919) % data.byteLength;
      expect(Buffer.compare(await source.read(offset, 1000), data.subarray(offset, offset + 1000))).toBe(0);
    }
  });
});

test('an answer that breaks off is asked for again', async () => {
  await withServed(async (file, address) => {
    const source = await openAddressFile(address, quick);
    file.before = (_request, response, count) => {
      if (count > 3) return false;
      response.writeHead(206, {
        'content-length': blockBytes,
        'content-range': `bytes ${blockBytes}-${2 * blockBytes - 1}/${data.byteLength}`,
      });
      response.write(data.subarray(0, 1000), () => response.socket?.destroy());
      return true;
    };
    expect(await source.read(blockBytes, 5)).toEqual(data.slice(blockBytes, blockBytes + 5));
    expect(file.seen).toHaveLength(4);
  });
});

test('a server that sends nothing is asked again', async () => {
  await withServed(async (file, address) => {
    file.before = (_request, _response, count) => count === 1;
    expect((await openAddressFile(address, { ...quick, stallMs: 500 })).size).toBe(data.byteLength);
    file.before = () => true;
    expect(await readFault(address, { ...quick, stallMs: 20 })).toContain('the server sent nothing for 0.02 seconds, in 3 tries');
  });
});

test('Retry-After is obeyed, and a long one reported', async () => {
  await withServed(async (file, address) => {
    file.before = (_request, response, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      return count === 1;
    };
    const start = performance.now();
    await openAddressFile(address, quick);
    expect(performance.now() - start).toBeGreaterThan(900);
    file.before = (_request, response) => {
      response.writeHead(503, { 'retry-after': '3600' }).end();
      return true;
    };
    expect(await readFault(address)).toContain('the server answered 503 and asks to wait 3600 seconds');
  });
});

test.each([
  [
    'another ETag, by If-Match',
    (file: ServedFile) => {
      file.etag = '"2"';
    },
  ],
  [
    'another weak ETag',
    (file: ServedFile) => {
      file.etag = 'W/"2"';
    },
  ],
  [
    'another date',
    (file: ServedFile) => {
      file.headers = { etag: undefined, 'last-modified': 'Tue, 02 Jan 2024 00:00:00 GMT' };
    },
  ],
  [
    'another length',
    (file: ServedFile) => {
      file.bytes = data.subarray(0, 5 * blockBytes);
    },
  ],
  [
    'shorter than the part asked for',
    (file: ServedFile) => {
      file.before = (_request, response) => {
        response.writeHead(416).end();
        return true;
      };
    },
  ],
])('a file that changes is noticed: %s', async (_name, change) => {
  await withServed(async (file, address) => {
    if (_name.includes('weak')) file.etag = 'W/"1"';
    if (_name.includes('date')) file.headers = { etag: undefined, 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' };
    const source = await openAddressFile(address, quick);
    change(file);
    const fault = await faultOf(source.read(3 * blockBytes, 10));
    expect(fault?.message).toContain('changed on the server while it was read');
  });
});

test('a server without ranges: short files are read whole, long ones refused', async () => {
  await withServed(async (file, address) => {
    file.before = (_request, response) => {
      response.writeHead(200).end(data);
      return true;
    };
    const source = await openAddressFile(address, quick);
    expect(Buffer.compare(await source.read(0, source.size), data)).toBe(0);
    expect(file.seen).toHaveLength(1);
    expect(await readFault(address, { ...quick, wholeLimit: 1000 })).toContain('it is longer than 1000 bytes; download it first');
    file.before = (_request, response) => {
      response.writeHead(200, { 'content-length': data.byteLength }).end(data);
      return true;
    };
    expect(await readFault(address, { ...quick, wholeLimit: 1000 })).toContain('sends this file of 1.3 MB only as a whole');
  });
});

test('what is compressed on the way is read whole', async () => {
  const { gzipSync } = await import('node:zlib');
  await withServed(async (file, address) => {
    file.before = (request, response) => {
      const isPart = request.headers.range !== undefined;
      response.writeHead(isPart ? 206 : 200, { 'content-encoding': 'gzip', ...(isPart && { 'content-range': 'bytes 0-9/50' }) });
      response.end(gzipSync(data));
      return true;
    };
    const source = await openAddressFile(address, quick);
    expect(Buffer.compare(await source.read(0, source.size), data)).toBe(0);
  });
});

test('a server that hides Content-Range is asked for the length', async () => {
  await withServed(async (file, address) => {
    file.headers = { 'content-range': undefined };
    const source = await openAddressFile(address, quick);
    expect(source.size).toBe(data.byteLength);
    expect(file.seen.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
    expect(await source.read(5 * blockBytes, 4)).toEqual(data.slice(5 * blockBytes, 5 * blockBytes + 4));
  });
});

test('wrong parts and lengths are refused', async () => {
  await withServed(async (file, address) => {
    const lying = (range: string, bytes: number) => {
      file.before = (_request, response) => {
        response.writeHead(206, { 'content-range': range }).end(data.subarray(0, bytes));
        return true;
      };
    };
    lying(`bytes 1-${blockBytes}/${data.byteLength}`, blockBytes);
    expect(await readFault(address)).toContain('another part of the file');
    lying(`bytes 0-99/${data.byteLength}`, 100);
    expect(await readFault(address)).toContain('too few for a file of');
    lying(`bytes 0-${blockBytes - 1}/${data.byteLength}`, 100);
    expect(await readFault(address)).toContain(`ended after 100 of ${blockBytes} bytes`);
    lying(`bytes 0-${blockBytes - 1}/${data.byteLength}`, blockBytes + 1);
    expect(await readFault(address)).toContain('sent more than');
    file.before = () => false;
    const source = await openAddressFile(address, quick);
    lying(`bytes 0-${blockBytes - 1}/${data.byteLength}`, blockBytes);
    expect((await faultOf(source.read(blockBytes, 9)))?.message).toContain('another part of the file');
  });
});

test.each([
  [403, {}, 'does not allow it to be read (403)'],
  [401, {}, 'does not allow it to be read (401)'],
  [404, {}, 'there is nothing at this address (404)'],
  [500, {}, 'the server answered 500, in 3 tries'],
  [418, {}, 'the server answered 418'],
  [200, { 'content-type': 'text/html; charset=utf-8' }, 'this is a web page, not a file'],
])('says what %i %o means', async (status, headers, words) => {
  await withServed(async (file, address) => {
    file.before = (_request, response) => {
      response.writeHead(status, headers).end();
      return true;
    };
    const message = await readFault(`${address}?key=secret`);
    expect(message).toContain(words);
    expect(message).not.toContain('secret');
  });
});

test('an empty file', async () => {
  await withServed(async (file, address) => {
    file.before = (_request, response) => {
      response.writeHead(416, { 'content-range': 'bytes */0' }).end();
      return true;
    };
    expect((await openAddressFile(address, quick)).size).toBe(0);
  });
});

test('follows redirects once, and again when the target expires', async () => {
  const file = new ServedFile(data);
  let asked = 0;
  let key = 1;
  const listener: typeof file.listener = (request, response) => {
    const url = new URL(request.url ?? '', 'http://a');
    if (url.pathname === '/scan') {
      asked++;
      response.writeHead(302, { location: `/store?key=${key}` }).end();
    } else if (url.searchParams.get('key') === String(key)) file.listener(request, response);
    else response.writeHead(403).end();
  };
  await served(listener, async (address) => {
    file.headers = { 'content-disposition': 'attachment; filename="brain.nii"' };
    const source = await openAddressFile(`${address}/scan`, quick);
    expect(source.name).toBe('brain.nii');
    await source.read(blockBytes, 1);
    expect(asked).toBe(1);
    key = 2;
    expect(await source.read(5 * blockBytes, 4)).toEqual(data.slice(5 * blockBytes, 5 * blockBytes + 4));
    expect(asked).toBe(2);
  });
});

test('a cancel ends its requests, and leaves those that others wait for', async () => {
  await withServed(async (file, address) => {
    const source = await openAddressFile(address, quick);
    let closed = 0;
    let answer: (() => void) | undefined;
    file.before = (request, response, count) => {
      response.on('close', () => closed++);
      if (count === 2) return true;
      answer = () => {
        file.before = () => false;
        file.listener(request, response);
      };
      return true;
    };
    const first = new AbortController();
    const alone = faultOf(source.read(blockBytes, 1, { signal: first.signal }));
    await expect.poll(() => file.seen.length).toBe(2);
    first.abort();
    expect((await alone)?.tag).toBe('aborted');
    await expect.poll(() => closed).toBe(1);

    const second = new AbortController();
    const left = faultOf(source.read(5 * blockBytes, 1, { signal: second.signal }));
    const staying = source.read(5 * blockBytes, 4);
    await expect.poll(() => answer).toBeDefined();
    second.abort();
    expect((await left)?.tag).toBe('aborted');
    answer?.();
    expect(await staying).toEqual(data.slice(5 * blockBytes, 5 * blockBytes + 4));
  });
});

test('files beside an address: those that are there', async () => {
  const file = new ServedFile(data);
  await served(
    (request, response) => {
      if (request.url === '/d/scan.img?key=1') file.listener(request, response);
      else response.writeHead(request.url?.startsWith('/d/other') ? 403 : 404).end();
    },
    async (address) => {
      const find = siblingsOfAddress(`${address}/d/scan.hdr?key=1`, quick);
      expect((await find('scan.img'))?.size).toBe(data.byteLength);
      for (const name of ['scan.raw', 'other.img', '..', '', '../scan.img', 'a\\b']) expect(await find(name)).toBeUndefined();
    },
  );
});
