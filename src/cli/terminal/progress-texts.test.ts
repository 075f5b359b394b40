import { expect, test } from 'vitest';
import { progressTexts } from './progress-texts.ts';

test('the rate and the time left are those of the stage', () => {
  const texts = progressTexts(0);
  expect(texts({ stage: 'Reading', done: 1e9, total: undefined }, 10_000)).toEqual({
    stage: 'Reading',
    amount: '1.00 GB',
    rate: '100 MB/s',
    left: '',
  });
  expect(texts({ stage: 'Compressing', done: 1e6, total: 1e9 }, 60_000)).toMatchObject({ rate: '', left: '' });
  expect(texts({ stage: 'Compressing', done: 2.01e8, total: 1.001e9 }, 61_000)).toMatchObject({
    amount: '201 MB of 1.00 GB',
    rate: '200 MB/s',
    left: '4.00 s left',
  });
});

test('a stage that goes on after another one is timed by what it does from then on', () => {
  // As in `deposit` with sums in two passes.
  const texts = progressTexts(0);
  const depositing = (done: number, nowMs: number) =>
    texts({ stage: 'Depositing', done, total: 2000, counts: 'particles' }, nowMs).left;
  expect(depositing(1000, 100_000)).toBe('1 min 40 s left');
  texts({ stage: 'Compressing', done: 1e9, total: 2e9 }, 110_000);
  depositing(1010, 111_000);
  expect(depositing(1020, 112_000)).toBe('1 min 38 s left');
});

test('files and particles are counted, not measured in bytes', () => {
  const texts = progressTexts(0);
  expect(texts({ stage: 'Reading headers', done: 20, total: 300, counts: 'files' }, 1000)).toEqual({
    stage: 'Reading headers',
    amount: '20 of 300 files',
    rate: '',
    left: '14.0 s left',
  });
});
