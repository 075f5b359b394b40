import type { MissingLook } from '../../../core/draw/outside.ts';
import type { RayLook } from '../../../core/draw/ray-pass.ts';
import type { SlabKind } from '../../../core/draw/slab-plane.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { CutPlane } from './cut-plane.ts';

export type SliceAxis = 'x' | 'y' | 'z';
/** 1: 3D alone, 2: one slice alone, 3: three slices, 4: 3D and three slices, 5: those and one at any angle. */
export type Layout = '3d' | 'slice' | 'slices' | 'quad' | 'oblique';
export function shows3d(layout: Layout): boolean {
  return layout === '3d' || layout === 'quad' || layout === 'oblique';
}

export type CameraKind = 'perspective' | 'orthographic';
/** What is drawn around the 3D view's volume. */
export type BoxKind = 'off' | 'box' | 'ticks';
/** How closely the 3D view is sampled once it is still: every texel, twice, four times. */
export type Quality = 'draft' | 'normal' | 'fine';

/** How the oblique slice is turned, in degrees: about the vertical axis of its canvas, then about the horizontal one. */
export interface ObliqueTilt {
  readonly turn: number;
  readonly tilt: number;
}

/** Slices drawn thicker than one voxel. */
export interface SlabChoice {
  readonly kind: 'none' | SlabKind;
  /** In `spatialUnit`: across each axis it is as many slices as come nearest. */
  readonly thickness: number;
}

/** Everything that decides what is drawn. Immutable; replaced through `Viewer.set`. */
export interface ViewState extends Omit<RayLook, 'plane'> {
  /**
   * In stored units (before slope and intercept), as is the level, but from the lowest real value to the highest: it runs
   * downwards where the slope is negative (core/shared/real-order.ts).
   */
  readonly window: readonly [low: number, high: number];
  /** What slices show where there is no number; the 3D view leaves such voxels out. */
  readonly missing: MissingLook;
  readonly quality: Quality;
  readonly camera: CameraKind;
  readonly box: BoxKind;
  /** Cuts the 3D view beside `clip`. */
  readonly cut: CutPlane | undefined;
  /** Name of a colormap in resources/colormaps. */
  readonly colormap: string;
  /** The colormap runs the other way: its first colour is the window's high end. */
  readonly inverted: boolean;
  /** Opacity over the window for compositing: control points, each [position 0…1, opacity 0…1], positions rising. */
  readonly opacity: readonly (readonly [number, number])[];
  /** The crosshair's voxel, shared by the slices and the 3D view. */
  readonly crosshair: readonly [x: number, y: number, z: number];
  readonly timePoint: number;
  /** Slices interpolate between voxels (off: every voxel is a sharp rectangle). */
  readonly smooth: boolean;
  readonly slab: SlabChoice;
  /** Each slice's own; undefined: all are as `slab` says. */
  readonly sliceSlabs: Readonly<Record<SliceAxis, SlabChoice>> | undefined;
  readonly oblique: ObliqueTilt;
}

/** A frame of a stack: a slice along an axis, or a time point. */
export interface Frame {
  readonly axis: SliceAxis | 't';
  readonly index: number;
}

export interface FrameReport {
  /** Decoding on the GPU, in milliseconds by timestamps. 0: it was decoded before. Undefined: the device has no timestamps. */
  readonly decodeMs: number | undefined;
  /** When the GPU had finished the frame, on `performance.now()`'s clock. */
  readonly presentedAt: number;
}

export interface Probe {
  readonly voxel: readonly [x: number, y: number, z: number];
  /** Exact, as stored. */
  readonly stored: number;
  /** `slope × stored + intercept`. */
  readonly value: number;
}

/** What panels read, by `useSyncExternalStore(viewer.subscribe, viewer.snapshot)`. */
export interface ViewerSnapshot {
  readonly info: VolumeInfo | undefined;
  readonly state: ViewState;
  /** Under the pointer; undefined when it is outside every picture. */
  readonly probe: Probe | undefined;
  /** Shown at 1/n of the resolution along each axis because the volume is larger than the GPU allows; 1: whole. */
  readonly decimation: number;
}
