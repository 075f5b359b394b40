import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { requireBuild } from '../cli/cli-testing.ts';
import type { VoxelBox } from '../core/chunks/backend.ts';
import { gatherChunk } from '../core/chunks/boxes.ts';
import type { CpuTask, CpuTaskResult, TaskPool } from '../core/cpu/cpu-task.ts';
import { runCpuTask } from '../core/cpu/cpu-task-run.ts';
import type { EncodedChunk } from '../core/format/chunk.ts';
import { sharedBytes } from '../core/shared/shared-bytes.ts';
import { nextTurn } from '../core/shared/turn.ts';
import { createNodeTaskPool } from './node-task-pool.ts';

beforeAll(requireBuild);
let pool: TaskPool;
afterEach(() => pool.destroy());

const voxelsOf = (salt: number) => Uint8Array.from({ length: 4096 }, (_, i) => (i >> 6) * salt);
const encodeTask = (voxels: Uint8Array<ArrayBuffer>, codec = 'auto'): CpuTask => ({
  kind: 'encode',
  box: { bytes: voxels, dims: [16, 16, 16], elementBytes: 1 },
  chunks: [{ origin: [0, 0, 0], shape: [16, 16, 16] }],
  firstChunk: 0,
  codec,
  options: { axis: 'auto' },
});

test('threads give the same results as no threads, in the order of the requests', async () => {
  pool = createNodeTaskPool(2);
  const salts = Array.from({ length: 20 }, (_, i) => i);
  const results = await Promise.all(salts.map((salt) => pool.run(encodeTask(voxelsOf(salt)))));
  const analyzed = { startMs: expect.any(Number), endMs: expect.any(Number) };
  expect(results).toEqual(salts.map((salt) => ({ ...runCpuTask(encodeTask(voxelsOf(salt))), analyzed })));
  for (const [index, result] of results.entries()) {
    if (result.kind !== 'encode') throw new Error('an encode task got another task’s result');
    const decoded = await pool.run({
      kind: 'decode',
      chunks: [result.chunks[0] as EncodedChunk],
      shapes: [[16, 16, 16]],
      elementBytes: 1,
    });
    expect(decoded).toEqual({ kind: 'decode', voxels: voxelsOf(index), faults: [] });
  }
});

test('threads that are started beforehand take the first tasks', async () => {
  pool = createNodeTaskPool(3);
  let started = 0;
  const count = () => started++;
  process.on('worker', count);
  const startedBy = async (threads: number) => {
    pool.start?.(threads);
    await nextTurn();
    return started;
  };
  expect(await startedBy(2)).toBe(2);
  await Promise.all([1, 2].map((salt) => pool.run(encodeTask(voxelsOf(salt)))));
  expect(started).toBe(2);
  expect(await startedBy(9)).toBe(3);
  await pool.destroy();
  expect(await startedBy(9)).toBe(3);
  process.off('worker', count);
});

test('a whole buffer is transferred; a part of one is copied, and the original stays', async () => {
  pool = createNodeTaskPool(1);
  const whole = voxelsOf(1);
  const large = new Uint8Array(10_000);
  await Promise.all([pool.run(encodeTask(whole)), pool.run(encodeTask(large.subarray(100, 100 + 4096)))]);
  expect(whole.byteLength).toBe(0);
  expect(large.byteLength).toBe(10_000);
});

test('a payload in shared memory stays there, and its voxels go to a box in shared memory', async () => {
  pool = createNodeTaskPool(1);
  const result = await pool.run(encodeTask(voxelsOf(7), 'rice'));
  if (result.kind !== 'encode') throw new Error('not the result of an encode task');
  const chunk = result.chunks[0] as Extract<EncodedChunk, { kind: 'coded' }>;
  const payload = sharedBytes(chunk.payload.byteLength);
  payload.set(chunk.payload);
  const box = { bytes: sharedBytes(18 * 16 * 17), dims: [18, 16, 17] as const, elementBytes: 1 as const };
  const into = { box, origin: [2, 0, 1] as const };
  const task = { kind: 'decode', chunks: [{ ...chunk, payload }], shapes: [[16, 16, 16]], elementBytes: 1, into } as const;
  expect(await pool.run(task)).toEqual({ kind: 'decode', voxels: undefined, faults: [] });
  expect(payload.byteLength).toBe(chunk.payload.byteLength);
  const chunkBox = { origin: [2, 0, 1], shape: [16, 16, 16] } as const;
  expect(gatherChunk({ ...box, bytes: box.bytes.slice() }, chunkBox)).toEqual(voxelsOf(7));

  payload[0] = (payload[0] as number) ^ 1;
  expect(await pool.run({ ...task, checksPayload: true })).toMatchObject({ faults: [{ index: 0, fault: { tag: 'corrupt' } }] });
});

test('a brick is made of chunks; the damage of a chunk names it', async () => {
  pool = createNodeTaskPool(1);
  const result = await pool.run(encodeTask(voxelsOf(3), 'rice'));
  if (result.kind !== 'encode') throw new Error('not the result of an encode task');
  const chunk = result.chunks[0] as Extract<EncodedChunk, { kind: 'coded' }>;
  const task = (payload: Uint8Array): CpuTask => ({
    kind: 'halve',
    type: 'u8',
    method: 'mean',
    halvings: [[2, 2, 2]],
    shape: [16, 8, 8],
    blocks: [0, 8].map((x, number) => ({
      shape: [16, 16, 16],
      to: { origin: [x, 0, 0], shape: [8, 8, 8] },
      parts: [{ number, origin: [0, 0, 0], shape: [16, 16, 16], chunk: { ...chunk, payload: payload.slice() } }],
    })),
  });
  const made = runCpuTask(task(chunk.payload));
  expect(made).toMatchObject({ kind: 'halve', chunk: { kind: 'coded' } });
  expect(await pool.run(task(chunk.payload))).toEqual(made);
  const failing = pool.run(task(chunk.payload.subarray(0, 3)));
  await expect(failing).rejects.toMatchObject({ tag: 'corrupt', context: ['chunk 1'] });
});

test('the thread reads voxels from a file; a closed file is a fault', async () => {
  pool = createNodeTaskPool(1);
  const path = join(mkdtempSync(join(tmpdir(), 'stria-pool-')), 'a.raw');
  writeFileSync(path, new Uint8Array([9, 9, ...voxelsOf(5)]));
  const descriptor = openSync(path, 'r');
  const inMemory = encodeTask(voxelsOf(5)) as Extract<CpuTask, { kind: 'encode' }>;
  const inFile = (descriptor: number): CpuTask => ({
    ...inMemory,
    box: { place: { file: { path, descriptor }, start: 2 }, dims: [16, 16, 16], elementBytes: 1 },
  });
  const { chunks } = (await pool.run(inFile(descriptor))) as Extract<CpuTaskResult, { kind: 'encode' }>;
  expect(chunks).toEqual((runCpuTask(inMemory) as Extract<CpuTaskResult, { kind: 'encode' }>).chunks);
  closeSync(descriptor);
  await expect(pool.run(inFile(9999))).rejects.toMatchObject({ tag: 'not-readable', message: `${path}: EBADF` });
  rmSync(dirname(path), { recursive: true });
});

test('a fault is returned as a fault, and the thread continues', async () => {
  pool = createNodeTaskPool(1);
  await expect(pool.run(encodeTask(voxelsOf(3), 'no such codec'))).rejects.toMatchObject({ name: 'StriaError' });
  expect(await pool.run(encodeTask(voxelsOf(3)))).toMatchObject({ kind: 'encode' });
});

test('a cancelled task is not waited for', async () => {
  pool = createNodeTaskPool(1);
  const cancel = new AbortController();
  const running = pool.run(encodeTask(voxelsOf(1)), cancel.signal);
  const waiting = pool.run(encodeTask(voxelsOf(2)), cancel.signal);
  cancel.abort();
  await expect(running).rejects.toMatchObject({ tag: 'aborted' });
  await expect(waiting).rejects.toMatchObject({ tag: 'aborted' });
  await expect(pool.run(encodeTask(voxelsOf(3)), cancel.signal)).rejects.toMatchObject({ tag: 'aborted' });
  expect(await pool.run(encodeTask(voxelsOf(4)))).toMatchObject({ kind: 'encode' });
});

test('a cancelled task that a thread has not begun is not done', async () => {
  pool = createNodeTaskPool(1, 8);
  const result = (await pool.run(encodeTask(voxelsOf(7), 'rice'))) as Extract<CpuTaskResult, { kind: 'encode' }>;
  const chunk = result.chunks[0] as Extract<EncodedChunk, { kind: 'coded' }>;
  const boxes = [1, 2, 3, 4].map(() => ({ bytes: sharedBytes(4096), dims: [16, 16, 16] as const, elementBytes: 1 as const }));
  const decode = (number: number, signal?: AbortSignal) => {
    const into = { box: boxes[number] as VoxelBox, origin: [0, 0, 0] as const };
    // Payloads are transferred.
    const chunks = [{ ...chunk, payload: chunk.payload.slice() }];
    return pool.run({ kind: 'decode', chunks, shapes: [[16, 16, 16]], elementBytes: 1, into }, signal);
  };
  const cancel = new AbortController();
  const busy = pool.run(encodeTask(new Uint8Array(4096).map((_, i) => i * i)));
  const cancelled = [0, 1, 2].map((number) => decode(number, cancel.signal));
  cancel.abort();
  await Promise.allSettled([busy, ...cancelled]);
  await decode(3);
  expect(boxes.map(({ bytes }) => bytes.some((value) => value !== 0)).slice(2)).toEqual([false, true]);
});

test('tasks that wait when the pool is destroyed are cancelled', async () => {
  pool = createNodeTaskPool(1);
  const tasks = [1, 2, 3].map((salt) => pool.run(encodeTask(voxelsOf(salt))));
  const settled = Promise.allSettled(tasks);
  await pool.destroy();
  for (const outcome of await settled) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ tag: 'aborted' });
  }
  expect((await settled).some(({ status }) => status === 'rejected')).toBe(true);
  await expect(pool.run(encodeTask(voxelsOf(1)))).rejects.toMatchObject({ tag: 'internal' });
});

test('a task adds its listener to a signal that has ten without a warning of Node', async () => {
  pool = createNodeTaskPool(1);
  const controller = new AbortController();
  for (let count = 0; count < 10; count++) controller.signal.addEventListener('abort', () => {});
  const warnings: string[] = [];
  const warn = ({ name }: Error) => void warnings.push(name);
  process.on('warning', warn);
  try {
    await pool.run(encodeTask(voxelsOf(1)), controller.signal);
    await new Promise(setImmediate);
  } finally {
    process.off('warning', warn);
  }
  expect(warnings).toEqual([]);
});
