/** Rays cross at most this many volumes: each takes three of the 16 textures that every device can bind, and one is shared. */
export const mostRayVolumes = 5;
/** As many if rays also meet meshes, whose texture takes a place. */
export const mostRayVolumesWithMeshes = 4;
