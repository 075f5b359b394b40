// Halves boxes of voxels. See src/core/levels/halve.ts.

import { halveFloats } from './floats';
import { halveMeans } from './means';
import { halveModes } from './modes';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

/**
 * `halve` of src/core/levels/halve.ts, for one volume.
 * @param type its place in `elementTypes` of src/core/shared/volume.ts
 * @param isMode whether voxels become the most frequent one; of floats always the mean
 * @param at the first voxel; rows and planes are `rowStride` and `planeStride` bytes apart
 * @param sx 2 if x is halved, otherwise 1; `sy` and `sz` alike
 * @param to receives rows without gaps
 */
export function halve(
  type: u32,
  isMode: bool,
  at: usize,
  rowStride: u32,
  planeStride: u32,
  x: u32,
  y: u32,
  z: u32,
  sx: u32,
  sy: u32,
  sz: u32,
  to: usize,
): void {
  if (type === 6) halveFloats<f32>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
  else if (type === 7) halveFloats<f64>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
  else if (isMode) {
    // Signs do not matter.
    if (type < 2) halveModes<u8>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
    else if (type < 4) halveModes<u16>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
    else halveModes<u32>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
  } else if (type === 0) halveMeans<u8>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
  else if (type === 1) halveMeans<i8>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
  else if (type === 2) halveMeans<u16>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
  else if (type === 3) halveMeans<i16>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
  else if (type === 4) halveMeans<u32>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
  else halveMeans<i32>(at, rowStride, planeStride, x, y, z, sx, sy, sz, to);
}
