import { expect, test } from 'vitest';
import { FreeRanges } from './free-ranges.ts';

test('ranges never overlap, and all space is free again in the end', () => {
  const length = 1000;
  const free = new FreeRanges(length);
  const taken = new Map<number, number>();
  const used = new Uint8Array(length);
  let state = 3;
  const random = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  let refused = 0;
  for (let step = 0; step < 5000; step++) {
    if (random(5) < 3) {
      const bytes = 1 + random(60);
      const start = free.take(bytes);
      if (start === undefined) {
        refused++;
        // Byte by byte, there is no gap of that length.
        expect(
          Math.max(
            0,
            ...used
              .join('')
              .split('1')
              .map((gap) => gap.length),
          ),
        ).toBeLessThan(bytes);
        continue;
      }
      expect(used.subarray(start, start + bytes).every((byte) => byte === 0)).toBe(true);
      expect(start + bytes).toBeLessThanOrEqual(length);
      used.fill(1, start, start + bytes);
      taken.set(start, bytes);
    } else {
      const [start] = [...taken.keys()].slice(random(taken.size));
      if (start === undefined) continue;
      const bytes = taken.get(start) as number;
      free.give(start, bytes);
      used.fill(0, start, start + bytes);
      taken.delete(start);
    }
  }
  expect(refused).toBeGreaterThan(10);
  for (const [start, bytes] of taken) free.give(start, bytes);
  expect(free.gaps).toEqual([{ start: 0, end: length }]);
});
