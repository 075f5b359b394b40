import { totalOf } from '../shared/total.ts';
import { nextTurn } from '../shared/turn.ts';

/** Larger results are not prepared for: the memory is held while nothing happens. */
const mostBytes = 2 ** 26;
/** V8 begins to collect garbage when it has allocated this much for arrays since the last time. */
const collectedBytes = 2 ** 26;
/** After smaller results V8 seldom collects garbage, so asking for it would only cost time. */
const leastCollectedAfter = 2 ** 25;

/** Prepared in one turn of the event loop, which takes about half a millisecond. */
const bytesPerTurn = 2 ** 21;

/**
 * Memory for payloads, of which the system has made the pages already. It makes a page when the page is first written, which takes
 * two or three times as long as copying the payloads. So between two compressions, memory for the next one is written once, and garbage is
 * collected.
 */
export class PayloadMemory {
  #ready: Uint8Array<ArrayBuffer>[] = [];
  /** Taken since the last `refill`. */
  #taken: number[] = [];
  /** Counts calls of `refill` and `free`: only the last one has an effect. */
  #calls = 0;

  /** Bytes of the caller's own, with undefined contents: prepared ones that are at most a quarter longer, or new ones. */
  take(byteLength: number): Uint8Array<ArrayBuffer> {
    this.#taken.push(byteLength);
    const fits = (one: Uint8Array) => one.byteLength >= byteLength && one.byteLength <= 1.25 * byteLength;
    const at = this.#ready.findIndex(fits);
    const [bytes = new Uint8Array(byteLength)] = at < 0 ? [] : this.#ready.splice(at, 1);
    return bytes.subarray(0, byteLength);
  }

  /** Prepares as much as was taken since the last call, while the thread has nothing else to do. What was not taken is freed. Never throws. */
  async refill(): Promise<void> {
    const wanted = this.#taken;
    this.free();
    const call = this.#calls;
    let left = mostBytes;
    const fresh: Uint8Array<ArrayBuffer>[] = [];
    for (const byteLength of wanted) {
      left -= byteLength;
      // The next result may be a little longer.
      const bytes = left < 0 ? undefined : allocated(Math.ceil(1.05 * byteLength));
      if (!bytes) break;
      fresh.push(bytes);
    }
    // Never written, so it costs nothing but the collection, which would otherwise fall into the next compression.
    if (totalOf(fresh.map(({ byteLength }) => byteLength)) >= leastCollectedAfter) allocated(collectedBytes);
    for (const bytes of fresh) {
      for (let at = 0; at < bytes.byteLength; at += bytesPerTurn) {
        bytes.fill(1, at, at + bytesPerTurn);
        await nextTurn();
        if (call !== this.#calls) return;
      }
      this.#ready.push(bytes);
    }
  }

  /** Gives up what is prepared, and prepares nothing until more was taken. */
  free(): void {
    this.#ready = [];
    this.#taken = [];
    this.#calls++;
  }
}

/** Undefined if there is too little memory. */
function allocated(byteLength: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(byteLength);
  } catch {
    return undefined;
  }
}
