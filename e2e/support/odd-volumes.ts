import { nifti, shapes, type TestVolume, volumeOf } from './volumes.ts';

// Volumes whose values are hard to show: extreme, tiny, close together, or missing. All contain the shapes of `shapes`, so a
// correct picture of them looks like one of ordinary data.

/** The largest finite 32-bit float. Its negative is a common mark for missing data. */
export const largestFloat = 3.4028234663852886e38;

const makers = {
  constant: (side) => made(side, 'f32', () => 42),
  /** 0 to 6.2e-13. */
  tiny: (side) => made(side, 'f32', (part) => 6.2e-13 * part),
  /** −3e38 to 3e38: their difference exceeds 32-bit floats. */
  extreme: (side) => made(side, 'f32', (part) => 3e38 * (2 * part - 1)),
  /** 0 to 100, and −FLT_MAX in a corner. */
  sentinel: (side) =>
    made(side, 'f32', (part, x, y, z) => (x < side / 4 && y < side / 2 && z < 0.75 * side ? -largestFloat : 100 * part)),
  /** Only NaN. */
  nan: (side) => made(side, 'f32', () => Number.NaN),
  /** 0 to 100, with NaN in a corner. */
  'some-nan': (side) => made(side, 'f32', (part, x, y) => (x < side / 4 && y < side / 2 ? Number.NaN : 100 * part)),
  /** 1000000.25 + x / 4: values differ only in the eighth digit. */
  offset: (side) => volumeOf([side, side, side], 'f32', (x) => 1000000.25 + x / 4),
  /** Whole numbers just below 2^32, which 32-bit floats cannot tell apart. */
  'near-2^32': (side) => made(side, 'u32', (part) => 2 ** 32 - 201 + 200 * part),
  /** Physical values fall as stored values rise; air is 1000 and the bright shapes are below. */
  'negative-slope': (side) => ({
    ...made(side, 'i16', (part) => Math.round(31 * part)),
    options: { slope: -2.5, intercept: 1000 },
  }),
} satisfies Record<string, (side: number) => OddVolume>;

export type OddName = keyof typeof makers;
export const oddNames = Object.keys(makers) as OddName[];

export interface OddVolume extends TestVolume {
  readonly options?: { readonly slope: number; readonly intercept: number };
}

export function oddVolume(name: OddName, side = 32): OddVolume {
  return makers[name](side);
}

/** One of these volumes as a NIfTI-1 file. */
export function oddNifti(name: OddName, side = 32): Buffer {
  const volume = oddVolume(name, side);
  return nifti(volume, volume.options);
}

/** @param value computes a voxel's value from its value in `shapes`, scaled to 0…1, and its position */
function made(
  side: number,
  type: TestVolume['type'],
  value: (part: number, x: number, y: number, z: number) => number,
): OddVolume {
  const like = shapes(side);
  return volumeOf(like.dims, type, (x, y, z) => value(like.voxel(x, y, z) / 200, x, y, z));
}
