import type { CodecOptions, Preference } from '../../../core/codec/codec.ts';
import type { JsonObject } from '../../../core/format/json.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { EmptySpace } from '../../../core/shared/empty-space.ts';
import type { HostFile } from '../../host/host.ts';
import type { ClockSettings } from '../../playback/frame-clock.ts';
import type { StackAxis } from '../../playback/stacks.ts';
import type { LayerLook, LayerStack, MeshLook } from '../../viewer/model/layers.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import type { Viewpoints } from '../../viewer/model/same-place.ts';
import type { Layout, SliceAxis } from '../../viewer/model/viewer-api.ts';
import type { LabelsState } from './label-state.ts';
import type { MeshSource } from './layer-state.ts';
import type { SampleChoice } from './samples.ts';
import type { Effort } from './settings.ts';
import type { PinnedCurve } from './time-curve-state.ts';

// docs/SESSION.md describes the keys.

/** A file of the volume. */
export interface SessionPart {
  /** Relative to the session's folder, with `/`. */
  readonly path: string;
  /** Set if the file is at this web address. Then `path` is its name, and there is no fingerprint. */
  readonly address?: string | undefined;
  readonly size: number;
  /** See core/format/fingerprint.ts. Undefined for most pictures of a stack, since only some are read. */
  readonly fingerprint?: string | undefined;
}

/** The file's name. */
export function partName({ path }: SessionPart): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export interface SessionFiles {
  readonly files: readonly SessionPart[];
  readonly raw?: RawLayout | undefined;
  /** Set if `files` names a folder, whose size and content are unknown. */
  readonly folder?: true | undefined;
  /** The id of one of several volumes. */
  readonly dataset?: string | undefined;
}

export type SessionSource =
  | SessionFiles
  | { readonly sample: SampleChoice }
  /** Surfaces were open without a volume, under this `name`. */
  | { readonly space: EmptySpace & { readonly name: string } };

/** The layers over the volume, each with its files. */
export interface SavedLayers extends Omit<LayerStack, 'layers' | 'meshes'> {
  /** The lowest first. */
  readonly list: readonly SavedLayer[];
  readonly meshes: readonly SavedMesh[];
  readonly meshFiles: readonly SavedMeshFile[];
  /** The tables of labels that were loaded, by the id under which looks refer to them. */
  readonly tables: LabelsState['loaded'];
}

export interface SavedLayer {
  /** Undefined if the layer shows the voxels of another one, or of the open volume (`LayerLook.of`). */
  readonly source: SessionSource | undefined;
  readonly look: LayerLook;
}

/** A mesh layer, and the source to extract it from again. */
export interface SavedMesh {
  readonly source: MeshSource;
  readonly look: MeshLook;
  /** Its index among all surfaces. Sessions of earlier versions lack it. */
  readonly place?: number | undefined;
}

/** A mesh layer, and the file to read it from again. */
export interface SavedMeshFile {
  readonly source: SessionFiles;
  /** Its index among the file's objects. */
  readonly object: number;
  readonly look: MeshLook;
  /** Like `SavedMesh.place`. */
  readonly place?: number | undefined;
}

/** A pinned curve without times, which follow from its volume. */
export type SavedCurve = Omit<PinnedCurve, 'times' | 'unit'>;

/** The content of a session: the source of the document, and the view. */
export interface SavedSession {
  readonly source: SessionSource;
  /** A ViewState as JSON; `viewFrom` parses it. */
  readonly view: JsonObject;
  /** The cameras, zoom and pan of the visible views. */
  readonly viewpoints: Viewpoints;
  readonly layout: Layout;
  readonly sliceAxis: SliceAxis;
  readonly showChunks: boolean;
  /** Whether the 3D view has handles on its clip planes. */
  readonly clipHandles: boolean;
  readonly compression: {
    readonly codec: string;
    readonly axis: CodecOptions['axis'];
    readonly prefer: Preference;
    readonly effort: Effort;
  };
  readonly layers: SavedLayers;
  readonly measurements: readonly Measurement[];
  readonly pinnedCurves: readonly SavedCurve[];
  /** `axis` is undefined if nothing was played. */
  readonly playback: ClockSettings & { readonly axis: StackAxis | undefined };
}

/** A session for which some files of its volume were not found. Files given later complete it. */
export interface WaitingSession {
  readonly file: HostFile;
  readonly saved: SavedSession;
  /** The missing names, and why a given file of that name is not the right one. */
  readonly missing: readonly { readonly name: string; readonly reason: string | undefined }[];
  /** The files found, by index in the session's list. */
  readonly found: readonly (HostFile | undefined)[];
}
