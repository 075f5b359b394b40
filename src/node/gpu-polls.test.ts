import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { spaced } from './gpu-polls.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

test('tasks run at once, but from a number within a millisecond on only a millisecond later', () => {
  const ran: string[] = [];
  const schedule = spaced((task, ...values) => task(...values), 2);
  const run = (name: unknown) => ran.push(name as string);
  for (const name of ['a', 'b', 'c', 'd']) schedule(run, name);
  expect(ran).toEqual(['a', 'b']);
  vi.advanceTimersByTime(1);
  expect(ran).toEqual(['a', 'b', 'c', 'd']);
  vi.advanceTimersByTime(1);
  schedule(run, 'e');
  expect(ran).toContain('e');
});

test('with none at once, every task waits', () => {
  const task = vi.fn();
  spaced((now) => now(), 0)(task);
  expect(task).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(task).toHaveBeenCalledOnce();
});
