import { describe, expect, it } from 'vitest';
import type { Dims4 } from '../../core/shared/volume.ts';
import { stacksOf } from './stacks.ts';

const labels = (dims: Dims4, arePictures = false) =>
  stacksOf({ dims }, arePictures).map(({ label, frameCount, isSeries }) => `${label} ${frameCount}${isSeries ? ' series' : ''}`);

describe('stacks to play', () => {
  it('are time first, then slices', () => {
    expect(labels([4, 5, 6, 7])).toEqual(['Time 7 series', 'z slices 6', 'y slices 5', 'x slices 4']);
    expect(labels([4, 5, 6, 1])).toEqual(['z slices 6', 'y slices 5', 'x slices 4']);
  });

  it('are time within a channel, and no time if there are only channels', () => {
    const channels = [{ name: 'DAPI' }, { name: 'GFP' }];
    const times = (dims: Dims4) => stacksOf({ dims, channels }, false).map(({ label, frameCount }) => `${label} ${frameCount}`);
    expect(times([64, 64, 1, 6])).toEqual(['Time 3']);
    expect(times([64, 64, 1, 2])).toEqual([]);
  });

  it('are pictures as frames', () => {
    expect(labels([640, 480, 120, 1], true)).toEqual(['Frames 120 series', 'y slices 480', 'x slices 640']);
    expect(labels([640, 1, 120, 1], true)).toEqual(['Frames 120 series']);
  });

  it('are none for a single picture', () => {
    expect(labels([640, 480, 1, 1], true)).toEqual([]);
    expect(labels([640, 480, 1, 1])).toEqual([]);
    expect(labels([1, 480, 60, 1])).toEqual([]);
  });

  it('are only time for a series of planes', () => {
    expect(labels([64, 64, 1, 20])).toEqual(['Time 20 series']);
  });
});
