/** Squared distances from 0 to 1 are divided into this many steps. */
export const smoothingSteps = 1024;
/** The largest weight. It keeps the sum of the weights of a particle below 2^24 (`maxRadiusVoxels`). */
const largestWeight = 1023;
/** A larger radius is limited to this, in voxels along an axis. */
export const maxRadiusVoxels = 32;
/** Smaller radii reach no other voxel's centre. */
export const minRadiusVoxels = 0.5;

/**
 * The cubic spline M4 (Monaghan and Lattanzio 1985) by squared distance, where 1 is the radius at which it becomes zero. The
 * weights are relative: each particle's are divided by their sum.
 */
export const smoothingWeights: Uint32Array<ArrayBuffer> = Uint32Array.from({ length: smoothingSteps }, (_, step) => {
  const distance = Math.sqrt((step + 0.5) / smoothingSteps);
  const rest = 1 - distance;
  const value = distance < 0.5 ? 1 - 6 * distance * distance * rest : 2 * rest * rest * rest;
  return Math.round(value * largestWeight);
});
