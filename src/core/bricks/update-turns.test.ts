import { afterEach, expect, test, vi } from 'vitest';
import { UpdateTurns } from './update-turns.ts';

afterEach(() => void vi.useRealTimers());

/** Volumes whose updates take `ms`. @returns which of them a frame updates */
function framesOf<Name extends string>(ms: Readonly<Record<Name, number>>) {
  vi.useFakeTimers();
  const volumes = new Map((Object.keys(ms) as Name[]).map((name) => [name, { name }]));
  const turns = new UpdateTurns<{ readonly name: Name }>();
  return (names: readonly Name[]): readonly Name[] => {
    const updated: Name[] = [];
    const drawn = names.flatMap((name) => volumes.get(name) ?? []);
    turns.run(drawn, ({ name }) => {
      updated.push(name);
      vi.advanceTimersByTime(ms[name]);
    });
    return updated;
  };
}

test('volumes whose updates take long have one frame each, in turn', () => {
  const frame = framesOf({ a: 3, b: 3, c: 3 });
  expect([1, 2, 3, 4].map(() => frame(['a', 'b', 'c']).join())).toEqual(['a', 'b', 'c', 'a']);
});

test('volumes with little to do share a frame, and one that was left out comes first', () => {
  const frame = framesOf({ a: 2, b: 2, c: 0.1 });
  expect([1, 2, 3].map(() => frame(['a', 'b', 'c']).join())).toEqual(['a,b', 'c,a,b', 'a,b']);
});

test('one volume is updated for each frame, and a volume that is no longer drawn is not waited for', () => {
  const frame = framesOf({ a: 5, b: 5 });
  expect([frame(['a']), frame(['a']), frame(['a', 'b']), frame(['a']), frame(['a', 'b'])]).toEqual([['a'], ['a'], ['a'], ['a'], ['a']]); // biome-ignore format: one line
  expect([frame(['a', 'b']), frame([])]).toEqual([['b'], []]);
});
