import type { LabelPlane } from '../../../core/draw/label-plane.ts';
import type { LayerSlab, PlaneSource } from '../../../core/draw/layer-slab.ts';
import type { MeshOutline } from '../../../core/draw/outline-pass.ts';
import type { SlabPlane, ThickSlice } from '../../../core/draw/slab-plane.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { colormap } from '../colors/colormaps.ts';
import type { ShownLabels } from '../model/label-look.ts';
import type { AxisNumber } from '../model/orientation.ts';
import type { CanvasToVoxel } from '../model/slice-geometry.ts';
import type { ShownLayer } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { ObliqueBricks } from './oblique-detail.ts';
import type { SliceOverlay } from './overlay-pass.ts';
import type { DetailDrawing } from './slice-detail.ts';

/** A layer, and the index along t that it shows. */
export interface TimedLayer extends ShownLayer {
  readonly timePoint: number;
}

/** A layer to draw over the slice. */
export interface LayerDrawing extends TimedLayer {
  /** Finer voxels of the slice or slab than those in GPU memory. */
  readonly finer?: PlaneSource | undefined;
  /** Scratch memory for thick slices, and for images in compressed memory. */
  readonly slab: LayerSlab;
  /** Scratch memory for outlines of labels in compressed memory. */
  readonly labelPlane: LabelPlane;
  /** Scratch memory for slabs of a channel of the open volume, which is drawn like that volume. */
  readonly plane?: SlabPlane | undefined;
}

export interface SliceDrawing {
  readonly volume: VolumeSource;
  /** The axis across the slice, and the slice's index along it. Undefined for an oblique slice, whose plane the map gives. */
  readonly axis: AxisNumber | undefined;
  readonly index: number;
  /** The canvas's place in the volume. `index` replaces the origin along `axis`. */
  readonly map: CanvasToVoxel;
  readonly state: Pick<ViewState, 'window' | 'colormap' | 'inverted' | 'outside' | 'missing' | 'timePoint' | 'smooth'>;
  /** Set to draw a slab instead of a single slice. */
  readonly slab?: (ThickSlice & { readonly plane: SlabPlane }) | undefined;
  /** Finer voxels of the slice or slab than those in GPU memory, of the volume and its channels. */
  readonly detail?: DetailDrawing | undefined;
  /** Finer voxels of an oblique slice. */
  readonly bricks?: ObliqueBricks | undefined;
  /** Opacity of the volume itself, 0…1. Default: 1. */
  readonly opacity?: number | undefined;
  /** Scratch memory for interpolation across the seams between the volume's boxes. If undefined, interpolation stops at the seams. */
  readonly blended?: LayerSlab | undefined;
  /** The volume's labels, if it has any. */
  readonly labels?: ShownLabels | undefined;
  /** The layers over the volume, the lowest first. */
  readonly layers?: readonly LayerDrawing[] | undefined;
  /** Meshes whose outlines are drawn over the layers, the lowest first. */
  readonly meshes?: readonly MeshOutline[] | undefined;
  /** The width of outlines in pixels. Default: 1. */
  readonly lineWidth?: number | undefined;
  readonly overlay?: SliceOverlay | undefined;
  /** The background around the slice, premultiplied. Default: near black. */
  readonly ground?: GPUColorDict | undefined;
}

export type BlendedDrawing = SliceDrawing & { readonly blended: LayerSlab };

/**
 * Whether the volume is drawn from a plane of interpolated voxels. Such a plane does not distinguish missing voxels from places outside
 * the volume, so missing voxels cannot be marked.
 */
export function isBlended(drawing: SliceDrawing): drawing is BlendedDrawing {
  const { volume, axis, state, bricks, blended } = drawing;
  const isImage = state.smooth && !colormap(state.colormap).isCategorical && state.missing === 'hide';
  const isOfBoxes = axis === undefined && !bricks && volume.isSplit && volume.decimation === 1;
  return blended !== undefined && isOfBoxes && isImage && areFloatsExact(state.window);
}

/**
 * Whether 32-bit floats are exact enough for the colours of a window. They are not if the window is narrow compared with its values, such
 * as integers beyond 2^24, or if values are so small that GPUs may flush them to 0, or nearly overflow.
 */
export function areFloatsExact([low, high]: SliceDrawing['state']['window']): boolean {
  const [width, largest] = [Math.abs(high - low), Math.max(Math.abs(low), Math.abs(high))];
  return width >= largest * 2 ** -15 && width > 2 ** -100 && largest < 2 ** 127;
}
