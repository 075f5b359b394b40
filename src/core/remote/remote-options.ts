import type { ByteSource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { shownAddress } from './address.ts';
import type { FileVersion } from './answers.ts';

/** How a host reaches web addresses. */
export interface RemoteAccess {
  /** The global `fetch` by default. */
  readonly fetch?: ((url: URL, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Whether a request may say which version of a file it wants (`If-Match`). By default yes. A page may not on other origins:
   * their servers would have to allow it. A changed file is then noticed by its answer alone.
   */
  readonly sendsConditions?: ((url: URL) => boolean) | undefined;
  /** What a request without any answer may mean here; undefined if the error itself says enough. */
  readonly explain?: ((url: URL) => string | undefined) | undefined;
}

export interface RemoteOptions extends RemoteAccess {
  readonly signal?: AbortSignal | undefined;
  /** The first pause before a request is repeated; it doubles each time. */
  readonly retryMs?: number | undefined;
  /** A request that brings no byte for so long is repeated. */
  readonly stallMs?: number | undefined;
  /** Memory for parts of a file that may be wanted again. */
  readonly cacheBytes?: number | undefined;
  /** A file that the server sends only as a whole is read if it is at most this long. */
  readonly wholeLimit?: number | undefined;
}

/** A file at a web address. */
export interface RemoteFile extends ByteSource {
  /** All of it is in memory already. */
  readonly isWhole: boolean;
  readonly version: FileVersion;
}

/** What kept a file from being read. The caller may look elsewhere for a file that is `missing`, or behind a `page`. */
export type AddressFaultKind = 'missing' | 'forbidden' | 'page' | 'changed' | 'other';

/** A fault of a server or its answer. The message begins with the address. */
export class AddressFault extends StriaError {
  readonly kind: AddressFaultKind;

  constructor(url: URL, kind: AddressFaultKind, words: string, cause?: unknown) {
    super('not-readable', `${shownAddress(url)}: ${words}`, cause === undefined ? {} : { cause });
    this.kind = kind;
  }
}
