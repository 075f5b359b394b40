import { afterEach, describe, expect, it, vi } from 'vitest';
import { brickKey } from '../../../core/bricks/brick.ts';
import { hostLimits } from '../../../core/bricks/host-limits.ts';
import type { StriaError } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { BrickAnswer, BrickCommand } from './brick-protocol.ts';
import { FileBricks } from './file-bricks.ts';
import { FileDetail } from './file-detail.ts';
import { restMs } from './level-making.ts';
import type { LevelsAnswer, LevelsOrder } from './levels-protocol.ts';

class FakeWorker {
  onmessage: ((event: MessageEvent<BrickAnswer>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly commands: BrickCommand[] = [];
  isEnded = false;
  postMessage(command: BrickCommand): void {
    this.commands.push(command);
  }
  terminate(): void {
    this.isEnded = true;
  }
  answer(data: BrickAnswer): void {
    this.onmessage?.({ data } as MessageEvent<BrickAnswer>);
  }
  /** Two chunks of a volume: one of 100 bytes, and a constant one. */
  opened(takesLevels = false): void {
    const places = {
      dims: [16, 8, 8, 1],
      chunkShape: [8, 8, 8],
      factors: [1, 1, 1],
      recordOffsets: Float64Array.of(2 ** 40, 0),
      recordLengths: Uint32Array.of(132, 0),
      payloadLengths: Uint32Array.of(100, 0),
    } as const;
    const coarse = { ...places, dims: [8, 4, 4, 1], factors: [2, 2, 2] } as const;
    const levels = takesLevels ? [places, { ...coarse, ...zeroes(1) }] : [places];
    this.answer({ kind: 'opened', info: testInfo([16, 8, 8, 1], 'u8'), levels, takesLevels });
  }
}

/** A level whose bricks are boxes of voxels. */
const zeroes = (count: number) => ({
  recordOffsets: new Float64Array(count),
  recordLengths: new Uint32Array(count),
  payloadLengths: new Uint32Array(count).fill(100),
});

class FakeLevels {
  onmessage: ((event: MessageEvent<LevelsAnswer>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly orders: LevelsOrder[] = [];
  isEnded = false;
  postMessage(order: LevelsOrder): void {
    this.orders.push(order);
  }
  terminate(): void {
    this.isEnded = true;
  }
  answer(data: LevelsAnswer): void {
    this.onmessage?.({ data } as MessageEvent<LevelsAnswer>);
  }
}

const coded = { kind: 'coded', stages: [], payload: new Uint8Array(100), encodedChecksum: 0, decodedChecksum: 0 } as never;
const key = brickKey({ level: 0, number: 0 });

function setUp(takesLevels = false) {
  const workers: FakeWorker[] = [];
  const levels: { timePoint: number; limitBytes: number; worker: FakeLevels }[] = [];
  const budgets = { hostBytes: 2 ** 16, payloadBytes: 1, atlasBytes: 1, textureBytes: 0 };
  const file = new FileBricks(budgets, {
    bricks: () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    },
    levels: (timePoint, limitBytes) => {
      const worker = new FakeLevels();
      levels.push({ timePoint, limitBytes, worker });
      return worker;
    },
  });
  const open = async () => {
    const opening = file.open();
    workers.at(-1)?.opened(takesLevels);
    return { host: await opening, worker: workers.at(-1) as FakeWorker };
  };
  return { file, workers, levels, open };
}

describe('FileBricks', () => {
  it('starts its worker when it is first needed, and knows where chunks are', async () => {
    const { file, workers, open } = setUp();
    expect(workers).toEqual([]);
    const { host } = await open();
    expect(host.source.place({ level: 0, number: 0 })).toEqual({ payloadBytes: 100, range: { offset: 2 ** 40, length: 132 } });
    expect(host.source.place({ level: 0, number: 1 })).toEqual({ payloadBytes: 0 });
    expect(await file.open()).toBe(host);
    expect(workers.length).toBe(1);
  });

  it('answers requests with chunks, and names chunks that cannot be read', async () => {
    const { host, worker } = await setUp().open();
    const [first, second] = [host.request(key, 0), host.request(brickKey({ level: 0, number: 1 }), 1)];
    expect(worker.commands).toMatchObject([{ kind: 'read', level: 0, chunks: [0] }, { chunks: [1] }]);
    worker.answer({ kind: 'read', number: 1, chunks: [{ fault: { tag: 'corrupt', message: 'damaged' } }] });
    worker.answer({ kind: 'read', number: 0, chunks: [coded] });
    expect(await first).toBe(coded);
    await expect(second).rejects.toMatchObject({ tag: 'corrupt', message: 'damaged' });
  });

  it('cancels a read that nobody waits for', async () => {
    const { host, worker } = await setUp().open();
    const controller = new AbortController();
    const read = host.request(key, 0, controller.signal);
    controller.abort();
    await expect(read).rejects.toMatchObject({ tag: 'aborted' });
    expect(worker.commands.at(-1)).toEqual({ kind: 'cancel', number: 0 });
  });

  it('ends with the volume, even during a read or while it is being opened', async () => {
    const { file, open } = setUp();
    const { host, worker } = await open();
    const read = host.request(key, 0);
    file.close();
    await expect(read).rejects.toMatchObject({ tag: 'aborted' });
    expect([worker.isEnded, host.use.keptBytes, host.use.waiting]).toEqual([true, 0, 0]);
    await expect(file.open()).rejects.toMatchObject({ tag: 'aborted' });

    const other = setUp();
    void other.file.open();
    other.file.close();
    expect(other.workers[0]?.isEnded).toBe(true);
  });

  it('starts another worker for the next read if its worker ends, and asks again for what that was reading', async () => {
    vi.useFakeTimers();
    const { workers, open } = setUp();
    const { host, worker } = await open();
    const read = host.request(key, 0);
    worker.onerror?.({ message: 'out of memory' } as ErrorEvent);
    expect([worker.isEnded, workers.length]).toEqual([true, 1]);
    await vi.advanceTimersByTimeAsync(hostLimits.retryMs);
    // It is told to read once it has opened the file.
    expect(workers.map(({ commands }) => commands.length)).toEqual([1, 0]);
    workers[1]?.opened();
    expect(workers[1]?.commands).toMatchObject([{ kind: 'read', level: 0, chunks: [0] }]);
    // A late answer of the first one is not taken.
    worker.answer({ kind: 'read', number: 1, chunks: [{ fault: { tag: 'corrupt', message: 'late', context: [] } }] });
    workers[1]?.answer({ kind: 'read', number: 1, chunks: [coded] });
    expect(await read).toBe(coded);
    vi.useRealTimers();
  });

  it('gives up a file whose worker ends again and again, and says so', async () => {
    const { workers, open } = setUp();
    const { source } = (await open()).host;
    const faults: unknown[] = [];
    for (let time = 0; time < 7; time++) {
      const read = source.read([{ level: 0, number: 0 }]).catch((fault: StriaError) => faults.push(fault.message));
      workers.at(-1)?.onerror?.({ message: 'crashed' } as ErrorEvent);
      await read;
    }
    const words = 'the thread that reads bricks ended: crashed';
    const final = `${words} (5 times). Open the file again`;
    expect(faults).toEqual([words, words, words, words, final, final, final]);
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, true, true, true, true]);
  });

  it('does not read from a file that has other bricks when its worker starts again', async () => {
    const { workers, open } = setUp();
    const { source } = (await open()).host;
    workers[0]?.onerror?.({ message: 'crashed' } as ErrorEvent);
    const read = source.read([{ level: 0, number: 0 }]);
    workers[1]?.opened(true);
    await expect(read).rejects.toMatchObject({ tag: 'not-readable', message: 'the file has changed. Open it again' });
    await expect(source.read([{ level: 0, number: 0 }])).rejects.toMatchObject({
      message: 'the file has changed. Open it again',
    });
  });

  it('can be opened again after a failure', async () => {
    const { file, workers, open } = setUp();
    const opening = file.open();
    workers[0]?.answer({ kind: 'failed', fault: { tag: 'not-readable', message: 'gone' } });
    await expect(opening).rejects.toMatchObject({ tag: 'not-readable' });
    expect((await open()).host).toBeDefined();
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  });
});

const takerOf = (given: Blob[]) => {
  const detail = new FileDetail([], () => {
    throw new Error('nothing is read');
  });
  vi.spyOn(detail, 'addLevels').mockImplementation(({ blob }) => void given.push(blob));
  return detail;
};

describe('levels in the background', () => {
  afterEach(() => vi.useRealTimers());

  it('are made once the first bricks have arrived, and then take the place of skipped voxels', async () => {
    vi.useFakeTimers();
    const { file, levels, open } = setUp(true);
    let changes = 0;
    file.onLevels = () => changes++;
    const given: Blob[] = [];
    file.giveLevels(takerOf(given));
    const { host, worker } = await open();
    const coarse = brickKey({ level: 1, number: 0 });
    const requests = [host.request(key, 0), host.request(coarse, 1)];
    vi.advanceTimersByTime(2 * restMs);
    expect([levels.length, file.levels]).toEqual([0, undefined]);
    worker.answer({ kind: 'read', number: 0, chunks: [coded] });
    worker.answer({ kind: 'read', number: 1, chunks: [coded] });
    await Promise.all(requests);
    vi.advanceTimersByTime(restMs);
    expect(levels).toMatchObject([{ timePoint: 0, limitBytes: 2 ** 15 }]);
    levels[0]?.worker.answer({ kind: 'progress', share: 0.437, bytes: 10 });
    expect([file.levels, changes]).toEqual([{ kind: 'making', percent: 43 }, 2]);
    const blob = new Blob(['levels']);
    levels[0]?.worker.answer({ kind: 'made', timePoint: 0, firstLevel: 1, blob });
    expect(worker.commands.at(-1)).toEqual({ kind: 'add-levels', levels: { timePoint: 0, firstLevel: 1, blob } });
    expect(file.levels).toEqual({ kind: 'made', leftOut: undefined });
    expect([file.levelBytes, file.wholeLevels]).toEqual([6, blob]);
    expect(given).toEqual([blob]);
    // After a device loss, slices are read by others, which get the levels that are made.
    file.giveLevels(takerOf(given));
    expect(given).toEqual([blob, blob]);
    expect(host.peek(coarse)).toBeDefined();
    worker.answer({ kind: 'renewed', timePoint: 0, firstLevel: 1 });
    expect([host.peek(coarse), host.peek(key)]).toEqual([undefined, coded]);
    file.close();
    await Promise.resolve();
    expect(levels[0]?.worker.isEnded).toBe(true);
  });

  it('are made of all time points that a read asks for', async () => {
    vi.useFakeTimers();
    const { levels, open } = setUp(true);
    const { host, worker } = await open();
    // The volume has two chunks, and here each of them is a time point.
    Object.assign(host.source.levels[0]?.grid ?? {}, { chunksPerTimePoint: 1 });
    void host.source.read([
      { level: 0, number: 0 },
      { level: 0, number: 1 },
    ]);
    worker.answer({ kind: 'read', number: 0, chunks: [coded, coded] });
    vi.advanceTimersByTime(restMs);
    levels[0]?.worker.answer({ kind: 'made', timePoint: 0, firstLevel: 1, blob: new Blob(['levels']) });
    vi.advanceTimersByTime(restMs);
    expect(levels.map(({ timePoint }) => timePoint)).toEqual([0, 1]);
  });

  it('go on if the thread that reads bricks ends, and go to the next one', async () => {
    vi.useFakeTimers();
    const { levels, open, workers } = setUp(true);
    const { host, worker } = await open();
    vi.advanceTimersByTime(restMs);
    const read = host.request(key, 0);
    expect(levels[0]?.worker.orders.map(({ kind }) => kind)).toEqual(['pause']);
    worker.onerror?.({ message: 'crashed' } as ErrorEvent);
    vi.advanceTimersByTime(restMs);
    expect(levels[0]?.worker.orders.map(({ kind }) => kind)).toEqual(['pause', 'resume']);
    const blob = new Blob(['levels']);
    levels[0]?.worker.answer({ kind: 'made', timePoint: 0, firstLevel: 1, blob });
    await vi.advanceTimersByTimeAsync(hostLimits.retryMs);
    workers[1]?.opened(true);
    expect(workers[1]?.commands).toMatchObject([
      { kind: 'add-levels', levels: { timePoint: 0, firstLevel: 1, blob } },
      { kind: 'read', level: 0, chunks: [0] },
    ]);
    workers[1]?.answer({ kind: 'read', number: 1, chunks: [coded] });
    expect(await read).toBe(coded);
  });

  it('are not made for a file that has levels, nor after Close', async () => {
    vi.useFakeTimers();
    const stored = setUp();
    const { host } = await stored.open();
    const closed = setUp(true);
    await closed.open();
    closed.file.close();
    await Promise.resolve();
    vi.advanceTimersByTime(10 * restMs);
    expect([stored.levels, closed.levels]).toEqual([[], []]);
    expect([stored.file.levels, stored.file.wholeLevels]).toEqual([undefined, undefined]);
    host.close();
  });

  it('leave the picture as it is if the file cannot be read', async () => {
    vi.useFakeTimers();
    const { file, levels, open } = setUp(true);
    const { worker } = await open();
    vi.advanceTimersByTime(restMs);
    levels[0]?.worker.answer({ kind: 'failed', fault: { tag: 'not-readable', message: 'the disk is away' } });
    vi.advanceTimersByTime(10 * restMs);
    expect(file.levels).toEqual({ kind: 'failed', message: 'the disk is away' });
    expect([levels.length, levels[0]?.worker.isEnded, worker.commands]).toEqual([1, true, []]);
    file.close();
  });
});
