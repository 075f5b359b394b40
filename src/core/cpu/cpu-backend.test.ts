import { expect, test } from 'vitest';
import type { BackendJob, ChunkBox, HeldBox, LentVoxels } from '../chunks/backend.ts';
import { gatherChunk } from '../chunks/boxes.ts';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { halve } from '../levels/halve.ts';
import type { ReadSharedFile } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { isShared } from '../shared/shared-bytes.ts';
import { nextTurn } from '../shared/turn.ts';
import type { Dims3 } from '../shared/volume.ts';
import { infoOf, only, voxelsOf } from '../stream/engine-testing.ts';
import { createCpuBackend } from './cpu-backend.ts';
import type { TaskPool } from './cpu-task.ts';
import type { CpuHeldBox } from './halved-boxes.ts';
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

test('the caller’s thread works beside a pool, and the bytes are the same', async () => {
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

test('a fast codec uses the caller’s thread and two others with three tasks each; other codecs use only the pool', async () => {
  const large = infoOf([1024, 64, 272, 1], 'u8');
  const grid = new ChunkGrid(large.dims, [64, 64, 16]);
  const rows = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
  const box = { bytes: new Uint8Array(1024 * 64 * 272), dims: [1024, 64, 272] as const, elementBytes: 1 as const };
  for (const [codec, most, isOwn] of [
    ['rle', 6, true],
    ['raw', 24, false],
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

test('a pool starts a thread for each 4 MiB that are expected, unless the caller’s thread takes part', () => {
  const started: number[] = [];
  const pool = { ...counting(false), start: (threads: number) => started.push(threads) };
  createCpuBackend(pool).expect?.(9 * 2 ** 20);
  createCpuBackend(pool, counting(true)).expect?.(2 ** 30);
  expect(started).toEqual([3]);
});

test('a row of chunks is divided evenly, so that a narrow last chunk is no task of its own', async () => {
  const dims = [1025, 64, 16] as const;
  const bytes = Uint8Array.from({ length: 1025 * 64 * 16 }, (_, at) => (at * at) >> 9);
  const grid = new ChunkGrid([...dims, 1], [64, 64, 16]);
  const boxes = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
  const counts: number[] = [];
  const pool = counting(true);
  const { run } = pool;
  pool.run = (task, ...rest) => {
    if (task.kind !== 'halve') counts.push(task.chunks.length);
    return run(task, ...rest);
  };
  const backend = createCpuBackend(pool);
  const encoded = await backend.encode({ bytes, dims, elementBytes: 1 }, boxes, only('rice'));
  expect(counts.splice(0)).toEqual([4, 4, 3, 3, 3]);
  const decoded = { bytes: new Uint8Array(bytes.byteLength), dims, elementBytes: 1 as const };
  await backend.decode(encoded, boxes, decoded);
  expect(counts).toEqual([6, 6, 5]);
  expect(Buffer.compare(decoded.bytes, bytes)).toBe(0);
});

async function inOnePiece(lent: LentVoxels | undefined) {
  const pieces: Uint8Array[] = [];
  for await (const { bytes } of lent?.pieces() ?? []) pieces.push(bytes);
  const [bytes] = pieces as [Uint8Array];
  return { bytes, release: () => lent?.release() };
}

test('threads decode into lent memory that they share, check payloads, and get the memory again once it is released', async () => {
  const encoded = await createCpuBackend(inlinePool()).encode(box, chunks, only('rice'));
  const { dims, elementBytes } = box;
  const backend = createCpuBackend(counting(false), counting(true));
  const decode = async (given = encoded, job?: BackendJob) =>
    inOnePiece(await backend.decodeLent?.(given, chunks, { dims, elementBytes }, job));
  const first = await decode();
  expect(isShared(first.bytes)).toBe(true);
  expect(first.bytes.slice()).toEqual(box.bytes);
  expect((await decode()).bytes.buffer).not.toBe(first.bytes.buffer);
  first.release();
  first.release();
  expect((await decode()).bytes.buffer).toBe(first.bytes.buffer);
  expect((await decode()).bytes.buffer).not.toBe(first.bytes.buffer);

  const wrong = encoded.map((chunk, number) =>
    number === 5 && chunk.kind === 'coded' ? { ...chunk, encodedChecksum: { sum: 1, cross: 2 } } : chunk,
  );
  await expect(decode(wrong)).rejects.toMatchObject({ tag: 'corrupt', fullMessage: expect.stringContaining('chunk 6') });
  const damaged: number[] = [];
  await decode(wrong, { onDamage: (chunk) => damaged.push(chunk) });
  expect(damaged).toEqual([5]);
});

test.each([
  ['one thread', () => [inlinePool()]],
  ['threads that share memory', () => [counting(false), counting(true)]],
  ['threads that share none', () => [{ ...counting(false), sharesMemory: false }, counting(true)]],
] as [string, () => [TaskPool, TaskPool?]][])(
  'a halved box is lent, and its memory used again once it is released: %s',
  async (_name, pools) => {
    const [pool, own] = pools();
    const backend = createCpuBackend(pool, own);
    const halved = new Uint8Array(halve(box.bytes, 'u8', box.dims, [2, 2, 2], 1, 'mean'));
    const encode = async (lends: boolean) => {
      let found: { bytes: Uint8Array; release: () => void } | undefined;
      const onHalved = ([bytes]: readonly Uint8Array[], release = () => {}) => {
        found = { bytes: bytes as Uint8Array, release };
      };
      const halving = { steps: [2, 2, 2], method: 'mean', type: 'u8', onHalved } as const;
      await backend.encode(box, chunks, only('rle'), { halving, ...(lends && { lend: () => {} }) });
      return found as NonNullable<typeof found>;
    };
    const unlent = await encode(false);
    expect(new Uint8Array(unlent.bytes)).toEqual(halved);
    unlent.release();
    const first = await encode(true);
    expect(new Uint8Array(first.bytes)).toEqual(halved);
    expect(first.bytes.buffer).not.toBe(unlent.bytes.buffer);
    first.release();
    first.release();
    const second = await encode(true);
    expect(second.bytes.buffer).toBe(first.bytes.buffer);
    expect(new Uint8Array(second.bytes)).toEqual(halved);
    expect((await encode(true)).bytes.buffer).not.toBe(first.bytes.buffer);
  },
);

const kindsOfPools: [string, () => [TaskPool, TaskPool?]][] = [
  ['one thread', () => [inlinePool()]],
  ['threads that share memory', () => [counting(false), counting(true)]],
];

test.each(kindsOfPools)('halved boxes go to several boxes, each a part, and are encoded there: %s', async (_name, pools) => {
  const backend = createCpuBackend(...pools());
  const dims = [61, 64, 31] as const;
  const bytes = voxelsOf(infoOf([...dims, 1], 'u8'), 'noise');
  const grid = new ChunkGrid([...dims, 1], [16, 16, 16]);
  const places = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
  const hold = async (shape: Dims3) => (await backend.hold?.({ dims: shape, elementBytes: 1 })) as CpuHeldBox;
  const [front, behind, second] = [await hold([31, 40, 9]), await hold([31, 40, 20]), await hold([16, 16, 8])];
  const into = [
    [
      { to: front, from: 0, plane: 2, planes: 7, row: 5 },
      { to: behind, from: 7, plane: 0, planes: 9, row: 5 },
    ],
    [{ to: second, from: 0, plane: 0, planes: 8, row: 0 }],
  ];
  const onHalved = () => {
    throw new Error('they went elsewhere');
  };
  const halving = { steps: [2, 2, 2], further: [[2, 2, 2]], method: 'mean', type: 'u8', into, onHalved } as const;
  await backend.encode({ bytes, dims, elementBytes: 1 }, places, only('rice'), { halving });
  const once = halve(bytes, 'u8', dims, [2, 2, 2], 1, 'mean');
  const twice = halve(once, 'u8', [31, 32, 16], [2, 2, 2], 1, 'mean');
  const planesOf = (held: HeldBox & { bytes: Uint8Array<ArrayBuffer> }, row: number, plane: number, planes: number) =>
    gatherChunk({ ...held }, { origin: [0, row, plane], shape: [held.dims[0], Math.min(32, held.dims[1]), planes] });
  expect(Buffer.compare(planesOf(front, 5, 2, 7), new Uint8Array(once).slice(0, 31 * 32 * 7))).toBe(0);
  expect(Buffer.compare(planesOf(behind, 5, 0, 9), new Uint8Array(once).slice(31 * 32 * 7))).toBe(0);
  expect(Buffer.compare(second.bytes, new Uint8Array(twice))).toBe(0);

  const whole = [{ origin: [0, 0, 0], shape: [16, 16, 8] } as const];
  const expected = await backend.encode(
    { bytes: new Uint8Array(twice), dims: [16, 16, 8], elementBytes: 1 },
    whole,
    only('rice'),
  );
  expect(await second.encode(whole, only('rice'))).toEqual(expected);
  second.release();
  expect((await hold([16, 16, 8])).bytes.buffer).toBe(second.bytes.buffer);
});

test('a held box to which a cancelled task may still write is not lent again', async () => {
  const inline = inlinePool();
  let isCancelled = false;
  const run: TaskPool['run'] = async (...given) => {
    if (isCancelled) throw new StriaError('aborted', 'cancelled');
    return inline.run(...given);
  };
  const backend = createCpuBackend({ ...inline, run, isInline: false });
  const hold = async () => (await backend.hold?.({ dims: [32, 32, 8], elementBytes: 1 })) as CpuHeldBox;
  const encode = (to: CpuHeldBox) => {
    const into = [[{ to, from: 0, plane: 0, planes: 8, row: 0 }]];
    const halving = { steps: [2, 2, 2], method: 'mean', type: 'u8', into, onHalved() {} } as const;
    return backend.encode(box, chunks, only('rle'), { halving });
  };
  const first = await hold();
  await encode(first);
  first.release();
  const again = await hold();
  expect(again.bytes.buffer).toBe(first.bytes.buffer);
  isCancelled = true;
  await expect(encode(again)).rejects.toMatchObject({ tag: 'aborted' });
  again.release();
  expect((await hold()).bytes.buffer).not.toBe(first.bytes.buffer);
});

test('memory to which a cancelled task may still write is not lent again', async () => {
  const encoded = await createCpuBackend(inlinePool()).encode(box, chunks, only('rice'));
  const { dims, elementBytes } = box;
  const cancelled: ArrayBufferLike[] = [];
  const inline = inlinePool();
  const pool: TaskPool = {
    ...inline,
    threads: 2,
    isInline: false,
    async run(task, ...rest) {
      if (cancelled.length > 0 || task.kind !== 'decode' || !task.into) return inline.run(task, ...rest);
      cancelled.push(task.into.box.bytes.buffer);
      throw new StriaError('aborted', 'cancelled');
    },
  };
  const backend = createCpuBackend(pool);
  const decode = async () => inOnePiece(await backend.decodeLent?.(encoded, chunks, { dims, elementBytes }));
  await expect(decode()).rejects.toMatchObject({ tag: 'aborted' });
  const lent = await decode();
  expect(lent.bytes.slice()).toEqual(box.bytes);
  expect(cancelled).not.toContain(lent.bytes.buffer);
});

test('a single thread lends no memory', () => {
  expect(createCpuBackend(inlinePool()).decodeLent).toBe(undefined);
});

test('work that ends before another thread could start stays on the caller’s thread', async () => {
  const [pool, own] = [counting(false), counting(true)];
  await createCpuBackend(pool, own).encode(box, chunks, only('rle'));
  expect(pool.tasks).toBe(0);
  expect(own.tasks).toBeGreaterThan(0);
});

test('if threads read the file themselves, a longer file starts more of them', async () => {
  const started: number[] = [];
  const fake = (isInline: boolean): TaskPool => ({
    threads: isInline ? 1 : 15,
    tasksAhead: 3,
    isInline,
    sharesMemory: false,
    readsFiles: true,
    run: async (task, _signal, threads) => {
      started.push(isInline ? 0 : (threads as number));
      await nextTurn();
      const span = { startMs: 0, endMs: 0 };
      const chunk = { kind: 'constant', element: new Uint8Array(1), decodedChecksum: { sum: 0, cross: 0 } } as const;
      const chunks = task.kind === 'encode' ? task.chunks.map(() => chunk) : [];
      return { kind: 'encode', chunks, voxels: undefined, read: span, analyzed: span };
    },
    destroy: async () => {},
  });
  const backend = createCpuBackend(fake(false), fake(true));
  const place = { file: { path: 'a.raw', descriptor: 3 }, start: 0 };
  const most: number[] = [];
  for (const layers of [1, 4, 4, 64]) {
    const grid = new ChunkGrid([512, 512, 64 * layers, 1], [64, 64, 64]);
    const chunks = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
    const box = { place, dims: [512, 512, 64 * layers] as const, elementBytes: 1 as const, fill: async () => {} };
    expect(await backend.encodeFile?.(box, chunks, only('rle'))).toHaveLength(grid.count);
    most.push(Math.max(...started.splice(0)));
  }
  expect(most).toEqual([0, 3, 5, 15]);
});

test('a task in a file takes whole rows of chunks while there are enough for all threads, because parts of rows are read with the rest of them', async () => {
  const dims = [128, 64, 16] as const;
  const bytes = voxelsOf(infoOf([...dims, 1], 'u8'), 'blobs');
  const grid = new ChunkGrid([...dims, 1], [16, 16, 16]);
  const boxes = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
  const alone = await createCpuBackend(inlinePool()).encode({ bytes, dims, elementBytes: 1 }, boxes, only('rice'));
  const file = { path: 'a.raw', descriptor: 3 };
  let readBytes = 0;
  const read: ReadSharedFile = (_file, position, target) => {
    target.set(bytes.subarray(position, position + target.byteLength));
    readBytes += target.byteLength;
    return target.byteLength;
  };
  for (const [threads, counts] of [
    [2, [8, 8, 8, 8]],
    [4, [4, 4, 4, 4, 4, 4, 4, 4]],
  ] as const) {
    const found: number[] = [];
    readBytes = 0;
    const inline = inlinePool(read);
    const run: TaskPool['run'] = (task, ...rest) => {
      if (task.kind === 'encode') found.push(task.chunks.length);
      return inline.run(task, ...rest);
    };
    const backend = createCpuBackend({ ...inline, threads, run });
    const box = { place: { file, start: 0 }, dims, elementBytes: 1 as const, fill: async () => {} };
    expect(await backend.encodeFile?.(box, boxes, only('rice'))).toEqual(alone);
    expect(found).toEqual(counts);
    if (threads === 2) expect(readBytes).toBe(bytes.byteLength);
  }
});

test('a decoding task never has more bytes than its limit, even if chunks do not divide it', async () => {
  const inline = inlinePool();
  const counts: number[] = [];
  const run: TaskPool['run'] = (task, ...rest) => {
    if ('shapes' in task) counts.push(task.shapes.length);
    return inline.run(task, ...rest);
  };
  const wide = { dims: [768, 128, 128] as const, elementBytes: 1 as const, bytes: new Uint8Array(768 * 128 * 128) };
  const shape = [256, 128, 128] as const;
  const boxes = [0, 1, 2].map((at): ChunkBox => ({ origin: [256 * at, 0, 0], shape }));
  const backend = createCpuBackend({ ...inline, run });
  const encoded = await backend.encode(wide, boxes, only('rle'));
  counts.length = 0;
  await backend.decode(encoded, boxes, wide);
  expect(counts).toEqual([1, 1, 1]);
});
