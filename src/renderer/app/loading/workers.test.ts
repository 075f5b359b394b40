import { afterAll, expect, test, vi } from 'vitest';
import { createCpuBackend } from '../../../core/cpu/cpu-backend.ts';
import { inlinePool } from '../../../core/cpu/inline-pool.ts';
import { recordHeadLength } from '../../../core/format/layout.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import { compressBytes } from '../../../core/stream/engine-testing.ts';
import { allLevels } from '../../../core/stream/levels/leveled-writer.ts';
import { testInfo, testVoxels } from '../../../core/volume/resident-testing.ts';
import type { BrickAnswer, BrickCommand } from './brick-protocol.ts';
import type { DetailAnswer, DetailCommand } from './detail-protocol.ts';
import type { LoadCommand, LoadMessage, LoadRequest } from './load-protocol.ts';

vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
afterAll(() => {
  vi.unstubAllGlobals();
});

/** Runs a worker's module in this thread. */
async function workerOf<Command, Message>(load: () => Promise<unknown>) {
  const messages: Message[] = [];
  const before = globalThis.self;
  const scope = { onmessage: (_: { data: Command }) => {}, postMessage: (message: Message) => void messages.push(message) };
  Object.assign(globalThis, { self: scope });
  try {
    await load();
  } finally {
    Object.assign(globalThis, { self: before });
  }
  const next = async (isIt: (message: Message) => boolean): Promise<Message> => {
    await expect.poll(() => messages.some(isIt), { timeout: 20_000 }).toBe(true);
    return messages.find(isIt) as Message;
  };
  return { post: (data: Command) => scope.onmessage({ data }), messages, next };
}

async function requestOf(bytes: Uint8Array<ArrayBuffer>, name: string, raw?: RawLayout): Promise<LoadRequest> {
  const { port1 } = new MessageChannel();
  port1.close();
  const handle = { kind: 'blob', name, blob: new Blob([bytes]) } as const;
  const none = { raw, pictures: undefined, folder: undefined, headers: undefined, dataset: undefined };
  return { kind: 'file', handle, siblings: port1, ...none } as unknown as LoadRequest;
}

const info = testInfo([270, 21, 10, 1], 'u8');
const voxels = testVoxels(info);
const compressed = () => {
  const settings = { chunkShape: [32, 16, 8], levels: 'mean', levelLimits: allLevels } as const;
  return compressBytes(createCpuBackend(inlinePool()), info, voxels, settings);
};

test('the loading worker offers the levels of a .stria, and sends the chunks of the chosen one', async () => {
  const worker = await workerOf<LoadCommand, LoadMessage>(() => import('./load.worker.ts'));
  worker.post({ kind: 'open', request: await requestOf((await compressed()).bytes, 'a.stria') });
  const offer = await worker.next(({ kind }) => kind === 'info');
  expect(offer).toMatchObject({
    boxLevels: [{ factors: [1, 1, 1] }, { factors: [2, 2, 2] }, { factors: [4, 4, 4] }],
    making: undefined,
    levels: [{ dims: [135, 11, 5, 1], factors: [2, 2, 2] }, { factors: [4, 4, 4] }],
  });
  worker.post({ kind: 'start', as: 'voxels', level: 2, hasFiner: true });
  await worker.next(({ kind }) => kind === 'voxels');
  const sent = worker.messages.flatMap((one) => (one.kind === 'voxels' ? [one.bytes.byteLength] : []));
  expect(worker.messages.filter(({ kind }) => kind === 'fault')).toEqual([]);
  expect(sent.reduce((sum, length) => sum + length, 0)).toBe(68 * 6 * 3);
});

test('a level that will be replaced is read without the index of the volume', async () => {
  const { bytes } = await compressed();
  const index = Buffer.from(bytes).lastIndexOf('INDX');
  bytes[index + recordHeadLength + 20] = (bytes[index + recordHeadLength + 20] as number) ^ 1;
  const sent = async (hasFiner: boolean) => {
    vi.resetModules();
    const worker = await workerOf<LoadCommand, LoadMessage>(() => import('./load.worker.ts'));
    worker.post({ kind: 'open', request: await requestOf(bytes, 'a.stria') });
    await worker.next(({ kind }) => kind === 'info');
    worker.post({ kind: 'start', as: 'voxels', level: 2, hasFiner });
    return worker.next(({ kind }) => kind === 'voxels' || kind === 'fault');
  };
  expect(await sent(true)).toMatchObject({ kind: 'voxels' });
  expect(await sent(false)).toMatchObject({ kind: 'fault', fault: { tag: 'corrupt' } });
});

test('the worker for details reads any voxels of the file', async () => {
  const worker = await workerOf<DetailCommand, DetailAnswer>(() => import('./detail.worker.ts'));
  worker.post({ kind: 'open', request: await requestOf((await compressed()).bytes, 'a.stria') });
  worker.post({ kind: 'read', number: 0, box: { level: 0, first: [200, 7, 5], size: [60, 1, 1], timePoint: 0 } });
  worker.post({ kind: 'read', number: 1, box: { level: 0, first: [200, 99, 5], size: [1, 1, 1], timePoint: 0 } });
  const start = (5 * 21 + 7) * 270 + 200;
  expect(await worker.next(({ number }) => number === 0)).toEqual({ number: 0, bytes: voxels.slice(start, start + 60) });
  expect(await worker.next(({ number }) => number === 1)).toMatchObject({ fault: { tag: 'invalid-input' } });
});

test('the worker for bricks reads the chunks of a .stria, and boxes of voxels of a plain file', async () => {
  const raw: RawLayout = { dims: info.dims, type: 'u8', bigEndian: false, offset: 0 };
  for (const request of [await requestOf((await compressed()).bytes, 'a.stria'), await requestOf(voxels.slice(), 'a.raw', raw)]) {
    vi.resetModules();
    const worker = await workerOf<BrickCommand, BrickAnswer>(() => import('./bricks.worker.ts'));
    worker.post({ kind: 'open', request });
    const opened = await worker.next(({ kind }) => kind === 'opened' || kind === 'failed');
    if (opened.kind !== 'opened') throw new Error('not opened');
    const isChunked = request.kind === 'file' && request.raw === undefined;
    const { chunkShape, payloadLengths } = opened.levels[0] as (typeof opened.levels)[number];
    expect(chunkShape).toEqual(isChunked ? [32, 16, 8] : [270, 21, 10]);
    expect(payloadLengths[0]).toBeGreaterThan(0);
    expect(opened.levels.length).toBe(isChunked ? 3 : 1);
    worker.post({ kind: 'read', number: 0, level: 0, chunks: [0] });
    expect(await worker.next(({ kind }) => kind === 'read')).toMatchObject({ number: 0, chunks: [{ kind: 'coded' }] });
  }
});
