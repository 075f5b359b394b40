/** How up to eight voxels are combined into one: their mean, or for labels their most frequent value. */
export type HalvingMethod = 'mean' | 'mode';
