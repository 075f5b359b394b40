import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Runs `work` with the address of a server. */
export async function served(listener: RequestListener, work: (address: string) => Promise<void>): Promise<void> {
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

/** A request as tests look at it. */
export interface Seen {
  readonly method: string | undefined;
  readonly range: string | undefined;
  readonly ifMatch: string | undefined;
}

/** A file on a server that answers ranges. Tests change its fields between requests. */
export class ServedFile {
  bytes: Uint8Array;
  etag = '"1"';
  /** Header fields added to each answer; undefined removes one. */
  headers: Record<string, string | undefined> = {};
  /** Answers in place of the usual way; returns whether it did. */
  before: (request: IncomingMessage, response: ServerResponse, count: number) => boolean = () => false;
  readonly seen: Seen[] = [];

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  readonly listener: RequestListener = (request, response) => {
    const { method, headers } = request;
    this.seen.push({ method, range: headers.range, ifMatch: headers['if-match'] });
    if (this.before(request, response, this.seen.length)) return;
    const ifMatch = headers['if-match'];
    if (ifMatch !== undefined && ifMatch !== this.etag) {
      response.writeHead(412).end();
      return;
    }
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
    const start = Number(first ?? 0);
    const end = Math.min(this.bytes.byteLength, last === undefined ? this.bytes.byteLength : Number(last) + 1);
    const usual = {
      etag: this.etag,
      'content-length': String(end - start),
      ...(first === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${this.bytes.byteLength}` }),
    };
    const all = Object.entries({ ...usual, ...this.headers }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    response.writeHead(first === undefined ? 200 : 206, Object.fromEntries(all));
    response.end(method === 'HEAD' ? undefined : this.bytes.subarray(start, end));
  };
}
