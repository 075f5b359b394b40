import type { MeshOutline } from '../../../core/draw/outline-pass.ts';
import type { SlabPlane } from '../../../core/draw/slab-plane.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { colormap } from '../colors/colormaps.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { baseOpacity, layerTime, shownChannels } from '../model/layers.ts';
import { safeSpacing, sliceFrame } from '../model/orientation.ts';
import { slabChoice, slabOf } from '../model/slab.ts';
import { keptInSight, placeSlice, type SliceCamera, type SlicePlacement } from '../model/slice-geometry.ts';
import type { ShownMesh, ViewHost } from '../model/view-host.ts';
import type { SliceAxis, ViewState } from '../model/viewer-api.ts';
import type { PlacedSlice } from './layer-plane.ts';
import { meshColor } from './ray-volumes.ts';
import type { LayerDrawing, SliceDrawing, TimedLayer } from './slice-contents.ts';
import type { DetailDrawing, DetailWish } from './slice-detail.ts';

/** The free margin around a fitted slice in CSS pixels, with space for the letters. */
const sliceMargin = 24;

export interface SliceSize {
  readonly width: number;
  readonly height: number;
}

/** The free margin around a fitted slice, in pixels. */
export function marginOf({ width, height }: SliceSize, pixelRatio: number): number {
  return Math.min(sliceMargin * pixelRatio, 0.1 * Math.min(width, height));
}

/** The placement of the slice through the crosshair on a canvas or picture. @param pixelRatio its pixels per CSS pixel */
export function slicePlacement(
  info: VolumeInfo,
  axis: SliceAxis,
  { crosshair }: Pick<ViewState, 'crosshair'>,
  camera: SliceCamera,
  size: SliceSize,
  pixelRatio: number,
): SlicePlacement {
  const frame = sliceFrame(info, axis);
  const [x, y, z] = info.dims;
  const placement: SlicePlacement = {
    frame,
    dims: [x, y, z],
    spacing: safeSpacing(info),
    width: size.width,
    height: size.height,
    index: crosshair[frame.across],
    camera,
    margin: marginOf(size, pixelRatio),
  };
  return { ...placement, camera: keptInSight(placement) };
}

/** Everything that a slice's drawing depends on besides its placement. */
export interface SliceSettings {
  readonly pixelRatio: number;
  readonly state: ViewState;
  readonly layers: readonly LayerDrawing[];
  readonly meshes?: readonly ShownMesh[];
  /** The labels of the volume. */
  readonly labels?: ShownLabels | undefined;
  /** Finer voxels of the slice. */
  readonly detail?: DetailDrawing | undefined;
  /** Scratch memory for slabs. It is freed if the slice is not thick. */
  readonly plane: SlabPlane;
  readonly ground: GPUColorDict;
}

/** The layers to draw in a state, the lowest first, with the time points that they show. */
export function timedLayers(host: Pick<ViewHost, 'volume' | 'layersIn'>, state: ViewState): readonly TimedLayer[] {
  const base = host.volume?.info;
  if (!base) return [];
  return host.layersIn(state).map((layer) => {
    const timePoint = layerTime(base, state.timePoint, layer.volume.info, layer.look.channel);
    return { ...layer, timePoint };
  });
}

/**
 * The indices along t of the slices of the volume and its channels that need finer voxels than those in GPU memory. Channels that are
 * shown as labels are left out: they are drawn like layers (`LayerDetails`).
 */
export function detailTimes(info: VolumeInfo, { layers, timePoint }: Pick<ViewState, 'layers' | 'timePoint'>): readonly number[] {
  const channels = shownChannels(layers).filter((look) => !colormap(look.colormap).isCategorical);
  const times = channels.map(({ channel }) => layerTime(info, timePoint, info, channel));
  return baseOpacity(layers) > 0 ? [timePoint, ...times] : times;
}

/** The voxels that a slice or slab of the volume and its channels needs; undefined if it needs none. */
export function detailWish(
  volume: VolumeSource,
  axis: SliceAxis,
  placement: SlicePlacement,
  state: ViewState,
): DetailWish | undefined {
  const { frame, index, spacing, width, height } = placement;
  const timePoints = detailTimes(volume.info, state);
  if (timePoints.length === 0) return undefined;
  const slab = slabOf(slabChoice(state, axis), spacing[frame.across]);
  return { volume, axis: frame.across, index, timePoints, map: placeSlice(placement), width, height, slab };
}

/** A slice of the volume, where a placement puts it. */
export function placedSlice(
  volume: VolumeSource,
  axis: SliceAxis,
  placement: SlicePlacement,
  state: ViewState,
  pixelRatio: number,
): PlacedSlice & Pick<SliceDrawing, 'volume'> {
  const { frame, index, spacing } = placement;
  const slab = slabOf(slabChoice(state, axis), spacing[frame.across]);
  return { volume, axis: frame.across, index, map: placeSlice(placement), slab, lineWidth: lineWidthOf(pixelRatio) };
}

/** The width of outlines in pixels. */
export function lineWidthOf(pixelRatio: number): number {
  return Math.max(1, Math.round(pixelRatio));
}

/** The drawing of a slice, without crosshair, letters and scale bar. */
export function sliceDrawing(
  volume: VolumeSource,
  axis: SliceAxis,
  placement: SlicePlacement,
  { pixelRatio, state, layers, meshes = [], labels, detail, plane, ground }: SliceSettings,
): SliceDrawing {
  const { slab, ...placed } = placedSlice(volume, axis, placement, state, pixelRatio);
  if (!slab) plane.destroy();
  return {
    ...placed,
    state,
    slab: slab && { ...slab, plane },
    detail,
    opacity: baseOpacity(state.layers),
    layers,
    meshes: meshes.map(outlineOf),
    labels,
    ground,
  };
}

export function outlineOf({ look, mesh, map }: ShownMesh): MeshOutline {
  return { mesh, map, color: meshColor(look) };
}
