import type { Quality } from './viewer-api.ts';

/** The distance between samples of the 3D view at rest, in texels. */
export const stillSteps: Readonly<Record<Quality, number>> = { draft: 1, normal: 0.5, fine: 0.25 };
