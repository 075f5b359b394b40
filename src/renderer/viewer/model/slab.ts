import { mostSlabSlices, type ThickSlice } from '../../../core/draw/slab-plane.ts';
import type { SlabChoice, SliceAxis, ViewState } from './viewer-api.ts';

/** The slab across an axis whose slices lie `spacing` apart; undefined: it is no more than one slice. */
export function slabOf({ kind, thickness }: SlabChoice, spacing: number): ThickSlice | undefined {
  if (kind === 'none') return undefined;
  const slices = Math.min(mostSlabSlices, Math.round(thickness / spacing));
  return slices > 1 ? { kind, slices } : undefined;
}

/** What was chosen for the slice across an axis. */
export function slabChoice({ slab, sliceSlabs }: Pick<ViewState, 'slab' | 'sliceSlabs'>, axis: SliceAxis): SlabChoice {
  return sliceSlabs?.[axis] ?? slab;
}

/** With another choice for the slice across an axis, or for all where they are the same. */
export function withSlab({ sliceSlabs }: Pick<ViewState, 'sliceSlabs'>, axis: SliceAxis, choice: SlabChoice): Partial<ViewState> {
  return sliceSlabs ? { sliceSlabs: { ...sliceSlabs, [axis]: choice } } : { slab: choice };
}

/** All slices as the one across `axis`, or each by itself from now on: nothing looks different then. */
export function linkedSlabs(
  state: Pick<ViewState, 'slab' | 'sliceSlabs'>,
  areSame: boolean,
  axis: SliceAxis,
): Partial<ViewState> {
  if (areSame) return { slab: slabChoice(state, axis), sliceSlabs: undefined };
  return { sliceSlabs: { x: slabChoice(state, 'x'), y: slabChoice(state, 'y'), z: slabChoice(state, 'z') } };
}

/** What slabs start with, should they be chosen: none, and five of the thinnest slices. */
export function firstSlab(spacing: readonly [number, number, number]): SlabChoice {
  return { kind: 'none', thickness: Number((5 * Math.min(...spacing)).toPrecision(3)) };
}
