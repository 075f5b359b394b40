import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isLoopbackName, shownAddress, urlOfAddress } from '../core/remote/address.ts';
import { StriaError } from '../core/shared/errors.ts';

/** The statuses of main's own answers, which no server sends. renderer/host/address-files.ts turns them into faults. */
const status = { unreachable: 598, refused: 599 };

/** The only headers that are relayed between a page and a server. Cookies and credentials are neither kept nor sent. */
const requestHeaders = ['range', 'if-match', 'if-unmodified-since'] as const;
const responseHeaders = [
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'retry-after',
] as const;

const mostRedirects = 5;
const silenceMs = 60_000;

/** Asks the user whether to connect. @param isPrivate whether the host is this computer or in the local network */
export type AskToConnect = (host: string, isPrivate: boolean) => Promise<boolean>;

/** The hosts of web addresses that the user opened. Relays the page's requests to them. */
export class WebAddresses {
  /** The allowed hosts by origin. `mayBePrivate`: the user agreed to a host in the local network. */
  readonly #allowed = new Map<string, { readonly mayBePrivate: boolean }>();
  readonly #lookup: typeof systemLookup;

  /** @param lookup resolves a host name to IP addresses */
  constructor(lookup: typeof systemLookup = systemLookup) {
    this.#lookup = lookup;
  }

  /** Lets the page read from a host, if the user agrees. @throws StriaError `invalid-input`, `not-readable` if the user refuses */
  async allow(address: string, ask: AskToConnect): Promise<void> {
    const url = urlOfAddress(address);
    const known = this.#allowed.get(url.origin);
    if (known?.mayBePrivate) return;
    const isPrivate = await this.#isPrivate(url.hostname);
    if (known && !isPrivate) return;
    if (!(await ask(url.host, isPrivate))) {
      throw new StriaError('not-readable', `${shownAddress(url)} was not opened: you chose not to connect to ${url.host}`);
    }
    this.#allowed.set(url.origin, { mayBePrivate: isPrivate });
  }

  /**
   * Lets the page read from a host that the user agreed to before. A name that now resolves to the local network may have been
   * public then, so `allow` asks about it again.
   */
  trust(address: string): void {
    const { origin, hostname } = urlOfAddress(address);
    const host = bareHost(hostname);
    const mayBePrivate = isLoopbackName(hostname) || (isIP(host) !== 0 && isPrivateAddress(host));
    if (mayBePrivate || !this.#allowed.has(origin)) this.#allowed.set(origin, { mayBePrivate });
  }

  isAllowed(address: string): boolean {
    return this.#allowed.has(urlOfAddress(address).origin);
  }

  /** Forwards the page's request to the server at an address, and returns its answer. Follows redirects. */
  async relay(request: Request, address: string): Promise<Response> {
    try {
      const first = urlOfAddress(address);
      if (!this.#allowed.has(first.origin)) return refused(`${shownAddress(first)}: open it with Open URL… first`);
      let url = first;
      for (let hop = 0; hop <= mostRedirects; hop++) {
        const answer = await this.#send(url, request);
        const { location } = answer.headers;
        if (location === undefined || ![301, 302, 303, 307, 308].includes(answer.statusCode ?? 0))
          return responseOf(answer, request);
        answer.destroy();
        if (!URL.canParse(location, url.href))
          return refused(`${shownAddress(first)}: the server redirects to an unreadable address`);
        const next = urlOfAddress(new URL(location, url).href);
        if (url.protocol === 'https:' && next.protocol !== 'https:') {
          return refused(`${shownAddress(first)}: it leads to an address without encryption, ${next.host}, which was not read`);
        }
        url = next;
      }
      return refused(`${shownAddress(first)}: the server redirects too often`);
    } catch (error) {
      if (error instanceof StriaError) return refused(error.message);
      const message = error instanceof Error ? error.message : String(error);
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      return Response.json({ message, code }, { status: status.unreachable });
    }
  }

  /** Sends a request. Connects only to public IP addresses, unless the user agreed to private ones. The check is on the used address. */
  #send(url: URL, { method, headers, signal }: Request): Promise<IncomingMessage> {
    const mayBePrivate = this.#allowed.get(url.origin)?.mayBePrivate === true;
    const host = bareHost(url.hostname);
    if (!mayBePrivate && isIP(host) !== 0 && isPrivateAddress(host)) throw ownNetwork(url);
    const sent: Record<string, string> = { 'accept-encoding': 'identity', 'user-agent': 'Stria' };
    for (const name of requestHeaders) {
      const value = headers.get(name);
      if (value !== null) sent[name] = value;
    }
    const lookup: LookupFunction = (name, options, done) => {
      this.#lookup(name, { ...options, all: true }, (error, found: LookupAddress[]) => {
        const usable = mayBePrivate ? found : found?.filter(({ address }) => !isPrivateAddress(address));
        const [one] = usable ?? [];
        if (error) done(error, '', 0);
        else if (one === undefined) done(ownNetwork(url), '', 0);
        else if (options.all) done(null, usable as LookupAddress[]);
        else done(null, one.address, one.family);
      });
    };
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const made: ClientRequest = send(url, { method, headers: sent, signal, lookup, timeout: silenceMs }, resolve);
      made.on('timeout', () => made.destroy(new Error(`the server sent nothing for ${silenceMs / 1000} seconds`)));
      made.on('error', reject).end();
    });
  }

  #isPrivate(hostname: string): Promise<boolean> {
    const host = bareHost(hostname);
    if (isIP(host) !== 0) return Promise.resolve(isPrivateAddress(host));
    return new Promise((resolve) => {
      this.#lookup(host, { all: true }, (error, found: LookupAddress[]) => {
        resolve(!error && found.some(({ address }) => isPrivateAddress(address)));
      });
    });
  }
}

const privateRanges = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateRanges.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  privateRanges.addSubnet(network, bits, 'ipv6');
}

/** Whether an IP address belongs to this computer, the local network, or no public host. */
export function isPrivateAddress(address: string): boolean {
  // BlockList also finds an IPv4 address in its IPv6 form.
  return privateRanges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function ownNetwork(url: URL): StriaError {
  return new StriaError(
    'not-readable',
    `${shownAddress(url)} leads to this computer or its own network, which was not read. If that is meant, open that address itself`,
  );
}

function refused(message: string): Response {
  return new Response(message, { status: status.refused });
}

function responseOf(answer: IncomingMessage, { method }: Request): Response {
  const code = answer.statusCode ?? 0;
  const headers = new Headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  for (const name of responseHeaders) {
    const value = answer.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  // Data only: nothing from a server may run, even if it were opened as a page.
  headers.set('content-security-policy', "default-src 'none'; sandbox");
  if (method === 'HEAD' || code === 204 || code === 304) {
    answer.resume();
    return new Response(null, { status: code, headers });
  }
  const coding = answer.headers['content-encoding'];
  const decoder = code === 200 && coding !== undefined ? decoderOf(coding) : undefined;
  if (decoder) for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  const body = decoder ? answer.on('error', (error) => decoder.destroy(error)).pipe(decoder) : answer;
  return new Response(Readable.toWeb(body) as ReadableStream, { status: code, headers });
}

function decoderOf(coding: string) {
  switch (coding.trim().toLowerCase()) {
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
