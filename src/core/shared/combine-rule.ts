/** How the values of several volumes at one voxel become one value. */
export const combineRules = ['sum', 'max', 'min', 'or'] as const;
export type CombineRule = (typeof combineRules)[number];
