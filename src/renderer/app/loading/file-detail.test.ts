import { getEventListeners } from 'node:events';
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

function setUp(making?: { readonly canSkip: boolean }) {
  const workers: FakeWorker[] = [];
  const start = () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker as never;
  };
  const detail = new FileDetail([], start, making);
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

  it('keeps nothing of what was read, however long the signal lives', async () => {
    const { detail, workers } = setUp();
    const { signal } = new AbortController();
    for (const number of [0, 1]) {
      const read = detail.read(box, { signal });
      workers[0]?.answer(
        number === 0 ? { number, bytes: Uint8Array.of(1) } : { number, fault: { tag: 'not-readable', message: 'no' } },
      );
      await read.catch(() => undefined);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
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

  it('tells its worker, and the next one, which levels are made', () => {
    expect(setUp().detail.making).toBeUndefined();
    const { detail, workers } = setUp({ canSkip: true });
    const [one, two] = [0, 3].map((timePoint) => ({ timePoint, firstLevel: 2, blob: new Blob() }));
    if (!one || !two) throw new Error('none');
    detail.addLevels(one);
    const isMade = (level: number, timePoint: number) => detail.making?.isMade(level, timePoint);
    expect([isMade(1, 0), isMade(2, 0), isMade(3, 0), isMade(2, 3)]).toEqual([false, true, true, false]);
    void detail.read(box).catch(() => undefined);
    detail.addLevels(two);
    expect(workers[0]?.commands).toMatchObject([{ kind: 'add-levels', levels: one }, { kind: 'read' }, { levels: two }]);
    detail.dropLevels(0);
    expect([isMade(2, 0), isMade(2, 3)]).toEqual([false, true]);
    expect(workers[0]?.commands.at(-1)).toEqual({ kind: 'drop-levels', timePoint: 0 });
    workers[0]?.onerror?.({ message: 'trap' } as ErrorEvent);
    void detail.read(box).catch(() => undefined);
    expect(workers[1]?.commands).toMatchObject([{ kind: 'add-levels', levels: two }, { kind: 'read' }]);
    detail.close();
    expect(isMade(2, 3)).toBe(false);
  });
});
