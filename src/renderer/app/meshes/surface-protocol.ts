import type { MeshFormat } from '../../../core/mesh/mesh-formats.ts';
import type { ExtractedSurface, SurfaceChoice } from '../../../core/mesh/surfaces.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';

/** The last steps of making surfaces. */
export interface SurfaceFinish {
  /** Rounds of smoothing. */
  readonly smoothing: number;
  /** The file to write the only surface to; undefined if surfaces are sent as meshes. */
  readonly file: { readonly name: string; readonly format: MeshFormat } | undefined;
}

/** First `begin`, then all planes of a time point in order; or only `finish`. */
export type SurfaceTask =
  | ({
      readonly kind: 'begin';
      /** The volume, with a single time point. */
      readonly info: VolumeInfo;
      readonly surfaces: readonly SurfaceChoice[] | 'labels';
    } & SurfaceFinish)
  /** Surfaces that were extracted on the GPU, in voxels. */
  | ({ readonly kind: 'finish'; readonly info: VolumeInfo; readonly found: readonly ExtractedSurface[] } & SurfaceFinish)
  /** Whole planes. */
  | { readonly kind: 'planes'; readonly bytes: Uint8Array<ArrayBuffer> };

export type SurfaceAnswer =
  /** Asks for the next planes. */
  | { readonly kind: 'more' }
  /** A surface, if meshes are wanted. */
  | { readonly kind: 'mesh'; readonly surface: ExtractedSurface }
  /** The next piece of the file. */
  | { readonly kind: 'piece'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'done'; readonly triangles: number }
  | { readonly kind: 'fault'; readonly fault: FaultData };
