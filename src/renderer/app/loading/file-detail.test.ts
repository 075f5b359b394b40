import { describe, expect, it } from 'vitest';
import type { LevelBox } from '../../../core/shared/volume-level.ts';
import type { DetailAnswer, DetailCommand } from './detail-protocol.ts';
import { FileDetail } from './file-detail.ts';

const box: LevelBox = { level: 0, first: [0, 0, 0], size: [1, 1, 1], timePoint: 0 };

class FakeWorker {
  onmessage: ((event: MessageEvent<DetailAnswer>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly commands: DetailCommand[] = [];
  isEnded = false;
  postMessage(command: DetailCommand): void {
    this.commands.push(command);
  }
  terminate(): void {
    this.isEnded = true;
  }
  answer(data: DetailAnswer): void {
    this.onmessage?.({ data } as MessageEvent<DetailAnswer>);
  }
}

function setUp() {
  const workers: FakeWorker[] = [];
  const detail = new FileDetail([], () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker as never;
  });
  return { detail, workers };
}

describe('FileDetail', () => {
  it('starts its worker with the first request, and matches answers to requests', async () => {
    const { detail, workers } = setUp();
    expect(workers).toEqual([]);
    const [one, two] = [detail.read(box), detail.read(box)];
    const [worker] = workers as [FakeWorker];
    worker.answer({ number: 1, bytes: Uint8Array.of(2) });
    worker.answer({ number: 0, fault: { tag: 'not-readable', message: 'gone' } });
    expect(await two).toEqual(Uint8Array.of(2));
    await expect(one).rejects.toMatchObject({ tag: 'not-readable' });
    expect(workers.length).toBe(1);
  });

  it('cancels, and ignores a late answer', async () => {
    const { detail, workers } = setUp();
    const controller = new AbortController();
    const read = detail.read(box, { signal: controller.signal });
    controller.abort();
    await expect(read).rejects.toMatchObject({ tag: 'aborted' });
    expect(workers[0]?.commands.at(-1)).toEqual({ kind: 'cancel', number: 0 });
    workers[0]?.answer({ number: 0, bytes: Uint8Array.of(1) });
    await expect(detail.read(box, { signal: controller.signal })).rejects.toMatchObject({ tag: 'aborted' });
  });

  it('ends with the volume, even during a request', async () => {
    const { detail, workers } = setUp();
    const read = detail.read(box);
    detail.close();
    await expect(read).rejects.toMatchObject({ tag: 'aborted' });
    await expect(detail.read(box)).rejects.toMatchObject({ tag: 'aborted' });
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true]);
  });

  it('starts another worker after one has failed', async () => {
    const { detail, workers } = setUp();
    const read = detail.read(box);
    workers[0]?.onerror?.({ message: 'out of memory' } as ErrorEvent);
    await expect(read).rejects.toMatchObject({ tag: 'internal' });
    const again = detail.read(box);
    workers[1]?.answer({ number: 1, bytes: Uint8Array.of(7) });
    expect(await again).toEqual(Uint8Array.of(7));
  });
});
