import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { GpuDiagnosis } from '../../../core/gpu/diagnosis.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { RecentFile, ShellInfo } from '../../../core/shared/ipc.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { StageSpan } from '../../../core/stream/stage-times.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { HostFile } from '../../host/host.ts';
import type { Player } from '../../playback/player.ts';
import type { Stack } from '../../playback/stacks.ts';
import type { Measurement, SliceTool } from '../../viewer/model/measure.ts';
import type { SliceAxis } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { ComparisonState } from './comparison-state.ts';
import { emptyLab, type LabState } from './lab-state.ts';
import { firstOutput, type OutputState } from './output-state.ts';
import type { JobProgress } from './progress.ts';
import type { QueueRow } from './queue-rows.ts';
import type { RegionsFound } from './regions.ts';
import type { ResidencyState } from './residency-state.ts';
import type { CompressionResult } from './result.ts';
import type { WaitingSession } from './saved-session.ts';
import { defaultSettings, type Settings } from './settings.ts';

export type GpuState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'ready'; readonly gpu: Gpu; readonly viewer: Viewer }
  | { readonly kind: 'failed'; readonly diagnosis: GpuDiagnosis }
  /** The device went away; a new one is asked for, and the volume is loaded into it again. */
  | { readonly kind: 'recovering'; readonly message: string };

/** What is open, as panels see it. Voxels and compressed bytes are in app/session.ts. */
export interface OpenDocument {
  readonly name: string;
  /** `NIfTI`, `Stria`, `Sample`. */
  readonly format: string;
  /** Size of the file as it lies on the disk, in bytes; undefined for a sample. */
  readonly fileBytes: number | undefined;
  readonly info: VolumeInfo;
  readonly statistics: VolumeStatistics;
  readonly decimation: number;
  /** Its planes were pictures, each by itself. */
  readonly arePictures: boolean;
}

/** How long opening took. */
export interface Opening {
  /** From the request until the first picture was presented. */
  readonly ms: number;
  /** When reading, uploading and the rest went on. */
  readonly timeline: readonly StageSpan[];
}

export type DocumentState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'loading'; readonly name: string; readonly progress: JobProgress }
  /** A raw file whose layout nobody knows: the form asks. */
  | { readonly kind: 'layout'; readonly file: HostFile; readonly suggestions: readonly RawLayout[] }
  /** A session whose volume was not found: people are asked for it. */
  | { readonly kind: 'waiting'; readonly session: WaitingSession }
  /** `rawFile`: what failed may still be opened as raw voxels, by a layout that people give. */
  | { readonly kind: 'failed'; readonly name: string; readonly fault: FaultData; readonly rawFile?: HostFile | undefined }
  | { readonly kind: 'ready'; readonly document: OpenDocument };

/** Compressing the open volume. What it made is `compressed`, which outlives a later attempt that is cancelled or fails. */
export type CompressionState =
  | { readonly kind: 'idle' }
  /** `isAsked`: people wait for this, and want to see it; else something that they asked for needs it. */
  | { readonly kind: 'running'; readonly progress: JobProgress; readonly isAsked: boolean }
  | { readonly kind: 'failed'; readonly fault: FaultData };

/** What compressing the open volume made last. `isAsked`: people waited for it. */
export interface CompressedState {
  readonly result: CompressionResult;
  readonly isAsked: boolean;
}

export type SaveState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'saving'; readonly name: string; readonly progress: JobProgress }
  | {
      readonly kind: 'saved';
      readonly name: string;
      readonly folder: string;
      readonly reveal: (() => Promise<void>) | undefined;
      /** When it was written; empty where that is a part of compressing. */
      readonly timeline: readonly StageSpan[];
    }
  | { readonly kind: 'failed'; readonly fault: FaultData };

/** What can be played, as the transport bar shows it and keys act on it. */
export interface PlaybackState {
  readonly player: Player;
  readonly stack: Stack;
  /** All that can be played of this volume. */
  readonly stacks: readonly Stack[];
  /** The bar is shown: from the start for a series, for a volume once it is played. */
  readonly isOpen: boolean;
  /** Asked to play, it is being made ready for that. */
  readonly isPreparing: boolean;
}

/** What undo and redo would bring back, in words; undefined where there is nothing. */
export interface UndoState {
  readonly undo: string | undefined;
  readonly redo: string | undefined;
}

export type Overlay = 'none' | 'palette' | 'shortcuts' | 'settings' | 'about' | 'picture' | 'movie';

export interface AppState {
  readonly shell: ShellInfo | undefined;
  readonly recent: readonly RecentFile[];
  readonly gpu: GpuState;
  readonly document: DocumentState;
  /** Of the document. Undefined until its first picture. */
  readonly opening: Opening | undefined;
  readonly compression: CompressionState;
  /** Undefined until the open volume was compressed. */
  readonly compressed: CompressedState | undefined;
  readonly save: SaveState;
  /** What the chunks of the open volume became: as they were compressed last, or as they came. */
  readonly chunks: ChunkMap | undefined;
  /** They are painted over the slices, wherever there are any. */
  readonly showChunks: boolean;
  /** The 3D view has handles on the six faces that the clip planes leave. */
  readonly clipHandles: boolean;
  /** Undefined while no volume is open. */
  readonly residency: ResidencyState | undefined;
  /** Undefined where nothing can be played. */
  readonly playback: PlaybackState | undefined;
  readonly queue: readonly QueueRow[];
  readonly settings: Settings;
  readonly undo: UndoState;
  readonly overlay: Overlay;
  /** The Lab stands in the viewer's place; what is open stays open. */
  readonly page: 'viewer' | 'lab';
  readonly lab: LabState;
  readonly output: OutputState;
  readonly comparison: ComparisonState;
  /** The slice that layout 2 shows. */
  readonly sliceAxis: SliceAxis;
  /** What the pointer does on slices. */
  readonly tool: SliceTool;
  /** What was measured in the open volume, in the order of making. */
  readonly measurements: readonly Measurement[];
  /** The measurements as they were saved last or came from a session. */
  readonly savedMeasurements: readonly Measurement[];
  /** The id of the measurement that keys act on. */
  readonly chosenMeasurement: string | undefined;
  /** What measured rectangles and spheres hold. */
  readonly regions: RegionsFound;
  /** A word at the bottom that goes by itself: 'Diagnostics copied'. */
  readonly notice: string | undefined;
}

export type AppStore = StoreApi<AppState>;

export function createAppStore(settings: Settings = defaultSettings): AppStore {
  return createStore<AppState>(() => ({
    shell: undefined,
    recent: [],
    gpu: { kind: 'opening' },
    document: { kind: 'empty' },
    opening: undefined,
    compression: { kind: 'idle' },
    compressed: undefined,
    save: { kind: 'idle' },
    chunks: undefined,
    showChunks: false,
    clipHandles: false,
    residency: undefined,
    playback: undefined,
    queue: [],
    settings,
    undo: { undo: undefined, redo: undefined },
    overlay: 'none',
    page: 'viewer',
    lab: emptyLab,
    output: firstOutput,
    comparison: { kind: 'none' },
    sliceAxis: 'z',
    tool: 'pointer',
    measurements: [],
    savedMeasurements: [],
    chosenMeasurement: undefined,
    regions: {},
    notice: undefined,
  }));
}

/**
 * Replaces the document; whatever belonged to the one before (compression, saving) goes with it. What is new takes the
 * window from the Lab; what has come back after a lost device (it is ready at once) does not.
 */
export function showDocument(
  store: AppStore,
  document: DocumentState,
  { residency, chunks }: Partial<Pick<AppState, 'residency' | 'chunks'>> = {},
): void {
  const isReady = document.kind === 'ready';
  const page = isReady ? store.getState().page : 'viewer';
  const idle = { kind: 'idle' } as const;
  store.setState({
    document,
    opening: undefined,
    residency,
    chunks,
    compression: idle,
    compressed: undefined,
    save: idle,
    page,
  });
  if (!isReady) store.setState({ measurements: [], chosenMeasurement: undefined, regions: {}, tool: 'pointer' });
}

export function openDocument(state: AppState): OpenDocument | undefined {
  return state.document.kind === 'ready' ? state.document.document : undefined;
}
