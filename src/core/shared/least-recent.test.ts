import { expect, test } from 'vitest';
import { LeastRecent } from './least-recent.ts';

test('the order is that of an array from which each use moves an entry to the end', () => {
  const recent = new LeastRecent<number, string>();
  let expected: [number, string][] = [];
  let bits = 1;
  for (let step = 0; step < 300; step++) {
    bits = (Math.imul(bits, 1664525) + 1013904223) >>> 0;
    const key = (bits >>> 8) % 20;
    const known = expected.find(([other]) => other === key);
    const others = expected.filter(([other]) => other !== key);
    const way = (bits >>> 16) % 4;
    if (way === 0) {
      recent.set(key, `${step}`, key + 1);
      expected = [...others, [key, `${step}`]];
    } else if (way === 1) {
      expect(recent.delete(key)).toBe(known?.[1]);
      expected = others;
    } else if (way === 2) {
      expect(recent.get(key)).toBe(known?.[1]);
      if (known) expected = [...others, known];
    } else expect(recent.peek(key)).toBe(known?.[1]);
    expect([...recent.oldest()]).toEqual(expected);
    expect(recent.size).toBe(expected.length);
    expect(recent.bytes).toBe(expected.reduce((sum, [other]) => sum + other + 1, 0));
  }
});

test('entries may be deleted while they are visited', () => {
  const recent = new LeastRecent<number, number>();
  for (let key = 0; key < 5; key++) recent.set(key, key, 1);
  const visited: number[] = [];
  for (const [key] of recent.oldest()) {
    visited.push(key);
    recent.delete(key);
  }
  expect(visited).toEqual([0, 1, 2, 3, 4]);
  expect([...recent.oldest()]).toEqual([]);
  recent.set(7, 7, 1);
  recent.clear();
  expect(recent.size).toBe(0);
  expect([...recent.oldest()]).toEqual([]);
});
