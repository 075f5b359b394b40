import { expect, test } from 'vitest';
import { ChunkGrid } from '../format/chunk-grid.ts';
import type { ChunkBox } from './backend.ts';
import { createCpuBackend } from './cpu-backend.ts';
import type { TaskPool } from './cpu-task.ts';
import { infoOf, only, voxelsOf } from './engine-testing.ts';
import { inlinePool } from './inline-pool.ts';

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

test('what is done before a thread has started is done here', async () => {
  const [pool, own] = [counting(false), counting(true)];
  await createCpuBackend(pool, own).encode(box, chunks, only('rle'));
  expect(pool.tasks).toBe(0);
  expect(own.tasks).toBeGreaterThan(0);
});
