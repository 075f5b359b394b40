import type { GpuMesh } from '../../../core/draw/gpu-mesh.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { Transform } from '../../../core/transforms/transform.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { PaintedChunks } from './chunk-rectangles.ts';
import type { DetailFault } from './detail-faults.ts';
import type { ShownLabels } from './label-look.ts';
import type { LayerLook, MeshLook } from './layers.ts';
import type { Measurement, SliceTool } from './measure.ts';
import type { OrbitPose } from './orbit-camera.ts';
import type { PictureRequest, ViewPicture } from './picture.ts';
import type { SliceCamera, Voxel } from './slice-geometry.ts';
import type { ViewState } from './viewer-api.ts';
import type { VoxelMap } from './voxel-map.ts';

/** The measurements on slices, and the callbacks for changes. Immutable; replaced when anything in it changes. */
export interface MeasureBoard {
  readonly tool: SliceTool;
  readonly measurements: readonly Measurement[];
  /** The id of the selected measurement, which keys act on. */
  readonly chosen: string | undefined;
  /** The lines of text beside a measurement. */
  words(measurement: Measurement): readonly string[];
  /** Adds a measurement, or replaces the one with its id. */
  put(measurement: Measurement): void;
  choose(id: string | undefined): void;
}

export const emptyBoard: MeasureBoard = {
  tool: 'pointer',
  measurements: [],
  chosen: undefined,
  words: () => [],
  put: () => {},
  choose: () => {},
};

/** A layer that is drawn. */
export interface ShownLayer {
  readonly look: LayerLook;
  readonly volume: VolumeSource;
  /** From the open volume to the layer. */
  readonly map: VoxelMap;
  /** Its labels, if anything is known about them. */
  readonly labels?: ShownLabels | undefined;
}

/** A layer in the 3D view, which rays cross. */
export interface LayerIn3d {
  readonly look: LayerLook;
  readonly info: VolumeInfo;
  /** From the open volume to the layer. */
  readonly map: VoxelMap;
  readonly display: DisplayTexture;
  /** Its labels, if anything is known about them. */
  readonly labels?: ShownLabels | undefined;
}

/** A mesh layer that is drawn. */
export interface ShownMesh {
  readonly look: MeshLook;
  readonly mesh: GpuMesh;
  /** Maps its positions, which are world coordinates, to voxel positions of the open volume. */
  readonly map: Transform;
}

/** The parts of the viewer that a view needs. */
export interface ViewHost {
  readonly state: ViewState;
  readonly volume: VolumeSource | undefined;
  /** The layers to draw over the volume in a state, the lowest first. */
  layersIn(state: ViewState): readonly ShownLayer[];
  /** The layers that the 3D view draws. A layer whose texture is being filled is left out until it is ready. */
  layersIn3d(state: ViewState): readonly LayerIn3d[];
  /** The meshes to draw in a state. */
  meshesIn(state: ViewState): readonly ShownMesh[];
  /** The open volume's labels, if anything is known about them. */
  readonly labels: ShownLabels | undefined;
  /** The viewport background. */
  readonly ground: Readonly<GPUColorDict>;
  /** The chunks to paint over the slices, if they are shown. */
  readonly chunks: PaintedChunks | undefined;
  readonly board: MeasureBoard;
  /** Whether the oblique slice is visible. */
  readonly hasOblique: boolean;
  set(change: Partial<ViewState>): void;
  /** Reads the values at the pointer's voxel position; undefined if the pointer has left. */
  probe(position: Voxel | undefined): void;
  /** Draws this view at the next animation frame. */
  requestRender(view: View): void;
  /** Reports why this view's slice cannot be read at full resolution; undefined once it can be. */
  detailFailed(view: View, fault: DetailFault | undefined): void;
  /** Reports that a frame, or a strip of one, was submitted to the GPU. */
  drawn(): void;
}

/** One view on one canvas. */
export interface View {
  readonly canvas: HTMLCanvasElement;
  /** Whether the layout has space for it. */
  readonly isShown: boolean;
  /** Whether nothing is being drawn and nothing is left to refine. */
  readonly isSettled: boolean;
  /** Its camera. */
  viewpoint: OrbitPose | SliceCamera;
  render(): void;
  /** Draws the view as a picture of any size. */
  picture(request: PictureRequest): Promise<ViewPicture>;
  /** Must be called when the canvas has a new size, in CSS pixels. */
  resize(width: number, height: number, pixelRatio: number): void;
  /** Resets camera, zoom and pan. */
  reset(): void;
  dispose(): void;
}
