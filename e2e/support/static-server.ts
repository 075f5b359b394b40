import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sirv from 'sirv';

export interface StaticServer {
  /** The address of the folder, with a final `/`. */
  readonly url: string;
  /** The number of requests that wait for `unanswered`. */
  waiting(): number;
  close(): void;
}

/** Below the folder: a file that the host never sends. */
export const unanswered = '/assets/unanswered.js';

/**
 * Serves a folder below a path, like any static file host. Changed files are served at once.
 * @param port 0 selects a free port
 */
export async function serveStatic(
  folder: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  port = 0,
): Promise<StaticServer> {
  const serveFile = sirv(folder, {
    dev: true,
    setHeaders: (response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    },
  });
  let waiting = 0;
  const server = createServer((request, response) => {
    if (request.url === '/elsewhere') {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>elsewhere</title>');
      return;
    }
    if (!request.url?.startsWith(path)) {
      response.writeHead(404).end();
      return;
    }
    request.url = request.url.slice(path.length - 1);
    if (request.url === unanswered) {
      waiting++;
      return;
    }
    serveFile(request, response, () => void response.writeHead(404).end());
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    waiting: () => waiting,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
