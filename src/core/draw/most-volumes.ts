/** Rays cross at most this many volumes: each takes three of the 16 textures that every device can bind, and one is shared. */
export const mostRayVolumes = 5;
/** The limit if rays also hit meshes, whose texture takes one binding. */
export const mostRayVolumesWithMeshes = 4;
