/** How a particle's mass is spread: into its own voxel, over 2 or 3 voxels along each axis, or over its smoothing sphere. */
export const depositKernels = ['ngp', 'cic', 'tsc', 'sph'] as const;
export type DepositKernel = (typeof depositKernels)[number];

/** The quantity in a voxel: the number of particles, their mass, or their mass divided by the voxel's volume. */
export const depositQuantities = ['count', 'mass', 'density'] as const;
export type DepositQuantity = (typeof depositQuantities)[number];

/** The quantity that fixed-point sums add up. A density is computed from masses at the end. */
export type SummedQuantity = Exclude<DepositQuantity, 'density'>;

/** What happens at the sides of the box: particles re-enter on the opposite side, or the part outside is left out. */
export const boxEdges = ['periodic', 'clip'] as const;
export type BoxEdges = (typeof boxEdges)[number];

export const depositScales = ['linear', 'log'] as const;
export type DepositScale = (typeof depositScales)[number];

export const depositTypes = ['u8', 'u16', 'f32'] as const;
export type DepositType = (typeof depositTypes)[number];
