import { type FileHandle, open } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import contentSecurityPolicy from '../../resources/content-security-policy.json';
import type { FileTree } from '../core/io/common/file-tree.ts';
import { parseRange } from '../node/byte-range.ts';
import { errorCode } from '../node/system-faults.ts';
import { appScheme, isAppUrl } from './app-origin.ts';
import { refusal, serveFolder } from './folder-files.ts';
import type { FileOnDisk } from './opened-files.ts';

/** The number of bytes of a file that are in memory at a time while it is streamed. */
const pieceBytes = 1024 * 1024;

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': Object.entries(contentSecurityPolicy)
    .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
    .join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

export interface ProtocolOptions {
  /** The folder of the built renderer. Everything below it is served. */
  readonly root: string;
  readonly findFile: (id: string) => FileOnDisk | undefined;
  readonly findFolder: (id: string) => FileTree | undefined;
  /** Relays a request to a web address, if its host was allowed. */
  readonly relay?: ((request: Request, address: string) => Promise<Response>) | undefined;
  /** In development the page comes from this server's origin and reads files across origins. */
  readonly devServer?: string | undefined;
}

/**
 * Answers requests for `app://stria/…`: the renderer's own files, and under `/file/<id>` the files that main has opened, by range,
 * and under `/address` what lies at web addresses of allowed hosts. Nothing else is reachable, whatever the path.
 */
export function createProtocol({
  root,
  findFile,
  findFolder,
  relay,
  devServer,
}: ProtocolOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    if (url.protocol !== `${appScheme}:` || !isAppUrl(request.url, undefined)) return refusal(404);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405);
    const id = /^\/file\/([0-9a-f-]{36})$/.exec(url.pathname)?.[1];
    const [, folderId, inner] = /^\/folder\/([0-9a-f-]{36})(?:\/(.+))?$/.exec(url.pathname) ?? [];
    const address = url.pathname === '/address' ? (url.searchParams.get('url') ?? undefined) : undefined;
    if (id === undefined && folderId === undefined && !(relay && address)) return servePage(root, url.pathname, request.method);
    const file = findFile(id ?? '');
    const folder = findFolder(folderId ?? '');
    const response =
      relay && address !== undefined
        ? await relay(request, address)
        : folder
          ? await serveFolder(folder, inner, request)
          : file === undefined
            ? refusal(404)
            : await serveFile(file, request);
    if (devServer !== undefined) {
      response.headers.set('access-control-allow-origin', new URL(devServer).origin);
      response.headers.set('access-control-expose-headers', 'content-encoding, content-range, etag, last-modified, retry-after');
    }
    return response;
  };
}

async function servePage(root: string, pathname: string, method: string): Promise<Response> {
  const path = pagePath(root, pathname);
  if (path === undefined) return refusal(404);
  const handle = await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return refusal(404);
  const facts = await handle.stat();
  if (!facts.isFile()) {
    await handle.close();
    return refusal(404);
  }
  const headers = new Headers(pageHeaders);
  headers.set('content-type', mediaTypes[extname(path)] ?? 'application/octet-stream');
  headers.set('content-length', String(facts.size));
  return bodyOf(method, handle, 0, facts.size, { headers });
}

/** The file that a URL's path names under the root, or undefined if it leaves the root. */
export function pagePath(root: string, pathname: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  if (/[\\\0:]/.test(decoded)) return undefined;
  const path = resolve(join(root, decoded === '/' ? 'index.html' : decoded));
  return path.startsWith(resolve(root) + sep) ? path : undefined;
}

/** Responds with 206 and the requested range; with 409 if the file has changed since it was opened. */
async function serveFile(file: FileOnDisk, request: Request): Promise<Response> {
  const range = parseRange(request.headers.get('range'), file.size);
  if (range === 'unsatisfiable') return refusal(416, { 'content-range': `bytes */${file.size}` });
  const { start, end } = range === 'whole' ? { start: 0, end: file.size - 1 } : range;
  const headers = new Headers({
    'content-type': 'application/octet-stream',
    'content-length': String(end - start + 1),
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  if (range !== 'whole') headers.set('content-range', `bytes ${start}-${end}/${file.size}`);
  const status = range === 'whole' ? 200 : 206;
  let handle: FileHandle;
  try {
    handle = await open(file.path, 'r');
  } catch (error) {
    return refusal(['EACCES', 'EPERM'].includes(errorCode(error) ?? '') ? 403 : 404);
  }
  const facts = await handle.stat();
  const unchanged = facts.isFile() && facts.size === file.size && facts.mtimeMs === file.modifiedMs;
  if (!unchanged) {
    await handle.close();
    return refusal(409);
  }
  return bodyOf(request.method, handle, start, end + 1, { status, headers });
}

/** A response with the bytes from `start` to before `end`, or without a body for HEAD and empty ranges. It owns the handle. */
async function bodyOf(method: string, handle: FileHandle, start: number, end: number, init: ResponseInit): Promise<Response> {
  if (method !== 'HEAD' && start < end) return new Response(streamOf(handle, start, end), init);
  await handle.close();
  return new Response(null, init);
}

/**
 * The bytes from `start` to before `end`, read piece by piece on demand. The stream owns the handle, and closes it at the end,
 * on an error, or when the reader cancels.
 */
function streamOf(handle: FileHandle, start: number, end: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let position = start;
  return new ReadableStream({
    async pull(controller) {
      try {
        const piece = new Uint8Array(Math.min(pieceBytes, end - position));
        const { bytesRead } = await handle.read(piece, 0, piece.byteLength, position);
        if (bytesRead === 0) throw new Error('the file was truncated while it was read');
        controller.enqueue(piece.subarray(0, bytesRead));
        position += bytesRead;
        if (position < end) return;
        await handle.close();
        controller.close();
      } catch (error) {
        await handle.close().catch(() => undefined);
        controller.error(error);
      }
    },
    cancel: () => handle.close(),
  });
}
