import type { MissingLook } from '../../../core/draw/outside.ts';
import type { RayLook } from '../../../core/draw/ray-pass.ts';
import type { SlabKind } from '../../../core/draw/slab-plane.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { CutPlane } from './cut-plane.ts';
import type { DetailFaults } from './detail-faults.ts';
import type { LayerStack } from './layers.ts';

export type SliceAxis = 'x' | 'y' | 'z';
/** A view that shows a slice: across a voxel axis, or the oblique slice. */
export type SliceName = SliceAxis | 'oblique';
/** The view that a canvas shows. */
export type ViewName = '3d' | SliceName;
/** 3D only; one slice; three slices; 3D and three slices; the same with an oblique slice. */
export type Layout = '3d' | 'slice' | 'slices' | 'quad' | 'oblique';
export function shows3d(layout: Layout): boolean {
  return layout === '3d' || layout === 'quad' || layout === 'oblique';
}

export type CameraKind = 'perspective' | 'orthographic';
/** What is drawn around the volume in the 3D view. */
export type BoxKind = 'off' | 'box' | 'ticks';
/** Sampling of the 3D view at rest: one, two or four samples per texel. */
export type Quality = 'draft' | 'normal' | 'fine';

/** Angles of the oblique slice in degrees: about the vertical axis of its canvas, then about the horizontal one. */
export interface ObliqueTilt {
  readonly turn: number;
  readonly tilt: number;
}

/** Slices drawn thicker than one voxel. */
export interface SlabChoice {
  readonly kind: 'none' | SlabKind;
  /** The thickness in `spatialUnit`. Each axis uses the nearest number of slices. */
  readonly thickness: number;
}

/** Everything that decides what is drawn. Immutable; replaced through `Viewer.set`. */
export interface ViewState extends Omit<RayLook, 'plane'> {
  /**
   * In stored values (before slope and intercept), like the level, but ordered by physical value: descending if the slope is
   * negative (core/shared/real-order.ts).
   */
  readonly window: readonly [low: number, high: number];
  /** How slices show voxels without a value. The 3D view leaves them out. */
  readonly missing: MissingLook;
  readonly quality: Quality;
  readonly camera: CameraKind;
  readonly box: BoxKind;
  /** An oblique plane that clips the 3D view in addition to `clip`. */
  readonly cut: CutPlane | undefined;
  /** A name as `colormap` knows it: of a file in resources/colormaps, or a colour. */
  readonly colormap: string;
  /** Reverses the colormap: its first colour is the window's upper end. */
  readonly inverted: boolean;
  /** Opacity over the window for compositing: control points [position 0…1, opacity 0…1] in ascending position. */
  readonly opacity: readonly (readonly [number, number])[];
  /** The crosshair's voxel, shared by the slices and the 3D view. */
  readonly crosshair: readonly [x: number, y: number, z: number];
  readonly timePoint: number;
  /** Whether slices interpolate between voxels. If false, every voxel is a sharp rectangle. */
  readonly smooth: boolean;
  readonly slab: SlabChoice;
  /** A slab for each axis; undefined if `slab` applies to all. */
  readonly sliceSlabs: Readonly<Record<SliceAxis, SlabChoice>> | undefined;
  readonly oblique: ObliqueTilt;
  /** The layers over the volume. */
  readonly layers: LayerStack;
}

/** A frame of a stack: a slice along an axis, or a time point. */
export interface Frame {
  readonly axis: SliceAxis | 't';
  readonly index: number;
}

export interface FrameReport {
  /** GPU decoding time in milliseconds, by timestamps; 0 if it was already decoded, undefined if the device has no timestamps. */
  readonly decodeMs: number | undefined;
  /** When the GPU finished the frame, on the clock of `performance.now()`. */
  readonly presentedAt: number;
}

export interface Probe {
  readonly voxel: readonly [x: number, y: number, z: number];
  /** The exact stored value, unless `isNearest`. */
  readonly stored: number;
  /** The physical value, `slope × stored + intercept`. */
  readonly value: number;
  /** Whether it is the value of the nearest voxel in GPU memory, because the file can only be read as a whole. */
  readonly isNearest: boolean;
  /** The values of the layers at the same place, the lowest layer first. */
  readonly layers: readonly LayerProbe[];
}

/** The values of layers under the pointer outside the open volume. */
export interface BeyondProbe {
  /** The voxel of the open volume's grid, continued beyond it. */
  readonly voxel: readonly [x: number, y: number, z: number];
  /** The lowest layer first; not empty. */
  readonly layers: readonly LayerProbe[];
}

/** A layer's value under the pointer. */
export interface LayerProbe {
  readonly id: string;
  readonly voxel: readonly [x: number, y: number, z: number];
  readonly stored: number;
}

/** The state of the bricks from which the 3D view draws a volume that does not fit into GPU memory. */
export interface Bricks3d {
  /** Why they cannot be drawn. */
  readonly fault: string | undefined;
  /** Why some visible bricks cannot be read, so that coarser ones are shown. */
  readonly unread: string | undefined;
  /** Whether finer bricks are being loaded. */
  readonly isLoading: boolean;
  /** Undefined if no levels are made. */
  readonly levels: LevelsState | undefined;
}

/** The levels that are made in the background for a file that has none. */
export type LevelsState =
  | { readonly kind: 'making'; readonly percent: number }
  | {
      readonly kind: 'made';
      /** n if host memory has no room for levels of 1/n of the volume's resolution and finer. */
      readonly leftOut: number | undefined;
    }
  /** No level fits host memory. */
  | { readonly kind: 'too-large' }
  | { readonly kind: 'failed'; readonly message: string };

/** Used memory and its limit, in bytes. */
export interface UsedBytes {
  readonly used: number;
  readonly limit: number;
}

/** The memory of bricks. */
export interface BrickMemory {
  readonly decoded: UsedBytes;
  readonly compressed: UsedBytes;
  /** Compressed bricks in host memory, including those being read and levels that were made. */
  readonly host: UsedBytes;
  readonly levels: LevelsState | undefined;
}

/** The snapshot that panels read through `useSyncExternalStore(viewer.subscribe, viewer.snapshot)`. */
export interface ViewerSnapshot {
  readonly info: VolumeInfo | undefined;
  readonly state: ViewState;
  /** The voxel under the pointer; undefined if the pointer is outside every picture. */
  readonly probe: Probe | undefined;
  /** Set instead of `probe` if the pointer is outside the open volume but inside a layer. */
  readonly beyond?: BeyondProbe | undefined;
  /** n if the volume is shown at 1/n of its resolution along each axis because it is too large for the GPU; 1 if all voxels are shown. */
  readonly decimation: number;
  /** Why slices cannot be read from the file at full resolution, although they should be. */
  readonly detailFaults: DetailFaults;
  /** Undefined if the 3D view needs no bricks, or the file has none. */
  readonly bricks3d?: Bricks3d | undefined;
  /** n if the 3D view draws some layers at 1/n of their resolution, because it cannot draw them from bricks; otherwise 1. */
  readonly layersAt: number;
  /** The ids of layers that the 3D view does not draw because GPU memory does not suffice for their textures. */
  readonly missingIn3d: readonly string[];
}
