import { type ByteSource, memorySource, type ReadOptions } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { nameOfAddress, shownBytes } from './address.ts';
import { type AnswerFacts, contentRange, isCoded, isSameVersion, nameInAnswer, versionHeaders, versionOf } from './answers.ts';
import { BlockReader } from './block-reader.ts';
import { AddressFault, type RemoteFile, type RemoteOptions } from './remote-options.ts';
import { type AnswerBody, RemoteRequests } from './remote-requests.ts';

export const blockBytes = 128 * 1024;
const cacheBytes = 32 * 2 ** 20;
const wholeLimit = 512 * 2 ** 20;
/** Files of a tree, such as the chunks of a Zarr, are fetched with one request up to this length. */
const treeWholeBytes = 32 * 2 ** 20;

/**
 * Opens the file at an address. Its first bytes, its length and its version are read; the rest by ranges when it is wanted. A
 * server that sends no ranges sends the file whole, up to a limit.
 * @throws StriaError `not-readable` (an `AddressFault`), `aborted`
 */
export async function openRemoteFile(url: URL, options: RemoteOptions = {}): Promise<RemoteFile> {
  const requests = new RemoteRequests(url, options);
  const headers = { range: `bytes=0-${blockBytes - 1}`, 'accept-encoding': 'identity' };
  const first = await requests.ask({ headers }, async (response, body) => {
    const name = nameInAnswer(response.headers, nameOfAddress(url));
    refuseOthers(url, response, name, [200, 206, 416]);
    if (response.status === 200) return wholeFile(name, response, await readWhole(url, response, body, options));
    if (response.status === 416)
      return contentRange(response.headers)?.size === 0 ? wholeFile(name, response, new Uint8Array(0)) : name;
    if (isCoded(response.headers)) return name;
    const range = contentRange(response.headers);
    if (range !== undefined && range.first !== 0) throw new AddressFault(url, 'other', wrongPart);
    const head = await body.read(blockBytes, range && range.last + 1);
    return { name, size: range?.size, head, version: versionOf(response.headers) };
  });
  if (typeof first === 'string') return fetchWhole(url, requests, first, options);
  if ('read' in first) return first;
  const { head } = first;
  if (first.size !== undefined && head.byteLength < Math.min(first.size, blockBytes)) {
    throw new AddressFault(
      url,
      'other',
      `the server's first part has ${head.byteLength} bytes, too few for a file of ${first.size}`,
    );
  }
  const size = first.size ?? (head.byteLength < blockBytes ? head.byteLength : await askSize(url, requests));
  return rangeSource(url, requests, { ...first, size }, options, head);
}

/**
 * The file at an address below another one; undefined if there is none. Short files come with one request.
 * @throws StriaError `not-readable`, `aborted`
 */
export async function findRemoteFile(url: URL, options: RemoteOptions, signal = options.signal): Promise<ByteSource | undefined> {
  const requests = new RemoteRequests(url, options);
  const name = nameOfAddress(url);
  const take = async (response: Response, body: AnswerBody): Promise<ByteSource | undefined> => {
    if (response.status === 404 || response.status === 410) return undefined;
    refuseOthers(url, response, name, [200]);
    const length = lengthOf(response.headers);
    if (length === undefined || length <= treeWholeBytes)
      return memorySource(name, await readWhole(url, response, body, options));
    return rangeSource(url, requests, { name, size: length, version: versionOf(response.headers) }, options);
  };
  return requests.ask({}, take, signal);
}

/** What is known of a file from an earlier answer of its server. */
export interface KnownFile extends AnswerFacts {
  readonly size: number;
  /** The file's first bytes: all of them, or a block. */
  readonly head: Uint8Array<ArrayBuffer>;
}

/** A file that `openRemoteFile` opened before, perhaps in another thread. Requests nothing until it is read. */
export function knownRemoteFile(url: URL, known: KnownFile, options: RemoteOptions = {}): RemoteFile {
  return rangeSource(url, new RemoteRequests(url, options), known, options, known.head);
}

/** A file whose parts are read when they are wanted. */
function rangeSource(
  url: URL,
  requests: RemoteRequests,
  { name, size, version }: AnswerFacts & { readonly size: number },
  options: RemoteOptions,
  head?: Uint8Array<ArrayBuffer>,
): RemoteFile {
  const mayCondition = options.sendsConditions?.(url) ?? true;
  const conditions = mayCondition ? versionHeaders(version) : {};
  const changed = () => new AddressFault(url, 'changed', 'the file changed on the server while it was read; open it again');
  const blocks = new BlockReader(
    async (first, count, signal) => {
      const start = first * blockBytes;
      const end = Math.min(size, start + count * blockBytes);
      const headers = { range: `bytes=${start}-${end - 1}`, 'accept-encoding': 'identity', ...conditions };
      const bytes = await requests.ask(
        { headers },
        async (response, body) => {
          if (response.status === 412 || response.status === 416) throw changed();
          refuseOthers(url, response, name, [200, 206]);
          if (!isSameVersion(version, versionOf(response.headers))) throw changed();
          if (response.status === 200)
            throw new AddressFault(url, 'other', 'the server does not send parts of long files; download it first');
          const range = contentRange(response.headers);
          if (range?.size !== undefined && range.size !== size) throw changed();
          if (range !== undefined && (range.first !== start || range.last > end - 1))
            throw new AddressFault(url, 'other', wrongPart);
          if (isCoded(response.headers))
            throw new AddressFault(url, 'other', 'the server compresses parts of the file; download it first');
          return body.read(end - start, end - start);
        },
        signal,
      );
      return Array.from({ length: count }, (_, at) => bytes.slice(at * blockBytes, (at + 1) * blockBytes));
    },
    Math.max(8, Math.floor((options.cacheBytes ?? cacheBytes) / blockBytes)),
  );
  if (head) blocks.keep(0, head.slice(0, blockBytes));
  return {
    name,
    size,
    isWhole: false,
    version,
    async read(offset: number, length: number, { signal = options.signal, into }: ReadOptions = {}) {
      throwIfAborted(signal);
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = into ? new Uint8Array(into, 0, wanted) : allocate(url, wanted);
      if (wanted === 0) return bytes;
      const first = Math.floor(offset / blockBytes);
      const parts = await blocks.read(first, Math.floor((offset + wanted - 1) / blockBytes), signal);
      for (const [at, part] of parts.entries()) {
        const start = (first + at) * blockBytes - offset;
        const from = Math.max(0, -start);
        bytes.set(part.subarray(from, Math.min(part.byteLength, wanted - start)), start + from);
      }
      return bytes;
    },
  };
}

const wrongPart = 'the server sent another part of the file than the one that was asked for';

async function askSize(url: URL, requests: RemoteRequests): Promise<number> {
  const size = await requests.ask({ method: 'HEAD', headers: { 'accept-encoding': 'identity' } }, async (response) =>
    response.ok ? lengthOf(response.headers) : undefined,
  );
  if (size !== undefined) return size;
  throw new AddressFault(
    url,
    'other',
    'the server does not say how long the file is; a server that is read from web pages must expose Content-Range and Content-Length',
  );
}

function fetchWhole(url: URL, requests: RemoteRequests, name: string, options: RemoteOptions): Promise<RemoteFile> {
  return requests.ask({}, async (response, body) => {
    refuseOthers(url, response, name, [200]);
    return wholeFile(name, response, await readWhole(url, response, body, options));
  });
}

function wholeFile(name: string, { headers }: Response, bytes: Uint8Array): RemoteFile {
  return { ...memorySource(name, bytes), isWhole: true, version: versionOf(headers) };
}

/** The body of an answer with the whole file. */
async function readWhole(
  url: URL,
  response: Response,
  body: AnswerBody,
  options: RemoteOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const limit = options.wholeLimit ?? wholeLimit;
  const length = lengthOf(response.headers);
  if (length !== undefined && length > limit) {
    throw new AddressFault(
      url,
      'other',
      `the server sends this file of ${shownBytes(length)} only as a whole, and Stria reads at most ${shownBytes(limit)} so; download it first`,
    );
  }
  const tooLong = new AddressFault(
    url,
    'other',
    `the server sends this file only as a whole, and it is longer than ${shownBytes(limit)}; download it first`,
  );
  return body.read(length ?? limit, length, length === undefined ? tooLong : undefined);
}

/** The length of the file, from an answer that is not compressed for the way. */
function lengthOf(headers: Headers): number | undefined {
  const text = headers.get('content-length');
  if (text === null || !/^\d+$/.test(text) || isCoded(headers)) return undefined;
  return Number(text);
}

/** @throws AddressFault for a status that is not among `good`, and for a page of text in place of a file */
function refuseOthers(url: URL, response: Response, name: string, good: readonly number[]): void {
  const { status, headers } = response;
  if (good.includes(status)) {
    if (/^text\/html\b/i.test(headers.get('content-type') ?? '') && !/\.html?$/i.test(name)) {
      throw new AddressFault(
        url,
        'page',
        'this is a web page, not a file: it may ask to log in, or link to the file; open the address of the file itself',
      );
    }
    return;
  }
  if (status === 401 || status === 403) {
    throw new AddressFault(
      url,
      'forbidden',
      `the server does not allow it to be read (${status}); it may need a login, or a new link`,
    );
  }
  if (status === 404 || status === 410) {
    throw new AddressFault(
      url,
      'missing',
      `there is nothing at this address (${status}): it may be mistyped, or the file has moved`,
    );
  }
  throw new AddressFault(url, 'other', `the server answered ${status}`);
}

function allocate(url: URL, byteLength: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(byteLength);
  } catch (error) {
    throw new StriaError('out-of-memory', `${nameOfAddress(url)}: not enough memory for ${byteLength} bytes at once`, {
      cause: error,
    });
  }
}
