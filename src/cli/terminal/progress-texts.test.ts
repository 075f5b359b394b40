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
  expect(texts({ stage: 'Compressing', done: 2e8, total: 1e9 }, 61_000)).toMatchObject({
    amount: '200 MB of 1.00 GB',
    rate: '200 MB/s',
    left: '4.00 s left',
  });
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
