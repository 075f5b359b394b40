import { createStore, type StoreApi } from 'zustand/vanilla';
import type { GpuDiagnosis } from '../../../core/gpu/diagnosis.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { RecentFile, ShellInfo, UnfinishedKind } from '../../../core/shared/ipc.ts';
import type { Player } from '../../playback/player.ts';
import type { Stack } from '../../playback/stacks.ts';
import type { Measurement, SliceTool } from '../../viewer/model/measure.ts';
import type { SliceAxis } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { ComparisonState } from './comparison-state.ts';
import { type DocumentSlice, firstDocument, type OpenDocument } from './document-state.ts';
import type { FullStatisticsState } from './full-statistics-state.ts';
import { emptyLab, type LabState } from './lab-state.ts';
import { firstLabels, type LabelsState } from './label-state.ts';
import { firstLayers, type LayersState } from './layer-state.ts';
import { firstOutput, type OutputState } from './output-state.ts';
import type { LineProfile } from './profile-state.ts';
import type { QueueRow } from './queue-rows.ts';
import type { RegionsFound } from './regions.ts';
import { defaultSettings, type Settings } from './settings.ts';
import type { PinnedCurve, TimeCurve } from './time-curve-state.ts';

export type GpuState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'ready'; readonly gpu: Gpu; readonly viewer: Viewer }
  | { readonly kind: 'failed'; readonly diagnosis: GpuDiagnosis }
  /** The device was lost. A new one has been requested, and the volume will be loaded again. */
  | { readonly kind: 'recovering'; readonly message: string };

/** Playback as the transport bar shows it and keys control it. */
export interface PlaybackState {
  readonly player: Player;
  readonly stack: Stack;
  /** Everything that can be played of this volume. */
  readonly stacks: readonly Stack[];
  /** Whether the bar is visible: always for a series, and for a volume once it was played. */
  readonly isOpen: boolean;
  /** Whether the volume is being prepared for playback. */
  readonly isPreparing: boolean;
}

/** Names of the steps that undo and redo would restore; undefined if there is none. */
export interface UndoState {
  readonly undo: string | undefined;
  readonly redo: string | undefined;
}

export type Overlay =
  | 'none'
  | 'palette'
  | 'shortcuts'
  | 'settings'
  | 'about'
  | 'picture'
  | 'surface'
  | 'movie'
  | 'volumes'
  | 'queue-volumes'
  | 'layer-volumes'
  | 'leave'
  | 'second'
  | 'matrix'
  | 'address';

export interface AppState extends DocumentSlice {
  readonly shell: ShellInfo | undefined;
  readonly recent: readonly RecentFile[];
  readonly gpu: GpuState;
  /** Whether to paint the chunks over the slices, if there are any. */
  readonly showChunks: boolean;
  /** Whether to mark on the slices which bricks of the 3D view are loaded. */
  readonly showBricks: boolean;
  /** Whether the 3D view has handles on the six clip planes. */
  readonly clipHandles: boolean;
  /** Undefined if nothing can be played. */
  readonly playback: PlaybackState | undefined;
  readonly queue: readonly QueueRow[];
  /** The opening whose levels were last written beside its file (`OpenDocument.opened`). */
  readonly levelsKeptOf: object | undefined;
  /** Id of the row whose volumes the overlay 'queue-volumes' shows. */
  readonly choosingRow: number | undefined;
  readonly settings: Settings;
  readonly undo: UndoState;
  readonly overlay: Overlay;
  /** The unfinished work that the question of the overlay 'leave' names. */
  readonly losses: readonly UnfinishedKind[];
  /** The Lab replaces the viewer; the open volume stays open. */
  readonly page: 'viewer' | 'lab';
  readonly lab: LabState;
  readonly output: OutputState;
  readonly comparison: ComparisonState;
  readonly layers: LayersState;
  readonly labels: LabelsState;
  /** The names of the files that are opened once the open question is answered. */
  readonly waitingFiles: readonly string[];
  /** The name of the file that the overlay 'second' asks about. */
  readonly secondName: string;
  /** The slice that the one-slice layout shows. */
  readonly sliceAxis: SliceAxis;
  /** What the pointer does on slices. */
  readonly tool: SliceTool;
  /** The measurements of the open volume, in order of creation. */
  readonly measurements: readonly Measurement[];
  /** The measurements as last saved, or as restored from a session. */
  readonly savedMeasurements: readonly Measurement[];
  /** Id of the selected measurement, which keys act on. */
  readonly chosenMeasurement: string | undefined;
  /** The profile of the chosen distance. */
  readonly profile: LineProfile | undefined;
  /** Why the profile could not be read. */
  readonly profileFault: FaultData | undefined;
  /** The curve at the crosshair or in the chosen region, while the tab Measure is open. */
  readonly timeCurve: TimeCurve | undefined;
  /** Why the curve could not be read. */
  readonly timeCurveFault: FaultData | undefined;
  /** The pinned curves, in the order in which they were pinned. */
  readonly pinnedCurves: readonly PinnedCurve[];
  /** Statistics of measured rectangles and spheres. */
  readonly regions: RegionsFound;
  readonly fullStatistics: FullStatisticsState;
  /** Whether the hints of the first start are shown. */
  readonly hints: boolean;
  /** A short message that disappears by itself, such as 'Diagnostics copied'. */
  readonly notice: string | undefined;
}

export type AppStore = StoreApi<AppState>;

export function createAppStore(settings: Settings = defaultSettings): AppStore {
  return createStore<AppState>(() => ({
    shell: undefined,
    recent: [],
    gpu: { kind: 'opening' },
    ...firstDocument,
    showChunks: false,
    showBricks: false,
    clipHandles: false,
    playback: undefined,
    queue: [],
    levelsKeptOf: undefined,
    choosingRow: undefined,
    settings,
    undo: { undo: undefined, redo: undefined },
    overlay: 'none',
    losses: [],
    page: 'viewer',
    lab: emptyLab,
    output: firstOutput,
    comparison: { kind: 'none' },
    layers: firstLayers,
    labels: firstLabels,
    waitingFiles: [],
    secondName: '',
    sliceAxis: 'z',
    tool: 'pointer',
    measurements: [],
    savedMeasurements: [],
    chosenMeasurement: undefined,
    profile: undefined,
    profileFault: undefined,
    timeCurve: undefined,
    timeCurveFault: undefined,
    pinnedCurves: [],
    regions: {},
    fullStatistics: { kind: 'idle' },
    hints: false,
    notice: undefined,
  }));
}

export function openDocument(state: AppState): OpenDocument | undefined {
  return state.document.kind === 'ready' ? state.document.document : undefined;
}
