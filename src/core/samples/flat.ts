import type { SampleShape, SliceFiller } from './slice-filler.ts';

/** All zeros: the best case of every codec. */
export function createZero(): SliceFiller {
  return () => {};
}

/**
 * A count from 0 to `period - 1`, repeated over all voxels in order, so that there are no runs along x. With period 256 and a
 * width that is a multiple of 256, every column along y is constant; with period 255 none is (Rutter's 'Sequence255' and
 * 'Sequence254').
 */
export function createSequence({ dims }: SampleShape, period: number): SliceFiller {
  const sliceVoxels = dims[0] * dims[1];
  return (z, slice) => {
    let value = (z * sliceVoxels) % period;
    for (let at = 0; at < slice.length; at++) {
      slice[at] = value;
      value = value + 1 === period ? 0 : value + 1;
    }
  };
}
