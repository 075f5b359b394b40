import type { RayVolume } from '../../../core/draw/ray-stack.ts';
import { rayTransfer } from '../../../core/draw/ray-transfer.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { colormap, colorsOf } from '../colors/colormaps.ts';
import { isFloorOpaque, opacityAt } from '../colors/transfer-function.ts';
import { firstLevel, surfaceOpacity } from '../model/auto-view.ts';
import { baseOpacity } from '../model/layers.ts';
import type { LayerIn3d } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { VoxelMap } from '../model/voxel-map.ts';

const whole = [1, 1, 1] as const;
// biome-ignore format: a matrix
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The open volume among several that rays cross. */
export function baseIn3d(state: ViewState, display: DisplayTexture): RayVolume {
  return {
    display,
    toUnit: identity,
    extent: whole,
    window: state.window,
    outside: state.outside,
    level: levelPlace(state),
    opacity: baseOpacity(state.layers),
    blending: 'over',
    smooth: true,
    isCategorical: colormap(state.colormap).isCategorical,
    isFloorOpaque: isFloorOpaque(state),
  };
}

/** A layer among several volumes that rays cross. The isosurface lies at the same part of its window as that of the open volume. */
export function layerIn3d(base: VolumeInfo, state: ViewState, { look, info, map, display }: LayerIn3d): RayVolume {
  const { isCategorical } = colormap(look.colormap);
  return {
    display,
    toUnit: unitMap(base, map, display),
    extent: extentOf(info, display),
    window: look.window,
    outside: [look.hidesBelow ? 'hide' : 'clamp', 'clamp'],
    level: levelPlace(state),
    opacity: look.opacity,
    blending: look.blending,
    smooth: look.smooth,
    isCategorical,
    // A floor that covers the volume below it is of no use.
    isFloorOpaque: false,
  };
}

/**
 * The transfer function of a volume among several. Image layers have the opacities of the open volume, by the place in their own
 * window. Labels have a colour each, and none for 0.
 */
export function stackTransfer(state: ViewState, look: Pick<ViewState, 'colormap' | 'inverted'>): Uint8Array<ArrayBuffer> {
  const colors = colorsOf(look);
  if (colormap(look.colormap).isCategorical) return rayTransfer(colors, (place) => (place === 0 ? 0 : 1));
  const opacity = colormap(state.colormap).isCategorical ? surfaceOpacity : state.opacity;
  return rayTransfer(colors, (place) => opacityAt(opacity, place));
}

/** From the unit cube of the open volume to that of a layer's texture, whose last texels may not be full. */
export function unitMap(
  base: VolumeInfo,
  { columns, shift }: VoxelMap,
  display: Pick<DisplayTexture, 'dims' | 'step'>,
): number[] {
  const part = (axis: number): number => 1 / (display.dims[axis as 0] * display.step);
  const column = (vector: readonly number[], by: number): number[] => vector.map((value, axis) => value * by * part(axis));
  return [...columns.flatMap((each, axis) => [...column(each, base.dims[axis as 0]), 0]), ...column(shift, 1), 1];
}

function extentOf(info: VolumeInfo, { dims, step }: DisplayTexture): RayVolume['extent'] {
  const [x, y, z] = dims.map((texels, axis) => info.dims[axis as 0] / (texels * step));
  return [x as number, y as number, z as number];
}

function levelPlace({ colormap: name, level, window: [low, high] }: ViewState): number {
  const place = (level - low) / (high - low);
  return colormap(name).isCategorical || !Number.isFinite(place) ? firstLevel : place;
}
