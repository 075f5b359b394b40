import type { SurfaceChoice } from '../../../core/mesh/surfaces.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { OwnLabels } from '../../../core/shared/label-table.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { StoredTransform } from '../../../core/transforms/layer-transforms.ts';
import type { HostFile } from '../../host/host.ts';
import type { PlacedBy } from '../../viewer/model/layer-place.ts';
import { type LayerStack, noLayers, volumeIdOf } from '../../viewer/model/layers.ts';
import type { JobProgress } from './progress.ts';

/** A layer's volume. Its look is a part of the view: `ViewState.layers`. */
export type LayerVolume =
  | { readonly kind: 'loading'; readonly progress: JobProgress }
  | { readonly kind: 'failed'; readonly fault: FaultData }
  /** Files that its session names were not found. */
  | { readonly kind: 'lost'; readonly files: readonly string[] }
  | {
      readonly kind: 'ready';
      readonly info: VolumeInfo;
      readonly format: string;
      readonly placedBy: PlacedBy;
      /** See `VolumeSource.decimation`. */
      readonly decimation: number;
      /** What its file, or a file beside it, says about labels. */
      readonly labels?: OwnLabels | undefined;
    };

/** Why a listed surface has no triangles. */
export type SurfaceState =
  /** `progress` is undefined while it waits. */
  | { readonly kind: 'loading'; readonly progress: JobProgress | undefined }
  | { readonly kind: 'failed'; readonly fault: FaultData }
  /** Its file, or the files of its layer, were not found. */
  | { readonly kind: 'lost'; readonly files: readonly string[] };

/** A file with a matrix that the overlay 'matrix' asks about. */
export interface MatrixFile {
  readonly name: string;
  readonly stored: StoredTransform;
  /** Why it could not be applied. */
  readonly fault: FaultData | undefined;
}

/** The volume, and the surface to extract from it. */
export interface SurfaceSource {
  /** Id of the layer, or `baseId`. */
  readonly from: string;
  /** `all` stands for the surfaces of all visible labels. */
  readonly surface: SurfaceChoice | { readonly all: 'labels' };
  readonly timePoint: number;
  /** Rounds of smoothing. */
  readonly smoothing: number;
}

/** The volume and the surface that a mesh layer was extracted from. */
export interface MeshSource extends SurfaceSource {
  readonly surface: SurfaceChoice;
}

/** The file that a mesh layer was read from. */
export interface MeshFileSource {
  readonly file: HostFile;
  /** Its index among the file's objects. */
  readonly object: number;
}

/** A file or surface that could not be added. */
export interface FailedFile {
  readonly name: string;
  readonly fault: FaultData;
}

/** The layers over the open volume. */
export interface LayersState {
  /** Their looks and order: a copy of `ViewState.layers`. */
  readonly stack: LayerStack;
  /** The file or surface that is being added. `AddingQueue` sets this, `waiting` and `notAdded`. */
  readonly adding:
    | { readonly kind: 'none' }
    | { readonly kind: 'loading'; readonly name: string; readonly progress: JobProgress }
    /** The overlay 'layer-volumes' asks which of the file's volumes to add. */
    | { readonly kind: 'choosing'; readonly name: string; readonly file: HostFile };
  /** The names of the files and surfaces that are added after it. */
  readonly waiting: readonly string[];
  /** What could not be added, until the messages are dismissed. */
  readonly notAdded: readonly FailedFile[];
  /** Volumes by id (`volumeIdOf`). They include the open volume, `baseId`, while layers show its channels. */
  readonly volumes: Readonly<Record<string, LayerVolume>>;
  /** The surfaces without triangles, by id, such as those of a session until they are made. */
  readonly surfaces: Readonly<Record<string, SurfaceState>>;
  /** Id of the layer whose settings are shown, and to which commands apply. */
  readonly chosen: string | undefined;
  /** Why a file that was given for a lost layer or surface is not its file. */
  readonly wrongFile: { readonly id: string; readonly reason: string } | undefined;
  /** Whether the views have handles that move and turn the chosen layer. */
  readonly aligning: boolean;
  readonly matrix: MatrixFile | undefined;
}

export const firstLayers: LayersState = {
  stack: noLayers,
  adding: { kind: 'none' },
  waiting: [],
  notAdded: [],
  volumes: {},
  surfaces: {},
  chosen: undefined,
  wrongFile: undefined,
  aligning: false,
  matrix: undefined,
};

/** The volume that a layer shows. */
export function layerVolume({ stack, volumes }: LayersState, id: string): LayerVolume | undefined {
  const look = stack.layers.find((layer) => layer.id === id);
  return look && volumes[volumeIdOf(look)];
}
