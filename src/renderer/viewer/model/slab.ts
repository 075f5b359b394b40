import { mostSlabSlices, type ThickSlice } from '../../../core/draw/slab-plane.ts';
import type { SlabChoice, SliceAxis, ViewState } from './viewer-api.ts';

/** The slab across an axis with a slice distance of `spacing`; undefined if it is only one slice. */
export function slabOf({ kind, thickness }: SlabChoice, spacing: number): ThickSlice | undefined {
  if (kind === 'none') return undefined;
  const slices = Math.min(mostSlabSlices, Math.round(thickness / spacing));
  return slices > 1 ? { kind, slices } : undefined;
}

/** The choice for slices across an axis. */
export function slabChoice({ slab, sliceSlabs }: Pick<ViewState, 'slab' | 'sliceSlabs'>, axis: SliceAxis): SlabChoice {
  return sliceSlabs?.[axis] ?? slab;
}

/** Changes the choice for slices across an axis, or for all if they share one. */
export function withSlab({ sliceSlabs }: Pick<ViewState, 'sliceSlabs'>, axis: SliceAxis, choice: SlabChoice): Partial<ViewState> {
  return sliceSlabs ? { sliceSlabs: { ...sliceSlabs, [axis]: choice } } : { slab: choice };
}

/** Uses the choice of `axis` for all slices, or separates them, which changes nothing on screen. */
export function linkedSlabs(
  state: Pick<ViewState, 'slab' | 'sliceSlabs'>,
  areSame: boolean,
  axis: SliceAxis,
): Partial<ViewState> {
  if (areSame) return { slab: slabChoice(state, axis), sliceSlabs: undefined };
  return { sliceSlabs: { x: slabChoice(state, 'x'), y: slabChoice(state, 'y'), z: slabChoice(state, 'z') } };
}

/** The initial choice: no slab, and a thickness of five of the thinnest slices. */
export function firstSlab(spacing: readonly [number, number, number]): SlabChoice {
  return { kind: 'none', thickness: Number((5 * Math.min(...spacing)).toPrecision(3)) };
}
