import type { Quality } from './viewer-api.ts';

/** Texels between samples of the 3D view at rest. */
export const stillSteps: Readonly<Record<Quality, number>> = { draft: 1, normal: 0.5, fine: 0.25 };
