import type { ChunkMap } from '../../core/engine/chunk-map.ts';
import type { VolumeSource } from '../../core/engine/volume-source.ts';
import type { Picture, PictureRequest } from './picture.ts';
import type { Voxel } from './slice-geometry.ts';
import type { ViewState } from './viewer-api.ts';

/** What a view asks of the viewer that it belongs to. */
export interface ViewHost {
  readonly state: ViewState;
  readonly volume: VolumeSource | undefined;
  /** The chunks to paint over the slices, where people want to see them. */
  readonly chunks: ChunkMap | undefined;
  set(change: Partial<ViewState>): void;
  /** The voxel under the pointer; undefined: the pointer has left. */
  probe(voxel: Voxel | undefined): void;
  /** Draws this view at the next animation frame. */
  requestRender(view: View): void;
}

/** One picture on one canvas. */
export interface View {
  readonly canvas: HTMLCanvasElement;
  /** It has room in the layout. */
  readonly isShown: boolean;
  render(): void;
  /** The view drawn anew, as a picture of any size. */
  picture(request: PictureRequest): Promise<Picture>;
  /** The canvas has a new size, in CSS pixels. */
  resize(width: number, height: number, pixelRatio: number): void;
  /** Camera, zoom and pan back to the start. */
  reset(): void;
  dispose(): void;
}
