/** How up to eight voxels become one: by their mean, or for labels by the most frequent one. */
export type HalvingMethod = 'mean' | 'mode';
