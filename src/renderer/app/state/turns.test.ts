import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

const settle = () => new Promise<void>((resolve) => setTimeout(resolve));

function setUp() {
  const waiting: (readonly string[])[] = [];
  const turns = new Turns((names) => waiting.push(names));
  const begun: string[] = [];
  const ends = new Map<string, (result: string) => void>();
  const take = (name: string) =>
    turns.take(name, (signal) => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, resolve);
        signal.addEventListener('abort', () => reject(new Error(`${name} was aborted`)));
      });
    });
  return { turns, waiting, begun, take, end: (name: string) => ends.get(name)?.(name) };
}

test('work begins in the order in which it was requested, also after work that fails', async () => {
  const { turns, waiting, begun, take, end } = setUp();
  const first = take('a');
  expect(begun).toEqual(['a']);
  const failing = turns.take('b', () => Promise.reject(new Error('broken')));
  const caught = failing.catch((error: Error) => error.message);
  const third = take('c');
  expect([begun, waiting.at(-1), turns.isBusy]).toEqual([['a'], ['b', 'c'], true]);
  end('a');
  expect(await first).toBe('a');
  expect(await caught).toBe('broken');
  await settle();
  expect([begun, waiting.at(-1)]).toEqual([['a', 'c'], []]);
  end('c');
  expect(await third).toBe('c');
  await settle();
  expect(turns.isBusy).toBe(false);
});

test('cancelling aborts what runs and drops what waits, also what was just told to begin', async () => {
  const { turns, waiting, begun, take, end } = setUp();
  const first = take('a').catch((error: Error) => error.message);
  const second = take('b');
  turns.cancel();
  expect([await first, await second, begun, waiting.at(-1)]).toEqual(['a was aborted', undefined, ['a'], []]);
  const third = take('c');
  end('c');
  expect(await third).toBe('c');
});

test('work that is cancelled between the end of the work before it and its own beginning does not begin', async () => {
  let isLast = false;
  const turns: Turns = new Turns((names) => {
    if (isLast && names.length === 0) turns.cancel();
  });
  let end = () => {};
  const first = turns.take('a', () => new Promise<void>((resolve) => (end = resolve)));
  let hasBegun = false;
  const second = turns.take('b', async () => (hasBegun = true));
  isLast = true;
  end();
  await first;
  expect([await second, hasBegun, turns.isBusy]).toEqual([undefined, false, false]);
});
