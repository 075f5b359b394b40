import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileSink, type WritableFile } from './file-sink.ts';
import { createNodeSink } from './node-sink.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-sink-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Behaviour {
  /** How long each write takes. Default 0. */
  readonly waits?: readonly number[];
  /** The bytes that a call accepts. Default: all. */
  readonly most?: number;
  /** The disk is full behind this byte. */
  readonly capacity?: number;
}

/** A file in memory that takes writes at positions. */
function slowFile({ waits = [], most = Number.POSITIVE_INFINITY, capacity = Number.POSITIVE_INFINITY }: Behaviour = {}) {
  const contents: number[] = [];
  const log: string[] = [];
  const seen = { underWay: 0, mostUnderWay: 0, discarded: 0 };
  let number = 0;
  const put = async (bytes: Uint8Array, position: number | undefined) => {
    seen.mostUnderWay = Math.max(seen.mostUnderWay, ++seen.underWay);
    const name = String(number++);
    log.push(`begin ${name}`);
    await sleep(waits[Number(name)] ?? 0);
    seen.underWay--;
    log.push(`end ${name}`);
    const start = position ?? contents.length;
    const bytesWritten = Math.min(most, bytes.byteLength, capacity - start);
    if (bytesWritten <= 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
    bytes.subarray(0, bytesWritten).forEach((byte, at) => {
      contents[start + at] = byte;
    });
    return { bytesWritten };
  };
  const file: WritableFile = {
    write: (bytes, offset, length, position) => put(bytes.subarray(offset, offset + length), position),
    writev: (parts, position) => put(Buffer.concat(parts), position),
    datasync: async () => {},
    sync: async () => void log.push('sync'),
    close: async () => void log.push('close'),
  };
  const discard = async () => {
    log.push('discard');
    seen.discarded++;
  };
  const sink = fileSink(file, { path: 'a', gatherBytes: 2, hasPositions: true, discard });
  return { sink, contents, log, seen };
}

const bytes = (...values: number[]) => Uint8Array.from(values);
const full = { tag: 'not-writable', message: 'a: the disk is full' };

test('two writes are under way at once, and the bytes are in the order of the calls', async () => {
  const { sink, contents, log, seen } = slowFile({ waits: [60, 0] });
  expect(sink.writesAtOnce).toBe(2);
  await Promise.all([sink.write(bytes(1, 2, 3)), sink.write(bytes(4, 5, 6))]);
  await sink.close();
  expect(contents).toEqual([1, 2, 3, 4, 5, 6]);
  expect(log).toEqual(['begin 0', 'begin 1', 'end 1', 'end 0', 'sync', 'close']);
  expect(seen.mostUnderWay).toBe(2);
});

test('a close waits for the writes that are under way', async () => {
  const { sink, contents, log } = slowFile({ waits: [20, 60], most: 2 });
  const writes = [sink.write(bytes(1, 2, 3)), sink.write(bytes(4, 5, 6))];
  await sink.close();
  await Promise.all(writes);
  expect(contents).toEqual([1, 2, 3, 4, 5, 6]);
  expect(log.slice(-2)).toEqual(['sync', 'close']);
});

test.each([1, 2, 3, 99])('a write of which the system takes %i bytes per call goes on at its own position', async (most) => {
  const { sink, contents } = slowFile({ most, waits: [30, 0, 20, 5] });
  const writes = [
    sink.write(bytes(1, 2, 3, 4, 5)),
    sink.writeParts?.([bytes(6), bytes(7, 8), bytes(), bytes(9, 10)]),
    sink.write(bytes(11, 12, 13)),
  ];
  await Promise.all(writes);
  await sink.close();
  expect(contents).toEqual(Array.from({ length: 13 }, (_, at) => at + 1));
});

test('gathered bytes are not overwritten while they are flushed', async () => {
  const { sink, contents } = slowFile({ waits: [40] });
  const writes = [bytes(1, 2), bytes(3, 4, 5), bytes(6), bytes(7), bytes(8, 9, 10), bytes(11)].map((one) => sink.write(one));
  await Promise.all(writes);
  await sink.close();
  expect(contents).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('an error of the first write, while the second is under way, is reported, and the file is closed after both', async () => {
  const { sink, log, seen } = slowFile({ waits: [10, 80], most: 3, capacity: 4 });
  // The first write ends with 3 of 6 bytes, and finds the disk full at the next ones.
  const [first, second] = [sink.write(bytes(1, 2, 3, 4, 5, 6)), sink.write(bytes(7, 8, 9))];
  second.catch(() => {});
  await expect(first).rejects.toMatchObject(full);
  expect(seen.underWay).toBe(1);
  await expect(sink.close()).rejects.toMatchObject(full);
  await expect(second).rejects.toMatchObject(full);
  expect(seen.underWay).toBe(0);
  expect(log.slice(-2)).toEqual(['close', 'discard']);
  expect(log.lastIndexOf('end 1')).toBeLessThan(log.indexOf('close'));
  expect(seen.discarded).toBe(1);
});

test('an error of the second write stays, even if the caller closes the file', async () => {
  const { sink, log } = slowFile({ waits: [40, 0], capacity: 3 });
  const writes = await Promise.allSettled([sink.write(bytes(1, 2, 3)), sink.write(bytes(4, 5, 6))]);
  expect(writes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(sink.write(bytes(7, 8, 9))).rejects.toMatchObject(full);
  expect(log.filter((one) => one.startsWith('begin'))).toHaveLength(2);
  await expect(sink.close()).rejects.toMatchObject(full);
  expect(log).not.toContain('sync');
  expect(log.at(-1)).toBe('discard');
});

test('an abort waits for both writes, and neither goes on', async () => {
  const { sink, log, seen } = slowFile({ waits: [60, 40], most: 2 });
  const writes = [sink.write(bytes(1, 2, 3, 4)), sink.write(bytes(5, 6, 7, 8)), sink.write(bytes(9, 10, 11))];
  const settled = Promise.allSettled(writes);
  await sleep(5);
  expect(seen.underWay).toBeGreaterThanOrEqual(2);
  await sink.abort();
  expect(seen.underWay).toBe(0);
  expect(log.slice(-2)).toEqual(['close', 'discard']);
  await settled;
  await sleep(20);
  expect(log.slice(-2)).toEqual(['close', 'discard']);
  await expect(sink.write(bytes(1))).rejects.toMatchObject({ tag: 'internal' });
});

test('without positions, calls that overlap write one after another', async () => {
  const log: string[] = [];
  const contents: number[] = [];
  const file: WritableFile = {
    async write(given, offset, length, position) {
      log.push(`begin ${position}`);
      await sleep(contents.length === 0 ? 30 : 0);
      contents.push(...given.subarray(offset, offset + length));
      log.push('end');
      return { bytesWritten: length };
    },
    sync: async () => {},
    close: async () => {},
  };
  const sink = fileSink(file, { path: '-', gatherBytes: 0 });
  expect(sink.writesAtOnce).toBe(1);
  await Promise.all([sink.write(bytes(1, 2)), sink.writeParts?.([bytes(3), bytes(4)]), sink.write(bytes(5))]);
  await sink.close();
  expect(contents).toEqual([1, 2, 3, 4, 5]);
  expect(log).toEqual(Array.from({ length: 4 }, () => ['begin undefined', 'end']).flat());
});

/** Around the size up to which writes are gathered. */
const length = fc.oneof(fc.nat(1000), fc.nat(600_000));
const piece = fc.tuple(length, fc.nat(255)).map(([byteLength, value]) => new Uint8Array(byteLength).fill(value));
const calls = fc.array(fc.oneof(piece, fc.array(piece, { maxLength: 4 })), { maxLength: 8 });

test('files get the bytes of all calls in order, however many overlap', async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(calls, async (given) => {
      const path = join(folder, String(number++));
      const sink = await createNodeSink(path, { overwrite: false });
      await Promise.all(given.map((one) => (Array.isArray(one) ? sink.writeParts?.(one) : sink.write(one))));
      await sink.close();
      const expected = Buffer.concat(given.flat() as Uint8Array[]);
      expect(readFileSync(path).equals(expected)).toBe(true);
      rmSync(path);
    }),
    { numRuns: 20 },
  );
});

test.runIf(existsSync('/dev/full'))('a disk that is full fails both writes with the same words', async () => {
  const sink = fileSink(await open('/dev/full', 'w'), { path: 'a', gatherBytes: 2, hasPositions: true });
  const writes = [sink.write(bytes(1, 2, 3)), sink.write(bytes(4, 5, 6))];
  const settled = await Promise.allSettled(writes);
  for (const { status, reason } of settled as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason).toMatchObject(full);
  }
  await expect(sink.close()).rejects.toMatchObject(full);
});

test('an abort while two large writes are under way leaves nothing behind', async () => {
  const sink = await createNodeSink(join(folder, 'a.raw'), { overwrite: false });
  const large = new Uint8Array(2 ** 25);
  const writes = Promise.allSettled([sink.write(large), sink.write(large)]);
  await sink.abort();
  expect(readdirSync(folder)).toEqual([]);
  await writes;
  expect(readdirSync(folder)).toEqual([]);
});

test('calls that have ended take no memory, however many there are', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const file = { write: async () => ({ bytesWritten: 1000 }), sync: async () => {}, close: async () => {} };
  const sink = fileSink(file, { path: 'a', gatherBytes: 1000, hasPositions: true });
  const one = bytes(1);
  const heapAfter = async (calls: number) => {
    for (let call = 0; call < calls; call++) await sink.write(one);
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(10_000);
  expect((await heapAfter(200_000)) - before).toBeLessThan(2 ** 23);
  await sink.abort();
});
