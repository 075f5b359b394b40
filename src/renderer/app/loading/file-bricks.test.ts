import { describe, expect, it } from 'vitest';
import { brickKey } from '../../../core/bricks/brick.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { BrickAnswer, BrickCommand } from './brick-protocol.ts';
import { FileBricks } from './file-bricks.ts';

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
  opened(): void {
    const places = {
      dims: [16, 8, 8, 1],
      chunkShape: [8, 8, 8],
      factors: [1, 1, 1],
      recordOffsets: Float64Array.of(2 ** 40, 0),
      recordLengths: Uint32Array.of(132, 0),
      payloadLengths: Uint32Array.of(100, 0),
    } as const;
    this.answer({ kind: 'opened', info: testInfo([16, 8, 8, 1], 'u8'), levels: [places] });
  }
}

const coded = { kind: 'coded', stages: [], payload: new Uint8Array(100), encodedChecksum: 0, decodedChecksum: 0 } as never;
const key = brickKey({ level: 0, number: 0 });

function setUp() {
  const workers: FakeWorker[] = [];
  const budgets = { hostBytes: 2 ** 16, payloadBytes: 1, atlasBytes: 1, textureBytes: 0 };
  const file = new FileBricks(budgets, () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker as never;
  });
  const open = async () => {
    const opening = file.open();
    workers.at(-1)?.opened();
    return { host: await opening, worker: workers.at(-1) as FakeWorker };
  };
  return { file, workers, open };
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

  it('can be opened again after a failure', async () => {
    const { file, workers, open } = setUp();
    const opening = file.open();
    workers[0]?.answer({ kind: 'failed', fault: { tag: 'not-readable', message: 'gone' } });
    await expect(opening).rejects.toMatchObject({ tag: 'not-readable' });
    expect((await open()).host).toBeDefined();
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  });
});
