/** How a particle's mass is spread: into its voxel, over 2, 3 voxels along each axis, or over its smoothing sphere. */
export const depositKernels = ['ngp', 'cic', 'tsc', 'sph'] as const;
export type DepositKernel = (typeof depositKernels)[number];

/** What voxels hold: the number of particles, their mass, or their mass divided by the volume of a voxel. */
export const depositQuantities = ['count', 'mass', 'density'] as const;
export type DepositQuantity = (typeof depositQuantities)[number];

/** What the fixed-point sums add up. The density is made of masses at the end. */
export type SummedQuantity = Exclude<DepositQuantity, 'density'>;

/** What happens at the box's sides: particles enter on the other side, or what lies outside is left out. */
export const boxEdges = ['periodic', 'clip'] as const;
export type BoxEdges = (typeof boxEdges)[number];

export const depositScales = ['linear', 'log'] as const;
export type DepositScale = (typeof depositScales)[number];

export const depositTypes = ['u8', 'u16', 'f32'] as const;
export type DepositType = (typeof depositTypes)[number];
