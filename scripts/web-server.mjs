// Serves the built renderer on loopback, with the headers of the web app.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import { webPolicy } from './web-hosts.mjs';

const rendererFolder = fileURLToPath(new URL('../out/renderer', import.meta.url));
const policyFile = new URL('../resources/content-security-policy.json', import.meta.url);

/** Whether a `Range` header, if present, names bytes that a file could have. */
function isRange(header) {
  if (header === undefined) return true;
  const ranges = /^bytes=(.+)$/.exec(header)?.[1]?.split(',') ?? [];
  const isSound = (range) => {
    const [, first = '', last = ''] = /^\s*(\d*)-(\d*)\s*$/.exec(range) ?? [];
    return first === '' ? last !== '' : last === '' || BigInt(first) <= BigInt(last);
  };
  return ranges.length > 0 && ranges.every(isSound);
}

/**
 * Serves until `close` is called. Port 0 selects a free one.
 * @param {{ port: number }} options
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serveRenderer({ port }) {
  if (!existsSync(join(rendererFolder, 'index.html'))) throw new Error('There is no build yet: run `npm run build` first');
  const policy = webPolicy(JSON.parse(readFileSync(policyFile, 'utf8')));
  const serveFile = sirv(rendererFolder, {
    etag: true,
    setHeaders: (response) => {
      response.setHeader('content-security-policy', policy);
      response.setHeader('x-content-type-options', 'nosniff');
      response.setHeader('referrer-policy', 'no-referrer');
      response.setHeader('cross-origin-opener-policy', 'same-origin');
      response.setHeader('cache-control', 'no-cache');
    },
  });
  const server = createServer((request, response) => {
    // Another site can point a host name of its own at 127.0.0.1; its requests would carry that name.
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')) {
      response.writeHead(403).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    if (!isRange(request.headers.range)) {
      response.writeHead(416).end();
      return;
    }
    // Every range request gets the whole file, as HTTP allows, because sirv would pass unchecked numbers when it opens the
    // file.
    delete request.headers.range;
    // Reading a file that a new build has removed fails.
    response.on('pipe', (file) => file.on('error', () => response.destroy()));
    try {
      serveFile(request, response, () => response.writeHead(404).end());
    } catch {
      response.destroy();
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
