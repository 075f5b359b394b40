import { describe, expect, it } from 'vitest';
import type { Dims4 } from '../../../core/shared/volume.ts';
import { indexOf, numberOf, ofCount, placeWords, timePlace, timeWords } from './counting.ts';

describe('in the app', () => {
  it('slices, voxels and time points are counted from 1', () => {
    expect(ofCount(0, 32)).toBe('1 of 32');
    expect(ofCount(31, 32)).toBe('32 of 32');
    expect(placeWords([0, 16, 2])).toBe('x 1  y 17  z 3');
    expect(placeWords([0, 16, 2], { timePoint: 0, dims: [1, 17, 3, 5] })).toBe('x 1  y 17  z 3  t 1');
    expect(indexOf(numberOf(7))).toBe(7);
  });
});

it('a position along t is named by its channel and counted within it', () => {
  const channels = [{ name: 'DAPI' }, { name: '' }];
  const words = (index: number, dims: Dims4, named = true) => timeWords(named ? { dims, channels } : { dims }, index);
  expect(words(4, [1, 1, 1, 6])).toBe('Channel 2 · t 2');
  expect(words(1, [1, 1, 1, 6])).toBe('DAPI · t 2');
  expect(words(0, [1, 1, 1, 2])).toBe('DAPI');
  expect(words(3, [1, 1, 1, 6], false)).toBe('t 4');
  expect(words(0, [1, 1, 1, 1], false)).toBe('');
});

it('a place along t names the channel, and no time point where there is only one', () => {
  const channels = [{ name: 'DAPI' }, { name: '' }];
  const dims = [4, 4, 4, 2] as const;
  expect(timePlace({ dims, channels }, 1)).toBe('Channel 2');
  expect(timePlace({ dims: [1, 1, 1, 6], channels }, 1)).toBe('DAPI, time point 2');
  expect(timePlace({ dims }, 1)).toBe('time point 2');
  expect(timePlace({ dims: [1, 1, 1, 1] }, 0)).toBe('');
  expect(placeWords([0, 16, 2], { timePoint: 1, dims, channels })).toBe('x 1  y 17  z 3  Channel 2');
});
