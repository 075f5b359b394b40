import { expect, test } from 'vitest';
import { ChunkGrid } from '../format/chunk-grid.ts';
import type { ChunkBox } from './backend.ts';
import { createCpuBackend } from './cpu-backend.ts';
import type { TaskPool } from './cpu-task.ts';
import { infoOf, only, voxelsOf } from './engine-testing.ts';
import { inlinePool } from './inline-pool.ts';
import { nextTurn } from './turn.ts';

const info = infoOf([64, 64, 16, 1], 'u8');
const grid = new ChunkGrid(info.dims, [16, 16, 16]);
const chunks = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
const box = { bytes: voxelsOf(info, 'blobs'), dims: [64, 64, 16] as const, elementBytes: 1 as const };

/** A pool that counts its tasks. */
function counting(isInline: boolean): TaskPool & { tasks: number } {
  const inline = inlinePool();
  const pool = {
    ...inline,
    isInline,
    tasks: 0,
    run: (...task: Parameters<TaskPool['run']>) => {
      pool.tasks++;
      return inline.run(...task);
    },
  };
  return pool;
}

test('the caller’s own thread takes part beside a pool, and the bytes are the same', async () => {
  const alone = await createCpuBackend(inlinePool()).encode(box, chunks, only('raw'));
  const [pool, own] = [counting(false), counting(true)];
  const backend = createCpuBackend(pool, own);
  expect(backend.device.name).toBe('CPU, 2 threads');
  expect(await backend.encode(box, chunks, only('raw'))).toEqual(alone);
  expect([pool.tasks, own.tasks].every((tasks) => tasks > 0)).toBe(true);

  const decoded = { ...box, bytes: new Uint8Array(box.bytes.length) };
  await backend.decode(alone, chunks, decoded);
  expect(decoded.bytes).toEqual(box.bytes);
});

test('of many threads a fast codec takes few, and the caller’s own; others take all but that', async () => {
  const large = infoOf([1024, 64, 272, 1], 'u8');
  const grid = new ChunkGrid(large.dims, [64, 64, 16]);
  const rows = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
  const box = { bytes: new Uint8Array(1024 * 64 * 272), dims: [1024, 64, 272] as const, elementBytes: 1 as const };
  for (const [codec, most, isOwn] of [
    ['rle', 2, true],
    ['raw', 16, false],
  ] as const) {
    let [running, peak] = [0, 0];
    const pool = { ...counting(false), threads: 8 };
    const { run } = pool;
    pool.run = async (...task) => {
      peak = Math.max(peak, ++running);
      await nextTurn();
      return run(...task).finally(() => running--);
    };
    const own = counting(true);
    await createCpuBackend(pool, own).encode(box, rows, only(codec));
    expect(peak).toBe(most);
    expect(own.tasks > 0).toBe(isOwn);
  }
});

test('what is done before a thread has started is done here', async () => {
  const [pool, own] = [counting(false), counting(true)];
  await createCpuBackend(pool, own).encode(box, chunks, only('rle'));
  expect(pool.tasks).toBe(0);
  expect(own.tasks).toBeGreaterThan(0);
});
