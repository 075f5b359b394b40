import { brickTexels } from '../../../core/bricks/layer-uniform.ts';
import type { RaySurface, Rgb } from '../../../core/draw/mesh-pass.ts';
import { labelSpan, mostLabels, type RayGrid, type RayVolume, rayStackRows } from '../../../core/draw/ray-stack.ts';
import { rayTransfer } from '../../../core/draw/ray-transfer.ts';
import { colorParts } from '../../../core/shared/label-table.ts';
import { type Dims3, elementBytes, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { typeRange } from '../../../core/volume/voxel-key.ts';
import { type ColorChoice, colormap, colorsOf, labelColorIndex } from '../colors/colormaps.ts';
import { isFloorOpaque, opacityAt } from '../colors/transfer-function.ts';
import { firstLevel, surfaceOpacity } from '../model/auto-view.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { baseId, baseOpacity } from '../model/layers.ts';
import type { LayerIn3d, ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { invertedMap, type VoxelMap } from '../model/voxel-map.ts';

const whole = [1, 1, 1] as const;
// biome-ignore format: a matrix
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The open volume as one of several that rays cross. */
export function baseIn3d(state: ViewState, display: RayGrid): RayVolume {
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

/**
 * The grid of the open volume if its voxels lie in bricks. Its range holds all labels that get texels of their own.
 * @param coarse the volume's texture, which has a lower resolution and may therefore lack some labels
 */
export function brickGrid({ dims: [x, y, z], type }: VolumeInfo, coarse: DisplayTexture): RayGrid {
  const first = Math.min(0, Math.floor(coarse.low));
  const [low, high] = elementBytes(type) <= 2 ? typeRange(type) : [first, Math.max(coarse.high, first + mostLabels - 1)];
  return { dims: [x, y, z], low, high, texture: { format: 'r32float' }, bricks: coarse.bricks };
}

/**
 * A layer as one of several volumes that rays cross. Its isosurface lies at the same fraction of its window as the open volume's.
 * @param isOfBricks whether it is drawn from bricks
 */
export function layerIn3d(
  base: VolumeInfo,
  state: ViewState,
  { look, info, map, display }: LayerIn3d,
  isOfBricks = false,
): RayVolume {
  const { isCategorical } = colormap(look.colormap);
  return {
    display,
    // Bricks fill the layer's cube, over which the coarser texture is then stretched, like that of the open volume.
    toUnit: unitMap(base, map, isOfBricks ? info.dims : textureDims(info, display)),
    extent: isOfBricks ? whole : extentOf(info, display),
    window: look.window,
    outside: [look.hidesBelow ? 'hide' : 'clamp', 'clamp'],
    level: levelPlace(state),
    opacity: look.opacity,
    blending: look.blending,
    smooth: look.smooth || look.of === baseId,
    isCategorical,
    // An opaque floor would cover the volume below.
    isFloorOpaque: false,
    bricks: isOfBricks ? { grid: brickGrid(info, display), texels: brickTexels(info.type) } : undefined,
  };
}

/** Lengths in the scene of the edges of a layer's cube. @param dims, edges of the open volume: its voxels, and the same lengths */
export function layerEdges({ info, map }: LayerIn3d, dims: Dims3, edges: Dims3): Dims3 {
  const lengths = invertedMap(map).columns.map(
    (step, axis) => info.dims[axis as 0] * Math.hypot(...step.map((part, at) => (part * edges[at as 0]) / dims[at as 0])),
  );
  return [lengths[0] as number, lengths[1] as number, lengths[2] as number];
}

/** A channel of the open volume that lies in its bricks. @param grid of the bricks */
export function channelIn3d(state: ViewState, layer: LayerIn3d, grid: RayGrid): RayVolume {
  return { ...layerIn3d(layer.info, state, layer), display: grid, toUnit: identity, extent: whole };
}

/** A mesh that rays meet. */
export function surfaceIn3d({ dims }: VolumeInfo, { look, mesh, map }: ShownMesh): RaySurface {
  const toCube = map.map((value, at) => value / (dims[Math.floor(at / 4)] as number));
  return { mesh, toCube, color: meshColor(look), opacity: look.opacity };
}

export function meshColor({ color }: Pick<ShownMesh['look'], 'color'>): Rgb {
  const [red = 0, green = 0, blue = 0] = colorParts(color);
  return [red / 255, green / 255, blue / 255];
}

/** The parts of a layer that its transfer function depends on, besides the view. */
export interface StackLook extends Pick<LayerIn3d, 'labels'> {
  readonly look: ColorChoice;
  readonly display: RayGrid;
}

/**
 * The transfer function of one of several volumes: `rayStackRows` rows of 256 texels. Image layers have the opacity curve of the open
 * volume, over their own window. Each label has a colour, except 0.
 */
export function stackTransfer(
  { colormap: base, opacity }: ViewState,
  { look, display, labels }: StackLook,
): Uint8Array<ArrayBuffer> {
  const { isCategorical } = colormap(look.colormap);
  if (isCategorical) return labelTransfer(display, labels);
  const points = colormap(base).isCategorical ? surfaceOpacity : opacity;
  return rayTransfer(colorsOf(look), (place) => opacityAt(points, place));
}

function labelTransfer(display: RayGrid, labels: ShownLabels | undefined): Uint8Array<ArrayBuffer> {
  const palette = colorsOf({ colormap: 'labels', inverted: false });
  const texels = new Uint8Array(1024 * rayStackRows({ display, isCategorical: true }));
  const { first, count } = labelSpan(display);
  const alpha = labels?.shows === 'none' ? 0 : 255;
  for (let index = 0; index < Math.max(256, count); index++) {
    const category = count === 0 ? index : labelColorIndex(first + index);
    texels.set(palette.subarray(3 * category, 3 * category + 3), 4 * index);
    texels[4 * index + 3] = (count === 0 ? index : first + index) === 0 ? 0 : alpha;
  }
  const set = (number: number, at: number, bytes: readonly number[]): void => {
    if (number !== 0 && number >= first && number < first + count) texels.set(bytes, 4 * (number - first) + at);
  };
  for (const { number, color } of labels?.table ?? []) if (color !== undefined) set(number, 0, colorParts(color));
  for (const number of labels?.except ?? []) set(number, 3, [255 - alpha]);
  return texels;
}

/** n if a layer's texture has 1/n of the layer's resolution. */
export function coarseness({ info, display: { dims } }: LayerIn3d): number {
  return Math.max(...dims.map((texels, axis) => Math.round(info.dims[axis as 0] / texels)));
}

/** Maps the unit cube of the open volume to that of a layer's texture. @param dims see `textureDims` */
function unitMap(base: VolumeInfo, { columns, shift }: VoxelMap, dims: readonly number[]): number[] {
  const column = (vector: readonly number[], by: number): number[] =>
    vector.map((value, axis) => (value * by) / (dims[axis] as number));
  return [...columns.flatMap((each, axis) => [...column(each, base.dims[axis as 0]), 0]), ...column(shift, 1), 1];
}

function extentOf(info: VolumeInfo, display: DisplayTexture): RayVolume['extent'] {
  const [x, y, z] = textureDims(info, display).map((voxels, axis) => info.dims[axis as 0] / voxels);
  return [x as number, y as number, z as number];
}

/**
 * The size of a layer's texture in voxels of the layer. The last texels may extend beyond the layer. The texture of a volume of which
 * the GPU holds only a coarser level is stretched over the whole volume, like that of the open volume.
 */
function textureDims(info: VolumeInfo, { dims, step }: DisplayTexture): readonly number[] {
  return dims.map((texels, axis) => Math.max(texels * step, info.dims[axis as 0]));
}

function levelPlace({ colormap: name, level, window: [low, high] }: ViewState): number {
  const place = (level - low) / (high - low);
  return colormap(name).isCategorical || !Number.isFinite(place) ? firstLevel : place;
}
