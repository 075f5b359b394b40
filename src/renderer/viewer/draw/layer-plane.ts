import type { LayerSamples } from '../../../core/draw/layer-slab.ts';
import { slabRange, type ThickSlice } from '../../../core/draw/slab-plane.ts';
import type { PlanePart } from '../../../core/volume/plane-chunks.ts';
import { colormap } from '../colors/colormaps.ts';
import type { ShownLayer } from '../model/view-host.ts';
import { mapPosition, mapStep } from '../model/voxel-map.ts';
import type { SliceDrawing } from './slice-contents.ts';

/** A slice of the open volume, and its place on a canvas. */
export interface PlacedSlice extends Pick<SliceDrawing, 'axis' | 'index' | 'map' | 'lineWidth'> {
  readonly volume: Pick<SliceDrawing['volume'], 'info'>;
  readonly slab?: ThickSlice | undefined;
}

/** A slice in voxels of a layer, or a slab if there is more than one slice. */
export type LayerPlane = Pick<LayerSamples, 'origin' | 'across' | 'right' | 'down' | 'slices'> & { readonly isThick: boolean };

/** Where a slice lies in a layer. A slab has all slices of the open volume, also if the GPU holds only some. Labels are never thick. */
export function layerPlane({ volume, axis, index, map, slab }: PlacedSlice, { look, map: toLayer }: ShownLayer): LayerPlane {
  const isThick = slab !== undefined && axis !== undefined && !colormap(look.colormap).isCategorical;
  const middle = axis === undefined ? map.origin : (map.origin.with(axis, 0.5) as [number, number, number]);
  return {
    isThick,
    origin: mapPosition(toLayer, middle),
    across: mapStep(toLayer, axis === undefined ? [0, 0, 0] : ([0, 0, 0].with(axis, 1) as [number, number, number])),
    right: mapStep(toLayer, map.right),
    down: mapStep(toLayer, map.down),
    slices: isThick ? slabRange(index, slab.slices, volume.info.dims[axis]) : [index, index],
  };
}

/** The part of a layer that a canvas shows, with the pixels beside the canvas on which outlines depend. */
export function planePart(slice: PlacedSlice, layer: ShownLayer, width: number, height: number): PlanePart {
  const { origin, across, right, down, slices } = layerPlane(slice, layer);
  const hasOutlines = layer.look.outline && colormap(layer.look.colormap).isCategorical;
  const margin = hasOutlines ? (slice.lineWidth ?? 1) : 0;
  const moved = origin.map((at, axis) => at - margin * ((right[axis] as number) + (down[axis] as number)));
  return {
    origin: moved as unknown as PlanePart['origin'],
    right,
    down,
    width: width + 2 * margin,
    height: height + 2 * margin,
    sweep: { step: across, first: slices[0], last: slices[1] },
  };
}
