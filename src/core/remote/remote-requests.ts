import { StriaError, toStriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { AddressFault, type RemoteOptions } from './remote-options.ts';

/** Tries of a request, at a server that has answered before and at one that has not. */
const tries = { known: 6, unknown: 3 };
const firstRetryMs = 250;
const longestPauseMs = 60_000;
const stallMs = 30_000;
/** What a server says when the same request may succeed later. */
const passingStatus = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The body of an answer, once. */
export interface AnswerBody {
  /**
   * All bytes of the body.
   * @param most more bytes are a fault: `tooLong`, or one that blames the server
   * @param exactly how many there must be, if known; fewer mean that the connection broke
   */
  read(most: number, exactly?: number, tooLong?: StriaError): Promise<Uint8Array<ArrayBuffer>>;
}

/** A fault that another try may mend. */
class PassingFault extends Error {
  readonly waitMs: number | undefined;

  constructor(words: string, options: { waitMs?: number | undefined; cause?: unknown } = {}) {
    super(words, { cause: options.cause });
    this.waitMs = options.waitMs;
  }
}

/** Requests to one address, repeated after faults that pass. */
export class RemoteRequests {
  readonly url: URL;
  readonly #options: RemoteOptions;
  /** Where the address redirects to: asked directly, until it refuses because it was valid for a while only. */
  #current: URL;
  #hasAnswered = false;

  constructor(url: URL, options: RemoteOptions) {
    this.url = url;
    this.#current = url;
    this.#options = options;
  }

  /**
   * Sends a request until it is answered and its answer is read.
   * @param take reads the answer; called again with each try
   * @throws StriaError `not-readable`, `aborted`
   */
  async ask<T>(
    init: { readonly method?: 'HEAD' | 'GET'; readonly headers?: Record<string, string> },
    take: (response: Response, body: AnswerBody) => Promise<T>,
    signal = this.#options.signal,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(signal);
      try {
        return await this.#once(init, take, signal);
      } catch (error) {
        if (signal?.aborted) throw new StriaError('aborted', 'cancelled', { cause: error });
        if (!(error instanceof PassingFault)) throw error;
        const pause = error.waitMs ?? (this.#options.retryMs ?? firstRetryMs) * 2 ** (attempt - 1) * (1 + Math.random() / 2);
        if (pause > longestPauseMs) {
          throw new AddressFault(
            this.url,
            'other',
            `${error.message} and asks to wait ${Math.ceil(pause / 1000)} seconds; try again then`,
          );
        }
        if (attempt >= (this.#hasAnswered ? tries.known : tries.unknown)) {
          const hint = this.#hasAnswered ? undefined : this.#options.explain?.(this.url);
          throw new AddressFault(this.url, 'other', hint ?? `${error.message}, in ${attempt} tries`, error.cause);
        }
        await sleep(pause, signal);
      }
    }
  }

  async #once<T>(
    init: { readonly method?: 'HEAD' | 'GET'; readonly headers?: Record<string, string> },
    take: (response: Response, body: AnswerBody) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { fetch: reach = fetch } = this.#options;
    const asked = this.#current;
    const watch = new StallWatch(this.#options.stallMs ?? stallMs, signal);
    let response: Response | undefined;
    try {
      // The cache of a browser could mix parts of two versions of a file.
      response = await reach(asked, { ...init, signal: watch.signal, cache: 'no-store' }).catch((error: unknown) => {
        throw watch.isLate ? watch.fault() : this.#unreachable(error);
      });
      watch.touch();
      if (passingStatus.has(response.status)) {
        throw new PassingFault(`the server answered ${response.status}`, { waitMs: retryAfterMs(response.headers) });
      }
      if (asked !== this.url && [401, 403, 404, 410].includes(response.status)) {
        this.#current = this.url;
        throw new PassingFault(`the server answered ${response.status}`, { waitMs: 0 });
      }
      this.#follow(asked, response);
      this.#hasAnswered = true;
      return await take(response, {
        read: (most, exactly, tooLong) => this.#read(response as Response, watch, most, exactly, tooLong),
      });
    } finally {
      watch.end();
      if (response?.body && !response.bodyUsed) await response.body.cancel().catch(() => undefined);
    }
  }

  #follow(asked: URL, response: Response): void {
    if (!response.redirected || !response.ok || !URL.canParse(response.url)) return;
    const target = new URL(response.url);
    if (asked.protocol === 'https:' && target.protocol !== 'https:') {
      throw new AddressFault(this.url, 'other', `it leads to an address without encryption, ${target.host}, which was not read`);
    }
    this.#current = target;
  }

  async #read(
    response: Response,
    watch: StallWatch,
    most: number,
    exactly: number | undefined,
    tooLong: StriaError | undefined,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const reader = response.body?.getReader();
    const parts: Uint8Array[] = [];
    let length = 0;
    try {
      for (;;) {
        const piece = await reader?.read();
        if (piece === undefined || piece.done) break;
        watch.touch();
        parts.push(piece.value);
        length += piece.value.byteLength;
        if (length > most) break;
      }
    } catch (error) {
      throw watch.isLate
        ? watch.fault()
        : new PassingFault('the connection broke off before the end of the answer', { cause: error });
    }
    if (length > most) {
      await reader?.cancel().catch(() => undefined);
      throw tooLong ?? new AddressFault(this.url, 'other', `the server sent more than the ${most} bytes that it had to send`);
    }
    if (exactly !== undefined && length < exactly) {
      throw new PassingFault(`the server's answer ended after ${length} of ${exactly} bytes`);
    }
    const [only] = parts;
    if (parts.length === 1 && only?.buffer instanceof ArrayBuffer && only.byteLength === only.buffer.byteLength) {
      return only as Uint8Array<ArrayBuffer>;
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.byteLength;
    }
    return bytes;
  }

  #unreachable(error: unknown): Error {
    if (error instanceof StriaError) return error;
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code === 'ENOTFOUND') {
      return new AddressFault(this.url, 'other', `there is no server with the name ${this.#current.hostname}`, error);
    }
    if (/CERT|SSL|TLS/.test(code)) {
      return new AddressFault(this.url, 'other', `the server's certificate is not trusted (${code})`, error);
    }
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : toStriaError(error).message;
    return new PassingFault(`the server cannot be reached (${code === '' ? reason : code})`, { cause: error });
  }
}

/** Ends a request that brings nothing for a while. */
class StallWatch {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #stop = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  isLate = false;

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    outer?.addEventListener('abort', this.#stop);
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isLate = true;
      this.#controller.abort();
    }, this.#ms);
  }

  fault(): PassingFault {
    return new PassingFault(`the server sent nothing for ${this.#ms / 1000} seconds`);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#stop);
  }
}

/** How long the server asks to wait: seconds, or a date. */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
