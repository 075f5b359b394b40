import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseRange } from '../../node/byte-range.ts';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  webmanifest: 'application/manifest+json',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  wasm: 'application/wasm',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
};

/** The real path of a file below a folder. Undefined if it is missing, or if a link leads out of the folder. */
export async function pathInside(root: string, names: readonly string[]): Promise<string | undefined> {
  const target = await realpath(join(root, ...names)).catch(() => undefined);
  return target === root || target?.startsWith(root.endsWith(sep) ? root : root + sep) ? target : undefined;
}

/** @param asApp the app's files get media types, so that browsers run them; files of the folder are served as plain data */
export interface FileAnswerOptions {
  readonly asApp: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers GET and HEAD for a file below a folder: the whole file, a range of it, or "not modified".
 * @returns false if there is no such file; then nothing was sent
 */
export async function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  names: readonly string[],
  { asApp, headers }: FileAnswerOptions,
): Promise<boolean> {
  const path = await pathInside(root, names);
  if (path === undefined) return false;
  const handle = await openInside(path);
  if (handle === undefined) return false;
  try {
    const { size, ino, mtimeNs, mtime } = await handle.stat({ bigint: true });
    const length = Number(size);
    const etag = `"${ino.toString(36)}-${size.toString(36)}-${mtimeNs.toString(36)}"`;
    const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
    const all = {
      ...headers,
      etag,
      'last-modified': mtime.toUTCString(),
      'accept-ranges': 'bytes',
      'content-type': (asApp && types[ending]) || 'application/octet-stream',
    };
    const status = conditionOf(request, etag, mtime);
    if (status !== 200) {
      response.writeHead(status, all).end();
      return true;
    }
    // A client cannot use a range of a version other than the one it knows.
    const ifRange = request.headers['if-range'];
    const isKnown = ifRange === undefined || ifRange === etag || ifRange === mtime.toUTCString();
    const range = parseRange(isKnown && request.method === 'GET' ? (request.headers.range ?? null) : null, length);
    if (range === 'unsatisfiable') {
      response.writeHead(416, { ...all, 'content-range': `bytes */${length}` }).end();
      return true;
    }
    const { start, end } = range === 'whole' ? { start: 0, end: length - 1 } : range;
    response.writeHead(range === 'whole' ? 200 : 206, {
      ...all,
      'content-length': end - start + 1,
      ...(range === 'whole' ? {} : { 'content-range': `bytes ${start}-${end}/${length}` }),
    });
    if (request.method === 'HEAD' || end < start) response.end();
    else await send(handle, start, end, response);
    return true;
  } finally {
    await handle.close();
  }
}

/** Sends a range. If the client leaves or the file has become shorter, the connection ends early. */
async function send(handle: FileHandle, start: number, end: number, response: ServerResponse): Promise<void> {
  const stream = handle.createReadStream({ start, end, autoClose: false });
  try {
    await pipeline(stream, response, { end: false });
    if (stream.bytesRead === end - start + 1) response.end();
    else response.destroy();
  } catch {
    response.destroy();
  }
}

/** Opens a file by its real path, unless it has been replaced since. */
async function openInside(path: string): Promise<FileHandle | undefined> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)).catch(
    () => undefined,
  );
  if (handle === undefined) return undefined;
  const [facts, before] = await Promise.all([
    handle.stat({ bigint: true }),
    lstat(path, { bigint: true }).catch(() => undefined),
  ]);
  if (facts.isFile() && before?.ino === facts.ino && before.dev === facts.dev) return handle;
  await handle.close();
  return undefined;
}

/** RFC 9110, section 13.2.2. */
function conditionOf({ headers }: IncomingMessage, etag: string, modified: Date): 200 | 304 | 412 {
  const seconds = Math.floor(modified.getTime() / 1000);
  const lists = (field: string) => field.split(',').some((tag) => tag.trim() === etag || tag.trim() === '*');
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!lists(ifMatch)) return 412;
  } else if (isBefore(headers['if-unmodified-since'], seconds)) return 412;
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) return lists(ifNoneMatch.replaceAll('W/', '')) ? 304 : 200;
  const since = headers['if-modified-since'];
  return since !== undefined && !Number.isNaN(Date.parse(since)) && !isBefore(since, seconds) ? 304 : 200;
}

function isBefore(date: string | undefined, seconds: number): boolean {
  return date !== undefined && Date.parse(date) / 1000 < seconds;
}
