import type { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { Measurement, SliceTool } from './measure.ts';
import type { OrbitPose } from './orbit-camera.ts';
import type { PictureRequest, ViewPicture } from './picture.ts';
import type { SliceCamera, Voxel } from './slice-geometry.ts';
import type { ViewState } from './viewer-api.ts';

/** The measurements that slices show, and whom they tell of changes. Immutable; replaced when anything in it changes. */
export interface MeasureBoard {
  readonly tool: SliceTool;
  readonly measurements: readonly Measurement[];
  /** The id of the one that keys act on. */
  readonly chosen: string | undefined;
  /** What is written beside a measurement, line by line. */
  words(measurement: Measurement): readonly string[];
  /** Takes a new measurement, or one in the place of that with its id. */
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

/** What a view asks of the viewer that it belongs to. */
export interface ViewHost {
  readonly state: ViewState;
  readonly volume: VolumeSource | undefined;
  /** Behind the pictures. */
  readonly ground: Readonly<GPUColorDict>;
  /** The chunks to paint over the slices, where people want to see them. */
  readonly chunks: ChunkMap | undefined;
  readonly board: MeasureBoard;
  /** The oblique slice is shown. */
  readonly hasOblique: boolean;
  set(change: Partial<ViewState>): void;
  /** The voxel under the pointer; undefined: the pointer has left. */
  probe(voxel: Voxel | undefined): void;
  /** Draws this view at the next animation frame. */
  requestRender(view: View): void;
  /** A frame, or a strip of one, was given to the GPU. */
  drawn(): void;
}

/** One picture on one canvas. */
export interface View {
  readonly canvas: HTMLCanvasElement;
  /** It has room in the layout. */
  readonly isShown: boolean;
  /** Nothing is being drawn, and nothing is left to refine. */
  readonly isSettled: boolean;
  /** Where it is seen from. */
  viewpoint: OrbitPose | SliceCamera;
  render(): void;
  /** The view drawn anew, as a picture of any size. */
  picture(request: PictureRequest): Promise<ViewPicture>;
  /** The canvas has a new size, in CSS pixels. */
  resize(width: number, height: number, pixelRatio: number): void;
  /** Camera, zoom and pan back to the start. */
  reset(): void;
  dispose(): void;
}
