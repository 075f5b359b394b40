import { describe, expect, test } from 'vitest';
import type { EncodedChunk } from '../format/chunk.ts';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import { testInfo } from '../volume/resident-testing.ts';
import { type Brick, brickKey } from './brick.ts';
import type { BrickPlace, BrickSource } from './brick-source.ts';
import { HostBricks } from './host-bricks.ts';
import type { Later } from './host-limits.ts';
import { chunkOverhead } from './read-queue.ts';

interface Read {
  readonly bricks: readonly Brick[];
  readonly signal: AbortSignal | undefined;
  answer(results: readonly (EncodedChunk | StriaError)[]): void;
  fail(fault: StriaError): void;
}

const recordBytes = 100;

/** Each brick has a payload of 100 bytes, at offset 120 × its number in the file. Reads wait until the test answers them. */
class FakeSource implements BrickSource {
  readonly info = testInfo([64, 64, 64, 1], 'u8');
  readonly levels = [
    { grid: new ChunkGrid([64, 64, 64, 1], [8, 8, 8]), factors: [1, 1, 1] },
    { grid: new ChunkGrid([32, 32, 32, 1], [8, 8, 8]), factors: [2, 2, 2] },
  ] as const;
  readonly reads: Read[] = [];

  place({ number }: Brick): BrickPlace {
    return { payloadBytes: recordBytes, range: { offset: 120 * number, length: recordBytes } };
  }

  read(bricks: readonly Brick[], { signal }: JobOptions = {}): Promise<readonly (EncodedChunk | StriaError)[]> {
    return new Promise((answer, fail) => {
      const read: Read = { bricks, signal, answer, fail };
      this.reads.push(read);
      signal?.addEventListener('abort', () => {
        this.#remove(read);
        fail(new StriaError('aborted', 'cancelled'));
      });
    });
  }

  /** Takes a read off the list. */
  take(at = 0): Read {
    const [read] = this.reads.splice(at, 1);
    return read as Read;
  }

  #remove(read: Read): void {
    const at = this.reads.indexOf(read);
    if (at >= 0) this.reads.splice(at, 1);
  }
}

/** A chunk whose payload identifies its brick. */
function chunkOf({ level, number }: Brick): EncodedChunk {
  const payload = new Uint8Array(recordBytes);
  new DataView(payload.buffer).setUint32(0, brickKey({ level, number }), true);
  const checksum = { sum: 0, cross: 0 };
  return {
    kind: 'coded',
    stages: [{ codecId: 1, parameters: new Uint8Array(0) }],
    payload,
    encodedChecksum: checksum,
    decodedChecksum: checksum,
  };
}

function keyIn(chunk: EncodedChunk): number {
  if (chunk.kind !== 'coded') throw new Error('not coded');
  return new DataView(chunk.payload.buffer).getUint32(0, true);
}

/** A clock that stands still until the test moves it. */
function fakeClock() {
  let now = 0;
  const calls = new Set<{ readonly at: number; readonly call: () => void }>();
  const later: Later = (call, ms) => {
    const entry = { at: now + ms, call };
    calls.add(entry);
    return () => void calls.delete(entry);
  };
  const advance = (ms: number) => {
    now += ms;
    for (const entry of [...calls]) {
      if (entry.at > now) continue;
      calls.delete(entry);
      entry.call();
    }
  };
  return { later, advance, calls };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const key = (number: number, level = 0) => brickKey({ level, number });
const unreadable = new StriaError('not-readable', 'the connection broke');
const noJoins = { gapBytes: 0, joinedBytes: 0 };

/** A source whose bricks lie in no file. */
class PlacelessSource extends FakeSource {
  override place(): BrickPlace {
    return { payloadBytes: recordBytes };
  }
}

function setUp(limits: ConstructorParameters<typeof HostBricks>[1] = {}) {
  const source = new FakeSource();
  const clock = fakeClock();
  return { source, clock, host: new HostBricks(source, limits, clock.later) };
}

test('a brick is read once for all requests, and kept', async () => {
  const { source, host } = setUp();
  const both = [host.request(key(3), 1), host.request(key(3), 0)];
  expect(source.reads).toHaveLength(1);
  const read = source.take();
  read.answer(read.bricks.map(chunkOf));
  const [a, b] = await Promise.all(both);
  expect(a).toBe(b);
  expect(await host.request(key(3), 0)).toBe(a);
  expect(source.reads).toHaveLength(0);
  expect(host.use).toMatchObject({ reads: 1, bricksRead: 1, kept: 1, keptBytes: recordBytes + chunkOverhead, reservedBytes: 0 });
});

test('bricks without a place in a file are read together, the most urgent of a level first', async () => {
  const source = new PlacelessSource();
  const host = new HostBricks(source, { reads: 1, bricksAtOnce: 3 });
  const taken: number[] = [];
  const waiter = { take: (chunk: EncodedChunk) => void taken.push(keyIn(chunk)), fail: () => {} };
  host.gather(() => {
    for (const [at, number] of [5, 6, 7, 8].entries()) host.load(key(number), 10 - at, waiter);
    host.load(key(1, 1), 0, waiter);
    expect(source.reads).toHaveLength(0);
  });
  const expected = [[key(1, 1)], [key(8), key(7), key(6)], [key(5)]];
  for (const keys of expected) {
    expect(source.reads).toHaveLength(1);
    const read = source.take();
    expect(read.bricks.map(({ level, number }) => key(number, level))).toEqual(keys);
    read.answer(read.bricks.map(chunkOf));
    await settle();
  }
  expect(taken).toEqual(expected.flat());
  expect(host.use).toMatchObject({ reads: 3, bricksRead: 5, reservedBytes: 0 });
});

test('waiting bricks are read in the order of their priorities', async () => {
  const { source, host } = setUp({ reads: 1, ...noJoins });
  const requests = [
    [0, 0],
    [10, 5],
    [20, 3],
    [30, 4],
  ].map(([number, priority]) => host.request(key(number as number), priority as number));
  host.prioritize(key(30), 1);
  const order: (number | undefined)[] = [];
  while (source.reads.length > 0) {
    const read = source.take();
    order.push(read.bricks[0]?.number);
    read.answer(read.bricks.map(chunkOf));
    await settle();
  }
  await Promise.all(requests);
  expect(order).toEqual([0, 30, 20, 10]);
});

test('near ranges of one level are joined into one read', async () => {
  const { source, host } = setUp({ reads: 1, gapBytes: 50, joinedBytes: 500 });
  const requests = [host.request(key(50), 0), ...[1, 2, 4, 5, 6].map((number) => host.request(key(number), number))];
  requests.push(host.request(key(3, 1), 9));
  const first = source.take();
  first.answer(first.bricks.map(chunkOf));
  await settle();
  // Bricks 1 and 2 are joined; brick 4 begins 140 bytes after the end of brick 2.
  expect(source.reads[0]?.bricks).toEqual([
    { level: 0, number: 1 },
    { level: 0, number: 2 },
  ]);
  while (source.reads.length > 0) {
    const read = source.take();
    read.answer(read.bricks.map(chunkOf));
    await settle();
  }
  const chunks = await Promise.all(requests);
  expect(chunks.map(keyIn)).toEqual([key(50), key(1), key(2), key(4), key(5), key(6), key(3, 1)]);
  expect(host.use.reads).toBe(4);
});

test('bricks for which the source has other voxels are read again, also if their read has begun', async () => {
  const { source, host } = setUp({ ...noJoins, attempts: 1 });
  const told: boolean[] = [];
  const end = host.onRenewed((isOutdated) => told.push(isOutdated(key(1)), isOutdated(key(2))));
  const kept = [host.request(key(1), 0), host.request(key(2), 0)];
  for (const read of source.reads.splice(0)) read.answer(read.bricks.map(chunkOf));
  await Promise.all(kept);
  const failing = host.request(key(3), 0);
  const failed = expect(failing).rejects.toMatchObject({ tag: 'not-readable' });
  source.take().fail(unreadable);
  await failed;
  const abort = new AbortController();
  const running = host.request(key(4), 0);
  const left = host.request(key(5), 0, abort.signal);
  const ended = expect(left).rejects.toMatchObject({ tag: 'aborted' });
  const [old, gone] = [source.take(), source.take()];
  host.renew((one) => one !== key(2));
  expect(told).toEqual([true, false]);
  expect([host.peek(key(1)), host.faultOf(key(3))]).toEqual([undefined, undefined]);
  expect(host.peek(key(2))).toBeDefined();
  abort.abort();
  await ended;
  gone.answer(gone.bricks.map(chunkOf));
  const outdated = old.bricks.map(chunkOf);
  old.answer(outdated);
  await settle();
  expect(source.reads.map(({ bricks }) => bricks.map(({ number }) => number))).toEqual([[4]]);
  const read = source.take();
  const fresh = read.bricks.map(chunkOf);
  read.answer(fresh);
  expect(await running).toBe(fresh[0]);
  expect(host.peek(key(4))).not.toBe(outdated[0]);
  expect(host.peek(key(5))).toBeUndefined();
  end();
  host.renew(() => true);
  expect(told).toHaveLength(2);
  expect(host.use).toMatchObject({ kept: 0, keptBytes: 0, reservedBytes: 0, waiting: 0 });
});

describe('failures', () => {
  test('a read that fails is tried again, later each time, and then its brick is named', async () => {
    const { source, clock, host } = setUp({ attempts: 3, retryMs: 100 });
    const request = host.request(key(4, 1), 0);
    const seen = expect(request).rejects.toMatchObject({ fullMessage: 'level 1, chunk 5: the connection broke' });
    source.take().fail(unreadable);
    await settle();
    clock.advance(99);
    expect(source.reads).toHaveLength(0);
    clock.advance(1);
    source.take().fail(unreadable);
    await settle();
    clock.advance(199);
    expect(source.reads).toHaveLength(0);
    clock.advance(1);
    source.take().fail(unreadable);
    await seen;
    // From now on requests for this brick fail at once; those for others do not.
    await expect(host.request(key(4, 1), 0)).rejects.toMatchObject({ tag: 'not-readable' });
    expect(source.reads).toHaveLength(0);
    expect(host.faultOf(key(4, 1))?.tag).toBe('not-readable');
    host.forgetFaults();
    const again = host.request(key(4, 1), 0);
    const read = source.take();
    read.answer(read.bricks.map(chunkOf));
    expect(keyIn(await again)).toBe(key(4, 1));
  });

  test('a damaged brick is not tried again, and the others of its read arrive', async () => {
    const { source, host } = setUp({ reads: 1 });
    const requests = [host.request(key(50), 0), ...[1, 2, 3].map((number) => host.request(key(number), 1))];
    const first = source.take();
    first.answer(first.bricks.map(chunkOf));
    await settle();
    const joined = source.take();
    expect(joined.bricks).toHaveLength(3);
    const damage = new StriaError('corrupt', 'its checksum is wrong');
    joined.answer(joined.bricks.map((brick) => (brick.number === 2 ? damage : chunkOf(brick))));
    await settle();
    // The brick is damaged when it is read alone, too.
    const alone = source.take();
    expect(alone.bricks).toEqual([{ level: 0, number: 2 }]);
    alone.answer([damage]);
    const results = await Promise.allSettled(requests);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(host.faultOf(key(2))?.fullMessage).toBe('chunk 3: its checksum is wrong');
    expect(host.use.failed).toBe(1);
  });

  test('a brick larger than the budget is refused, and others are not', async () => {
    const { source, host } = setUp({ bytes: 300 });
    await expect(host.request(key(1), 0)).rejects.toMatchObject({ tag: 'limit-too-small' });
    expect(source.reads).toHaveLength(0);
    expect(host.use.waiting).toBe(0);
  });
});

describe('cancelling', () => {
  test('a waiting brick is never read', async () => {
    const { source, host } = setUp({ reads: 1, ...noJoins });
    void host.request(key(0), 0).catch(() => undefined);
    const stop = new AbortController();
    const request = host.request(key(9), 1, stop.signal);
    stop.abort();
    await expect(request).rejects.toMatchObject({ tag: 'aborted' });
    const read = source.take();
    read.answer(read.bricks.map(chunkOf));
    await settle();
    expect(source.reads).toHaveLength(0);
  });

  test('a read is cancelled when nobody waits for any of its bricks, and not before', async () => {
    const { source, host } = setUp();
    const [a, b] = [new AbortController(), new AbortController()];
    const requests = Promise.allSettled([host.request(key(0), 0, a.signal), host.request(key(0), 0, b.signal)]);
    a.abort();
    expect(source.reads[0]?.signal?.aborted).toBe(false);
    b.abort();
    expect(source.reads).toHaveLength(0);
    await requests;
    await settle();
    expect(host.use).toMatchObject({ reservedBytes: 0, waiting: 0, reading: 0 });
  });

  test('a brick that is requested again while its read is being cancelled is read again', async () => {
    const { source, host } = setUp();
    const stop = new AbortController();
    const first = host.request(key(0), 0, stop.signal).catch(() => undefined);
    stop.abort();
    const second = host.request(key(0), 0);
    await first;
    await settle();
    const read = source.take();
    read.answer(read.bricks.map(chunkOf));
    expect(keyIn(await second)).toBe(0);
  });

  test('a load that is cancelled is told nothing, whether its brick is kept, has failed or is being read', async () => {
    const { source, host } = setUp({ attempts: 1, ...noJoins });
    const told: string[] = [];
    const load = (number: number) =>
      host.load(key(number), 0, {
        take: (chunk) => told.push(`took ${keyIn(chunk)}`),
        fail: ({ tag }) => told.push(tag),
      });
    load(0);
    load(1);
    source.take().answer([chunkOf({ level: 0, number: 0 })]);
    source.take().fail(unreadable);
    await settle();
    expect(told.splice(0)).toEqual(['took 0', 'not-readable']);
    const others = [0, 1, 2].map(load);
    // Nobody is told anything before `load` has returned.
    expect(told).toEqual([]);
    for (const cancel of others) cancel();
    expect(source.reads).toHaveLength(0);
    await settle();
    expect(told).toEqual([]);
    for (const number of [0, 1]) load(number);
    await settle();
    expect(told).toEqual(['took 0', 'not-readable']);
    expect(host.use).toMatchObject({ waiting: 0, reading: 0 });
  });

  test('closing in the middle ends everything', async () => {
    const { source, clock, host } = setUp({ reads: 2, ...noJoins });
    const requests = [0, 10, 20, 30].map((number) => host.request(key(number), number));
    const all = Promise.allSettled(requests);
    source.take().fail(unreadable);
    await settle();
    expect(clock.calls.size).toBe(1);
    host.close();
    expect((await all).map((one) => (one.status === 'rejected' ? one.reason.tag : one.status))).toEqual(Array(4).fill('aborted'));
    await settle();
    expect(source.reads).toHaveLength(0);
    expect(clock.calls.size).toBe(0);
    expect(host.use).toMatchObject({ keptBytes: 0, reservedBytes: 0, waiting: 0, reading: 0 });
    await expect(host.request(key(1), 0)).rejects.toMatchObject({ tag: 'aborted' });
  });
});

test('100,000 random requests, answers, faults and cancellations keep within the budget, and nothing is lost', async () => {
  const budget = 4000;
  const { source, clock, host } = setUp({ bytes: budget, reads: 3, gapBytes: 150, joinedBytes: 800, attempts: 2 });
  let state = 7;
  const random = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  const open = new Set<AbortController>();
  const outcomes = { taken: 0, failed: 0, aborted: 0 };
  const wrong: number[] = [];
  let asked = 0;
  const ask = () => {
    const wanted = key(random(40), random(2));
    const stop = new AbortController();
    open.add(stop);
    asked++;
    host
      .request(wanted, random(10), stop.signal)
      .then(
        (chunk) => {
          if (keyIn(chunk) !== wanted) wrong.push(wanted);
          outcomes.taken++;
        },
        (error: StriaError) => {
          if (error.tag === 'aborted') outcomes.aborted++;
          else outcomes.failed++;
        },
      )
      .finally(() => open.delete(stop));
  };
  const answer = () => {
    if (source.reads.length === 0) return;
    const read = source.take(random(source.reads.length));
    if (random(8) === 0) read.fail(unreadable);
    else read.answer(read.bricks.map((brick) => (random(30) === 0 ? new StriaError('corrupt', 'damaged') : chunkOf(brick))));
  };
  const reading = new Set<number>();
  const check = () => {
    const { keptBytes, reservedBytes } = host.use;
    if (keptBytes + reservedBytes > budget) throw new Error(`${keptBytes} + ${reservedBytes} bytes`);
    reading.clear();
    let count = 0;
    for (const { bricks } of source.reads) {
      for (const brick of bricks) {
        const one = brickKey(brick);
        if (host.peek(one)) throw new Error('a brick is read that is kept');
        reading.add(one);
        count++;
      }
    }
    if (reading.size !== count) throw new Error('a brick is read twice at once');
  };
  for (let step = 0; step < 100_000; step++) {
    const what = random(16);
    if (what < 7) ask();
    else if (what < 12) answer();
    else if (what < 14) [...open][random(open.size)]?.abort();
    else if (what === 14) clock.advance(100);
    else host.forgetFaults();
    check();
    if (step % 4 === 0) await Promise.resolve();
    if (step % 64 === 0) await settle();
    check();
  }
  // All open requests end.
  for (let round = 0; open.size > 0 && round < 10_000; round++) {
    clock.advance(1000);
    answer();
    await settle();
    check();
  }
  expect(open.size).toBe(0);
  expect(wrong).toEqual([]);
  expect(outcomes.taken + outcomes.failed + outcomes.aborted).toBe(asked);
  expect(Math.min(outcomes.taken, outcomes.failed, outcomes.aborted)).toBeGreaterThan(1000);
  expect(host.use).toMatchObject({ reservedBytes: 0, waiting: 0, reading: 0 });
}, 20_000);
