import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { spaced } from './gpu-polls.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

test('tasks run in order, each at least the gap after the one before, however often the event loop turns', () => {
  const ran: string[] = [];
  let waiting: (() => void)[] = [];
  const schedule = spaced((task) => waiting.push(task), 0.25);
  const turnAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    const now = waiting;
    waiting = [];
    for (const task of now) task();
    return ran.splice(0).join('');
  };
  const run = (name: unknown) => ran.push(name as string);
  for (const name of ['a', 'b']) schedule(run, name);
  expect([turnAfter(0), turnAfter(0.125), turnAfter(0.0625), turnAfter(0.0625)]).toEqual(['a', '', '', 'b']);
  expect(waiting).toEqual([]);
  schedule(run, 'c');
  expect([turnAfter(0.125), turnAfter(1)]).toEqual(['', 'c']);
  // A task that schedules itself again runs after those that waited before.
  const again = () => {
    ran.push('d');
    schedule(run, 'f');
  };
  for (const task of [again, () => ran.push('e')]) schedule(task);
  expect([turnAfter(1), turnAfter(0.125), turnAfter(0.25), turnAfter(0.25)]).toEqual(['d', '', 'e', 'f']);
  expect(waiting).toEqual([]);
  // A task that throws does not stop the next one.
  schedule(() => {
    throw new Error('thrown by a task');
  });
  schedule(run, 'g');
  expect(() => turnAfter(1)).toThrow('thrown by a task');
  expect(turnAfter(1)).toBe('g');
});

test('with a gap of a millisecond, every task sleeps', () => {
  const [task, schedule] = [vi.fn(), vi.fn()];
  spaced(schedule, 1)(task, 'value');
  expect(task).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(task).toHaveBeenCalledExactlyOnceWith('value');
  expect(schedule).not.toHaveBeenCalled();
});
