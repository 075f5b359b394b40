import { mostSlabSlices, type Slab } from '../../core/engine/slab-plane.ts';
import type { SlabChoice } from './viewer-api.ts';

/** The slab across an axis whose slices lie `spacing` apart; undefined: it is no more than one slice. */
export function slabOf({ kind, thickness }: SlabChoice, spacing: number): Slab | undefined {
  if (kind === 'none') return undefined;
  const slices = Math.min(mostSlabSlices, Math.round(thickness / spacing));
  return slices > 1 ? { kind, slices } : undefined;
}

/** What slabs start with, should they be chosen: none, and five of the thinnest slices. */
export function firstSlab(spacing: readonly [number, number, number]): SlabChoice {
  return { kind: 'none', thickness: Number((5 * Math.min(...spacing)).toPrecision(3)) };
}
