import { describe, expect, it } from 'vitest';
import { describeShares, ratioOf } from './result.ts';

describe('result', () => {
  it('is voxels over file', () => {
    expect(ratioOf({ voxelBytes: 1000, striaBytes: 250 })).toBe(4);
    expect(ratioOf({ voxelBytes: 0, striaBytes: 0 })).toBe(0);
  });

  it('says which way chunks took, most used first', () => {
    expect(describeShares([{ codec: 'rle', axis: 'z', count: 8 }])).toBe('rle along z');
    expect(
      describeShares([
        { codec: 'constant', axis: undefined, count: 100 },
        { codec: 'rle', axis: 'x', count: 900 },
        { codec: 'raw', axis: undefined, count: 1 },
      ]),
    ).toBe('rle along x 90\u202f%, constant 10\u202f%, raw < 1\u202f%');
  });
});
