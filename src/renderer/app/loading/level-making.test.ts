import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import { LevelMaking, restMs } from './level-making.ts';
import type { LevelsAnswer, LevelsBlob, LevelsOrder } from './levels-protocol.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class FakeWorker {
  onmessage: ((event: MessageEvent<LevelsAnswer>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly orders: LevelsOrder['kind'][] = [];
  isEnded = false;
  readonly timePoint: number;
  constructor(timePoint: number) {
    this.timePoint = timePoint;
  }
  postMessage({ kind }: LevelsOrder): void {
    this.orders.push(kind);
  }
  terminate(): void {
    this.isEnded = true;
  }
  answer(data: LevelsAnswer): void {
    this.onmessage?.({ data } as MessageEvent<LevelsAnswer>);
  }
  make(bytes: number, firstLevel = 1): void {
    this.answer({ kind: 'made', timePoint: this.timePoint, firstLevel, blob: new Blob([new Uint8Array(bytes)]) });
  }
}

function setUp(limitBytes = 100) {
  const workers: FakeWorker[] = [];
  const added: LevelsBlob[] = [];
  const dropped: number[] = [];
  const making = new LevelMaking({
    limitBytes,
    start: (timePoint) => {
      const worker = new FakeWorker(timePoint);
      workers.push(worker);
      return worker;
    },
    decimationOf: (level) => 2 ** level,
    add: (levels) => added.push(levels),
    drop: (timePoint) => dropped.push(timePoint),
    changed: () => {},
  });
  const rest = () => vi.advanceTimersByTime(restMs);
  const begun = () => workers.map(({ timePoint }) => timePoint);
  return { making, workers, added, dropped, rest, begun };
}

test('reading pauses while bricks are read, and for a while afterwards', () => {
  const { making, workers, rest } = setUp();
  vi.advanceTimersByTime(restMs - 1);
  expect(workers).toEqual([]);
  rest();
  making.read(0);
  making.read(0);
  rest();
  expect(workers[0]?.orders).toEqual(['pause']);
  making.ended();
  vi.advanceTimersByTime(restMs - 1);
  making.read(0);
  making.ended();
  vi.advanceTimersByTime(restMs - 1);
  expect(workers[0]?.orders).toEqual(['pause']);
  rest();
  expect(workers[0]?.orders).toEqual(['pause', 'resume']);
  expect(workers.length).toBe(1);
});

test('the time point that is shown is made, and an unfinished one is given up', () => {
  const { making, workers, added, rest, begun } = setUp();
  rest();
  making.show(3);
  rest();
  expect([begun(), workers[0]?.isEnded]).toEqual([[0, 3], true]);
  workers[1]?.make(10);
  expect(added.map(({ timePoint }) => timePoint)).toEqual([3]);
  expect([making.of(3)?.blob.size, making.of(0), making.bytes]).toEqual([10, undefined, 10]);
  // What was made is kept; what was given up is begun again.
  making.show(0);
  rest();
  making.show(3);
  rest();
  making.show(0);
  rest();
  expect(begun()).toEqual([0, 3, 0, 0]);
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, true, true, false]);
});

test('while frames follow each other, nothing is begun', () => {
  const { making, begun, rest } = setUp();
  for (let timePoint = 0; timePoint < 20; timePoint++) {
    making.show(timePoint);
    vi.advanceTimersByTime(restMs / 4);
  }
  expect(begun()).toEqual([]);
  rest();
  expect(begun()).toEqual([19]);
});

test('time points whose bricks are read beside the shown one are made after it, such as other channels', () => {
  const { making, workers, begun, rest } = setUp();
  making.read(2);
  making.read(0);
  making.ended();
  rest();
  workers[0]?.make(10);
  rest();
  expect(begun()).toEqual([0, 2]);
  workers[1]?.make(10);
  rest();
  expect(begun()).toEqual([0, 2]);
});

test('a late read of the previous time point does not put its levels before those of the shown one', () => {
  const { making, workers, rest, begun } = setUp();
  rest();
  making.show(3);
  making.read(0);
  making.ended();
  rest();
  expect([begun(), workers[0]?.isEnded]).toEqual([[0, 3], true]);
});

test('the oldest levels are dropped for new ones, but never those of the shown time point', () => {
  const { making, workers, dropped, begun, rest } = setUp(100);
  rest();
  workers[0]?.make(60);
  making.show(1);
  rest();
  workers[1]?.answer({ kind: 'progress', share: 0.5, bytes: 40 });
  expect(dropped).toEqual([]);
  workers[1]?.answer({ kind: 'progress', share: 0.6, bytes: 41 });
  expect(dropped).toEqual([0]);
  workers[1]?.make(50);
  making.read(0);
  making.ended();
  rest();
  workers[2]?.answer({ kind: 'progress', share: 0.9, bytes: 51 });
  expect([begun(), dropped, making.of(1)?.blob.size]).toEqual([[0, 1, 0], [0], 50]);
  workers[2]?.make(51);
  expect([making.of(0), making.bytes]).toEqual([undefined, 50]);
  // None are made over and over, until another time point is shown.
  rest();
  rest();
  expect(begun()).toEqual([0, 1, 0]);
  making.show(0);
  rest();
  expect(begun()).toEqual([0, 1, 0, 0]);
});

test('the state is in the end that of the shown time point', () => {
  const { making, workers, rest } = setUp();
  making.read(1);
  making.ended();
  rest();
  workers[0]?.answer({ kind: 'failed', fault: { tag: 'not-readable', message: 'away' } });
  rest();
  workers[1]?.make(10);
  rest();
  expect(making.state).toEqual({ kind: 'failed', message: 'away' });
});

test('levels that do not fit are named, and failures end the work on their time point only', () => {
  const { making, workers, begun, rest } = setUp();
  rest();
  workers[0]?.make(10, 2);
  expect(making.state).toEqual({ kind: 'made', leftOut: 2 });
  making.show(1);
  rest();
  workers[1]?.answer({ kind: 'failed', fault: { tag: 'limit-too-small', message: 'full' } });
  expect(making.state).toEqual({ kind: 'too-large' });
  making.show(2);
  rest();
  workers[2]?.onerror?.({ message: 'crashed' } as ErrorEvent);
  expect(making.state).toEqual({ kind: 'failed', message: 'the thread ended: crashed' });
  rest();
  expect([begun(), workers[2]?.isEnded]).toEqual([[0, 1, 2], true]);
  making.show(0);
  rest();
  expect(making.state).toEqual({ kind: 'made', leftOut: 2 });
});

test('levels that cannot be read again are forgotten, and say so', () => {
  const { making, workers, begun, rest } = setUp();
  rest();
  workers[0]?.make(10);
  making.lost(0, new StriaError('not-readable', 'no memory'));
  rest();
  expect([making.state, making.bytes, begun()]).toEqual([{ kind: 'failed', message: 'no memory' }, 0, [0]]);
});

test('lost levels of another time point do not change the state of the shown one', () => {
  const { making, workers, rest } = setUp();
  rest();
  workers[0]?.make(10);
  making.lost(1, new StriaError('not-readable', 'no memory'));
  expect(making.state).toEqual({ kind: 'made', leftOut: undefined });
});

test('lost levels of another time point do not hide that those of the shown one are being made', () => {
  const { making, rest } = setUp();
  rest();
  making.lost(1, new StriaError('not-readable', 'no memory'));
  expect(making.state).toEqual({ kind: 'making', percent: 0 });
});

test('closing ends the worker and forgets all levels', () => {
  const { making, workers, rest } = setUp();
  rest();
  workers[0]?.make(10);
  making.show(1);
  rest();
  making.close();
  making.read(1);
  making.ended();
  rest();
  expect([workers[1]?.isEnded, workers.length, making.bytes]).toEqual([true, 2, 0]);
});
