import { StriaError } from '../shared/errors.ts';

/** Blocks per request at most: requests of this size use a fast connection fully, and a lost one costs little. */
const mostBlocks = 64;
/** Blocks that nobody asked for are read too if so few lie between two that are wanted: a request costs more. */
const widestGap = 2;
const requestsAtOnce = 6;

/** Reads neighbouring blocks from a server. */
export type FetchBlocks = (first: number, count: number, signal: AbortSignal) => Promise<readonly Uint8Array<ArrayBuffer>[]>;

interface Wanted {
  readonly index: number;
  readonly bytes: Promise<Uint8Array<ArrayBuffer>>;
  readonly settle: { resolve(bytes: Uint8Array<ArrayBuffer>): void; reject(error: unknown): void };
  /** How many reads wait for it. */
  readers: number;
  request: { readonly blocks: readonly Wanted[]; readonly controller: AbortController } | undefined;
}

/**
 * The blocks of a remote file: those wanted at the same time are joined to few requests, several requests are in flight, a block
 * that two reads want is requested once, and those read last are kept.
 */
export class BlockReader {
  readonly #fetch: FetchBlocks;
  readonly #mostKept: number;
  readonly #kept = new Map<number, Uint8Array<ArrayBuffer>>();
  readonly #wanted = new Map<number, Wanted>();
  #queue: Wanted[][] = [];
  #running = 0;
  #isPlanned = false;

  /** @param mostKept how many blocks are kept */
  constructor(fetchBlocks: FetchBlocks, mostKept: number) {
    this.#fetch = fetchBlocks;
    this.#mostKept = mostKept;
  }

  /** Adds a block that is already here. */
  keep(index: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#kept.delete(index);
    this.#kept.set(index, bytes);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Blocks `first` to `last`, in order. The caller must not write into them. @throws StriaError as `FetchBlocks`, `aborted` */
  async read(first: number, last: number, signal: AbortSignal | undefined): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const waiting: Wanted[] = [];
    const blocks: (Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>)[] = [];
    for (let index = first; index <= last; index++) {
      const kept = this.#kept.get(index);
      if (kept) {
        this.keep(index, kept);
        blocks.push(kept);
        continue;
      }
      const wanted = this.#want(index);
      wanted.readers++;
      waiting.push(wanted);
      blocks.push(wanted.bytes);
    }
    if (waiting.length === 0) return blocks as Uint8Array<ArrayBuffer>[];
    let isLeft = false;
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      for (const wanted of waiting) this.#leave(wanted);
    };
    let cancel = () => {};
    const aborted = new Promise<never>((_, reject) => {
      cancel = () => reject(new StriaError('aborted', 'cancelled'));
    });
    aborted.catch(() => undefined);
    signal?.addEventListener('abort', cancel);
    try {
      return await Promise.race([Promise.all(blocks), aborted]);
    } finally {
      // A signal lives as long as its job, and would keep the blocks of every read.
      signal?.removeEventListener('abort', cancel);
      leave();
    }
  }

  #want(index: number): Wanted {
    const known = this.#wanted.get(index);
    if (known) return known;
    let settle: Wanted['settle'] | undefined;
    const bytes = new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
      settle = { resolve, reject };
    });
    // A read that has left does not look at it any more.
    bytes.catch(() => undefined);
    const wanted: Wanted = { index, bytes, settle: settle as Wanted['settle'], readers: 0, request: undefined };
    this.#wanted.set(index, wanted);
    if (!this.#isPlanned) {
      this.#isPlanned = true;
      // Later, so that reads that start together are joined.
      setTimeout(() => this.#plan());
    }
    return wanted;
  }

  /** A read has what it wanted, or wants it no longer. A request for which nobody waits ends. */
  #leave(wanted: Wanted): void {
    wanted.readers--;
    if (this.#wanted.get(wanted.index) !== wanted || wanted.readers > 0) return;
    const { request } = wanted;
    if (request === undefined) {
      this.#wanted.delete(wanted.index);
    } else if (request.blocks.every(({ readers }) => readers === 0)) {
      for (const block of request.blocks) this.#forget(block);
      request.controller.abort();
    }
  }

  #forget(block: Wanted): void {
    if (this.#wanted.get(block.index) === block) this.#wanted.delete(block.index);
  }

  /** Joins the blocks that no request has yet into requests. */
  #plan(): void {
    this.#isPlanned = false;
    const open = [...this.#wanted.values()].filter(({ request, readers }) => request === undefined && readers > 0);
    const queued = new Set(this.#queue.flat());
    const fresh = open.filter((wanted) => !queued.has(wanted)).sort((a, b) => a.index - b.index);
    let run: Wanted[] = [];
    for (const wanted of fresh) {
      const last = run.at(-1);
      const first = run[0];
      const isNear = last !== undefined && wanted.index - last.index <= widestGap + 1;
      if (first !== undefined && isNear && wanted.index - first.index < mostBlocks) run.push(wanted);
      else {
        run = [wanted];
        this.#queue.push(run);
      }
    }
    this.#start();
  }

  #start(): void {
    while (this.#running < requestsAtOnce) {
      const run = this.#queue.shift()?.filter(({ readers }) => readers > 0);
      if (run === undefined) return;
      if (run.length > 0) void this.#send(run);
    }
  }

  async #send(blocks: readonly Wanted[]): Promise<void> {
    this.#running++;
    const controller = new AbortController();
    const first = blocks[0]?.index ?? 0;
    const last = blocks.at(-1)?.index ?? first;
    for (const block of blocks) block.request = { blocks, controller };
    try {
      const answers = await this.#fetch(first, last - first + 1, controller.signal);
      for (const [at, bytes] of answers.entries()) this.keep(first + at, bytes);
      for (const block of blocks) block.settle.resolve(answers[block.index - first] as Uint8Array<ArrayBuffer>);
    } catch (error) {
      for (const block of blocks) block.settle.reject(error);
    } finally {
      for (const block of blocks) this.#forget(block);
      this.#running--;
      this.#start();
    }
  }
}
