import { expect, test } from 'vitest';
import { chooseValue } from './tune.ts';

const choice = { values: [32, 64, 128], standard: 64 } as const;
const turns = { least: 3, most: 7, enoughMs: 100 };

/** A clock that advances only while samples run. `costMs` gives the time of a value's n-th sample. */
function simulated(costMs: (value: number, sample: number) => number) {
  let nowMs = 0;
  const taken: number[] = [];
  return {
    taken,
    now: () => nowMs,
    sample: async (value: number): Promise<number> => {
      const ms = costMs(value, taken.filter((known) => known === value).length);
      taken.push(value);
      nowMs += ms;
      return ms;
    },
  };
}

test('the fastest value is chosen if it is 5 % faster', async () => {
  const { sample, now } = simulated((value) => ({ 32: 9.4, 64: 10, 128: 30 })[value] as number);
  expect(await chooseValue(choice, sample, { turns, now })).toEqual({ chosen: 32, medianMs: [9.4, 10, 30] });
});

test('the standard stays if another value is faster by less', async () => {
  const { sample, now } = simulated((value) => ({ 32: 9.6, 64: 10, 128: 30 })[value] as number);
  expect(await chooseValue(choice, sample, { turns, now })).toEqual({ chosen: 64, medianMs: [9.6, 10, 30] });
});

test('the standard stays if another value is faster only once', async () => {
  const { sample, now } = simulated((value, count) => (value === 32 && count < 6 ? 5 : 10));
  expect((await chooseValue(choice, sample, { turns, now })).chosen).toBe(64);
});

test('the standard stays if the clock does not advance, or if its resolution hides the difference', async () => {
  const standing = simulated(() => 0);
  expect((await chooseValue(choice, standing.sample, { turns, now: standing.now })).chosen).toBe(64);
  const coarse = simulated((value) => (value === 32 ? 0.1 : 0.2));
  expect((await chooseValue(choice, coarse.sample, { turns, now: coarse.now, clockStepMs: 0.1 })).chosen).toBe(64);
});

test('a GPU that slows down meanwhile affects all values alike', async () => {
  const clock = simulated(() => 0);
  let count = 0;
  const sample = async (value: number): Promise<number> => {
    await clock.sample(value);
    return 10 + 0.2 * count++;
  };
  expect((await chooseValue(choice, sample, { turns, now: clock.now })).chosen).toBe(64);
  expect(clock.taken.slice(0, 6)).toEqual([32, 64, 128, 128, 64, 32]);
});

test('slow work is measured in three rounds, fast work in seven', async () => {
  const slow = simulated(() => 100);
  await chooseValue(choice, slow.sample, { turns, now: slow.now });
  expect(slow.taken).toHaveLength(3 * 6);
  const fast = simulated(() => 0.1);
  await chooseValue(choice, fast.sample, { turns, now: fast.now });
  expect(fast.taken).toHaveLength(7 * 6);
});
