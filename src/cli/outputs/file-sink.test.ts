import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fileSink, type WritableFile } from './file-sink.ts';

/** A file in memory that accepts at most `most` bytes per call. */
function testFile(most: number) {
  const written: number[] = [];
  const calls: string[] = [];
  let byteLength = 0;
  const file: WritableFile = {
    async write(bytes, offset, length) {
      calls.push('write');
      const bytesWritten = Math.min(most, length);
      written.push(...bytes.subarray(offset, offset + bytesWritten));
      return { bytesWritten };
    },
    async writev(parts) {
      calls.push('writev');
      let left = most;
      for (const part of parts) {
        if (most < 100) written.push(...part.subarray(0, left));
        byteLength += Math.min(left, part.byteLength);
        left -= Math.min(left, part.byteLength);
      }
      return { bytesWritten: most - left };
    },
    async datasync() {
      calls.push('datasync');
    },
    async sync() {
      calls.push('sync');
    },
    async close() {
      calls.push('close');
    },
  };
  return { file, written, calls, byteLength: () => byteLength };
}

const parts = [[1, 2, 3], [], [4], [5, 6, 7, 8, 9], [10]].map((bytes) => Uint8Array.from(bytes));

test.each([1, 2, 3, 4, 7, 99])('pieces arrive whole and in order if the system takes %i bytes per call', async (most) => {
  const { file, written, calls } = testFile(most);
  const sink = fileSink(file, { path: 'a', gatherBytes: 4 });
  await sink.write(Uint8Array.of(0));
  await sink.writeParts?.(parts);
  await sink.writeParts?.([Uint8Array.of(11), Uint8Array.of(12)]);
  await sink.close();
  expect(written).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(calls).toContain('writev');
  expect(calls.slice(-2)).toEqual(['sync', 'close']);
});

test('gathered bytes and a large piece behind them are written by one call, whatever is gathered meanwhile', async () => {
  const { file, written, calls } = testFile(99);
  const slow: WritableFile = {
    ...file,
    async writev(pieces) {
      await sleep(20);
      return (file.writev as NonNullable<typeof file.writev>)(pieces);
    },
  };
  const sink = fileSink(slow, { path: 'a', gatherBytes: 4, hasPositions: true });
  await sink.write(Uint8Array.of(1, 2));
  const large = sink.write(Uint8Array.of(3, 4, 5, 6, 7));
  const small = sink.write(Uint8Array.of(8, 9));
  await Promise.all([large, small]);
  expect(calls).toEqual(['writev']);
  await sink.close();
  expect(written).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('writing to disk starts before the file is complete', async () => {
  const { file, calls, byteLength } = testFile(2 ** 40);
  const sink = fileSink(file, { path: 'a', gatherBytes: 4 });
  const piece = new Uint8Array(2 ** 24);
  await sink.writeParts?.([piece]);
  expect(calls).not.toContain('datasync');
  await sink.writeParts?.([piece, piece]);
  expect(calls).toContain('datasync');
  expect(byteLength()).toBe(3 * 2 ** 24);
  await sink.close();
});

test('if the disk fails midway, the file fails and is discarded', async () => {
  const { file } = testFile(2 ** 40);
  let discarded = 0;
  const failing: WritableFile = {
    ...file,
    datasync: () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'fdatasync' })),
  };
  const discard = async () => void discarded++;
  const sink = fileSink(failing, { path: 'a', gatherBytes: 4, discard });
  await sink.writeParts?.(Array.from({ length: 4 }, () => new Uint8Array(2 ** 24)));
  await expect(sink.close()).rejects.toMatchObject({ tag: 'not-writable' });
  expect(discarded).toBe(1);
});

test.each([
  ['long', 60, 1],
  ['no time', 0, 0],
])('other work is done during the last sync if that takes %s', async (_, syncMs, count) => {
  const { file, calls } = testFile(2 ** 40);
  const slow: WritableFile = {
    ...file,
    async sync() {
      calls.push('sync');
      if (syncMs > 0) await sleep(syncMs);
    },
  };
  const whileSyncing = () => calls.push('other work');
  const sink = fileSink(slow, { path: 'a', gatherBytes: 4, whileSyncing });
  await sink.write(new Uint8Array(9));
  await sink.close();
  await sleep(20);
  expect(calls).toEqual(count === 1 ? ['write', 'sync', 'other work', 'close'] : ['write', 'sync', 'close']);
});
