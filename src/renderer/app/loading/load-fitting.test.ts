import { expect, test } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import { loadFitting } from './load-fitting.ts';

/** Loads a file with three levels, of which the device can hold those from `fitting` on. */
async function tried(fitting: number, tag: 'out-of-memory' | 'corrupt' = 'out-of-memory', isWhole = false) {
  const levels: number[] = [];
  const loaded = loadFitting(
    async (level, onPlan) => {
      levels.push(level);
      onPlan({ nextLevel: level < 3 ? level + 1 : undefined });
      if (level < fitting) throw new StriaError(tag, 'no');
      return { level };
    },
    () => isWhole,
  );
  return { levels, result: await loaded.catch((error: unknown) => error) };
}

test('a coarser level is tried as long as the device has too little memory', async () => {
  expect(await tried(0)).toEqual({ levels: [0], result: { level: 0 } });
  expect(await tried(2)).toEqual({ levels: [0, 1, 2], result: { level: 2, lacksMemory: true } });
  expect(await tried(9)).toMatchObject({ levels: [0, 1, 2, 3], result: { tag: 'out-of-memory' } });
});

test('no coarser level is tried where it is useless', async () => {
  expect(await tried(2, 'out-of-memory', true)).toMatchObject({ levels: [0], result: { tag: 'out-of-memory' } });
});

test('other faults are thrown at once', async () => {
  expect(await tried(2, 'corrupt')).toMatchObject({ levels: [0], result: { tag: 'corrupt' } });
});
