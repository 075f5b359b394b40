import type { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { requireBuild } from '../cli/cli-testing.ts';
import { openSample } from '../core/samples/sample.ts';
import type { SampleRequest } from '../core/samples/sample-pieces.ts';
import { openSampleOnThreads } from './sample-threads.ts';

beforeAll(requireBuild);

let workers: Worker[] = [];
let ended = 0;
let piecesMade = 0;
const watch = (worker: Worker) => {
  workers.push(worker);
  worker.on('exit', () => ended++);
  worker.on('message', () => piecesMade++);
};
beforeEach(() => {
  workers = [];
  ended = 0;
  piecesMade = 0;
  process.on('worker', watch);
});
afterEach(() => {
  process.off('worker', watch);
  expect(ended).toBe(workers.length);
});

/** More than 8 MiB, so that it is worth two threads. Its pieces are 1 MB, the last is shorter. */
const large: SampleRequest = { kind: 'phantom', dims: [255, 256, 160], type: 'u8', seed: 3 };

async function expectSamePieces(request: SampleRequest, threads: number): Promise<void> {
  const expected = openSample(request).voxels();
  for await (const piece of openSampleOnThreads(request, threads).voxels()) {
    expect(Buffer.compare(piece, (await expected.next()).value as Uint8Array)).toBe(0);
  }
  expect((await expected.next()).done).toBe(true);
}

test.each([
  { kind: 'labels', type: 'f32', dims: [131, 129, 128] },
  { kind: 'phantom', type: 'f32', dims: [131, 129, 128] },
  { kind: 'phantom', type: 'u8', dims: [211, 209, 197] },
  { kind: 'phantom', type: 'u16', dims: [163, 169, 157] },
] as const)('$kind, $type: threads make the same voxels in the same order', async ({ kind, type, dims }) => {
  await expectSamePieces({ kind, dims, type, seed: 7 }, 2);
  expect(workers.length).toBe(2);
});

test('slices larger than a piece, and more threads than pieces', async () => {
  await expectSamePieces({ ...large, dims: [1500, 1500, 5] }, 2);
  await expectSamePieces({ ...large, dims: [3000, 3000, 1] }, 8);
});

test('one thread, a small sample, or one that is made quickly starts no threads', async () => {
  await expectSamePieces(large, 1);
  await expectSamePieces({ ...large, dims: [200, 200, 200] }, 8);
  await expectSamePieces({ ...large, kind: 'potential' }, 2);
  expect(workers).toEqual([]);
});

test('threads make only a few pieces ahead of the reader', async () => {
  const voxels = openSampleOnThreads({ ...large, dims: [1024, 1024, 64] }, 2).voxels();
  await voxels.next();
  const most = 6;
  while (piecesMade < most) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(piecesMade).toBe(most);
  await voxels.next();
  while (piecesMade < most + 1) await new Promise((resolve) => setTimeout(resolve, 1));
  await voxels.return(undefined);
});

test('a reader that stops, for instance on a full disk, ends the threads', async () => {
  for await (const _ of openSampleOnThreads(large, 2).voxels()) break;
  expect(workers.length).toBe(2);
});

test('a cancel ends the threads; one that came before starts none', async () => {
  const controller = new AbortController();
  const read = async () => {
    for await (const _ of openSampleOnThreads(large, 2).voxels({ signal: controller.signal })) controller.abort();
  };
  await expect(read()).rejects.toMatchObject({ tag: 'aborted' });
  expect(workers.length).toBe(2);
  await expect(read()).rejects.toMatchObject({ tag: 'aborted' });
  expect(workers.length).toBe(2);
});

test('after a cancel, no piece is given, even one that was made before', async () => {
  const controller = new AbortController();
  const voxels = openSampleOnThreads({ ...large, dims: [1500, 1500, 5] }, 2).voxels({ signal: controller.signal });
  await voxels.next();
  while (piecesMade < 5) await new Promise((resolve) => setTimeout(resolve, 1));
  controller.abort();
  await expect(voxels.next()).rejects.toMatchObject({ tag: 'aborted' });
});

test('a thread that dies is a fault, at once and for the pieces after it', async () => {
  const read = async () => {
    for await (const _ of openSampleOnThreads({ ...large, dims: [512, 512, 512] }, 2).voxels()) await workers[0]?.terminate();
  };
  await expect(read()).rejects.toMatchObject({ tag: 'internal', message: /CPU thread exited/ });
});
