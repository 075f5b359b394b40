/** Names of the colormaps in resources/colormaps, in the order in which a menu shows them. */
export const colormapNames = ['gray', 'gray-inverted', 'bone', 'hot', 'viridis', 'magma', 'inferno', 'turbo', 'labels'] as const;
export type ColormapName = (typeof colormapNames)[number];
