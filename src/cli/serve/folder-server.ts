import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StriaError } from '../../core/shared/errors.ts';
import { errorCode } from '../../node/system-faults.ts';
import { answerFile } from './file-answer.ts';
import { listFolder } from './folder-listing.ts';
import { folderPage, pagePolicy } from './folder-page.ts';
import { isLoopback, isLoopbackHost, isSameToken, namesInPath } from './request-path.ts';

const usualPort = 8437;
const mostConnections = 512;

/** Sent with every answer: no other site may read, embed or open what is served. */
const commonHeaders = {
  'cache-control': 'private, no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export interface FolderServerOptions {
  /** The real path of the served folder. */
  readonly root: string;
  readonly host: string;
  /** Undefined: the default port, or a free one if that is taken. */
  readonly port: number | undefined;
  /** The folder of the web app; undefined if it is not installed. */
  readonly app?: string | undefined;
}

export interface FolderServer {
  /** The page's addresses, with the token; for a host that stands for all interfaces, one address per interface. */
  readonly addresses: readonly string[];
  readonly hasApp: boolean;
  close(): Promise<void>;
}

/**
 * Serves a folder until it is closed. Off loopback, all addresses begin with a random token. GET and HEAD only.
 * @throws StriaError `invalid-input` if the port or host cannot be used
 */
export async function startFolderServer({ root, host, port, app }: FolderServerOptions): Promise<FolderServer> {
  const token = isLoopback(host) ? undefined : randomBytes(24).toString('base64url');
  const appHeaders = app === undefined ? undefined : await headersOfApp(app);
  const site: Site = { root, token, app: appHeaders && app ? { folder: app, headers: appHeaders } : undefined };
  const server = createServer(
    { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000 },
    (request, response) => {
      answer(site, request, response).catch(() => {
        if (response.headersSent) response.destroy();
        else refuse(response, 500);
      });
    },
  );
  server.maxConnections = mostConnections;
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
  await listen(server, host, port);
  const { port: used } = server.address() as AddressInfo;
  const path = token === undefined ? '/' : `/${token}/`;
  return {
    addresses: hostsOf(host).map((name) => `http://${name}:${used}${path}`),
    hasApp: site.app !== undefined,
    async close() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The web app of this build: out/web, beside the bundle's folder. */
export function builtWebApp(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  // The bundle may be split, so this file may be one folder deeper; from source it is in src/cli/serve.
  const out =
    basename(here) === 'chunks' ? join(here, '../..') : basename(here) === 'main' ? join(here, '..') : join(here, '../../../out');
  return join(out, 'web');
}

interface Site {
  readonly root: string;
  readonly token: string | undefined;
  readonly app: { readonly folder: string; readonly headers: Record<string, string> } | undefined;
}

async function answer(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, { allow: 'GET, HEAD' });
  if (site.token === undefined && !isLoopbackHost(request.headers.host)) return refuse(response, 421);
  const all = namesInPath(request.url);
  if (all === undefined) return refuse(response, 404);
  const [given = '', ...rest] = all;
  if (site.token !== undefined && (!isSameToken(given, site.token) || rest.length === 0)) return refuse(response, 404);
  const [kind, ...names] = site.token === undefined ? all : rest;
  if (kind === '') return answerPage(site, request, response, []);
  if (kind === 'folder' && names.length > 0) return answerPage(site, request, response, names);
  if (kind === 'files' && names.length > 0 && names.at(-1) !== '') {
    if (await answerFile(request, response, site.root, names, { asApp: false, headers: commonHeaders })) return;
  }
  if (kind === 'app' && site.app) {
    const { folder, headers } = site.app;
    if (names.length === 0) return redirect(response, 'app/');
    const path = names.join('/');
    if (path === '' || path === 'index.html') return answerAppPage(folder, headers, request, response);
    // A service worker would keep the app at this address after the server has stopped.
    const isWorker = path === 'service-worker.js';
    if (!isWorker && (await answerFile(request, response, folder, names, { asApp: true, headers }))) return;
  }
  refuse(response, 404);
}

/** The app's page without its manifest, so that browsers do not offer to install the app from this address. */
async function answerAppPage(
  folder: string,
  headers: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const html = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  if (html === undefined) return refuse(response, 404);
  sendPage(request, response, html.replace(/<link rel="manifest"[^>]*>/, ''), headers);
}

async function answerPage(
  { root, app }: Site,
  request: IncomingMessage,
  response: ServerResponse,
  path: readonly string[],
): Promise<void> {
  const names = path.at(-1) === '' ? path.slice(0, -1) : path;
  const listing = await listFolder(root, names);
  if (listing === undefined) return refuse(response, 404);
  if (names.length > 0 && names.length === path.length) return redirect(response, `${encodeURIComponent(names.at(-1) ?? '')}/`);
  const page = folderPage({ title: basename(root) || root, names, listing, hasApp: app !== undefined });
  sendPage(request, response, page, { ...commonHeaders, 'content-security-policy': pagePolicy });
}

function sendPage(request: IncomingMessage, response: ServerResponse, html: string, headers: Record<string, string>): void {
  const page = Buffer.from(html);
  response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8', 'content-length': page.byteLength });
  response.end(request.method === 'HEAD' ? undefined : page);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(301, { ...commonHeaders, location }).end();
}

function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...commonHeaders, ...headers, 'content-length': 0 }).end();
}

/** The HTTP headers that the app's build wrote for hosts; undefined if the app is not there. */
async function headersOfApp(app: string): Promise<Record<string, string> | undefined> {
  try {
    const { globalHeaders } = JSON.parse(await readFile(join(app, 'staticwebapp.config.json'), 'utf8'));
    return { ...commonHeaders, ...globalHeaders };
  } catch {
    return undefined;
  }
}

async function listen(server: Server, host: string, port: number | undefined): Promise<void> {
  const attempt = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt(port ?? usualPort).catch((error: unknown) => {
      if (port !== undefined || errorCode(error) !== 'EADDRINUSE') throw error;
      return attempt(0);
    });
  } catch (error) {
    const code = errorCode(error);
    const why =
      code === 'EADDRINUSE'
        ? `port ${port} is in use; choose another with --port`
        : code === 'EACCES'
          ? `port ${port} needs administrator rights; choose one above 1023`
          : `this machine has no address ${host} (${code ?? String(error)})`;
    throw new StriaError('invalid-input', why, { cause: error });
  }
}

/** The names by which clients reach a host. */
function hostsOf(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host.includes(':') ? `[${host}]` : host];
  const found = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, internal }) => !internal && (family === 'IPv4' || (host === '::' && family === 'IPv6')))
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
    .filter((address) => !address.startsWith('[fe80'));
  return found.length > 0 ? found : ['localhost'];
}
