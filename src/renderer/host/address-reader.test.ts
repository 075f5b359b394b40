import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memorySource } from '../../core/shared/bytes.ts';
import type { AddressOrder, handleForWorker as handleForWorkerType } from './address-reader.ts';
import type { FileHandle } from './host.ts';

/** Threads that the page has started. */
const started: FakeWorker[] = [];

class FakeWorker {
  onmessage: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly orders: AddressOrder[] = [];
  isTerminated = false;
  constructor() {
    started.push(this);
  }
  postMessage(order: AddressOrder): void {
    this.orders.push(order);
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

/** Locks of a page with its threads. A lock is held by the first who asked and has not ended. */
class FakeLocks {
  readonly #last = new Map<string, Promise<unknown>>();
  request(name: string, whileHeld: () => unknown): Promise<unknown> {
    const held = (this.#last.get(name) ?? Promise.resolve()).then(whileHeld);
    this.#last.set(name, held);
    return held;
  }
}

const file: FileHandle & { kind: 'address' } = {
  kind: 'address',
  name: 'a.stria',
  size: 100,
  address: 'http://localhost/a.stria',
  version: { etag: '"1"', modified: undefined },
  relay: undefined,
  head: new Uint8Array(100),
};
const bytes = Uint8Array.from({ length: 100 }, (_, at) => at);
let handleForWorker: typeof handleForWorkerType;
let sources: typeof import('./file-source.ts');

beforeEach(async () => {
  started.length = 0;
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('navigator', { locks: new FakeLocks() });
  vi.resetModules();
  ({ handleForWorker } = await import('./address-reader.ts'));
  sources = await import('./file-source.ts');
});
afterEach(() => vi.unstubAllGlobals());

test('orders wait until the thread takes them, and go to a single one', async () => {
  for (let at = 0; at < 2; at++) handleForWorker(file);
  await Promise.resolve();
  expect(started.map(({ orders }) => orders)).toEqual([[]]);
  started[0]?.onmessage?.();
  await expect.poll(() => started[0]?.orders.length).toBe(2);
  expect(started).toHaveLength(1);
});

test('if the thread cannot be started, reads fail, and the next file starts another one', async () => {
  const source = sources.sourceOf(handleForWorker(file));
  started[0]?.onerror?.();
  await expect(source.read(0, 1)).rejects.toMatchObject({ tag: 'internal' });
  expect(started[0]?.isTerminated).toBe(true);
  handleForWorker(file);
  expect(started).toHaveLength(2);
});

test('a file is served until the thread that reads it closes it', async () => {
  const handle = handleForWorker(file);
  started[0]?.onmessage?.();
  await expect.poll(() => started[0]?.orders.length).toBe(1);
  const { port, lock } = started.flatMap(({ orders }) => orders)[0] as AddressOrder;
  const [{ serveSource }, { threadEnds }] = [await import('./served-source.ts'), await import('./thread-life.ts')];
  const end = serveSource(port, memorySource('a.stria', bytes));
  const source = sources.sourceOf(handle);
  expect(await source.read(3, 4)).toEqual(bytes.slice(3, 7));
  let hasEnded = false;
  const ends = threadEnds(lock).then(() => {
    hasEnded = true;
    end();
  });
  await source.read(0, 1);
  expect(hasEnded).toBe(false);
  sources.closeSource(handle);
  await ends;
});
