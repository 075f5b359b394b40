import { createStore, type StoreApi } from 'zustand/vanilla';
import type { GpuDiagnosis } from '../../../core/gpu/diagnosis.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { RecentFile, ShellInfo } from '../../../core/shared/ipc.ts';
import type { Player } from '../../playback/player.ts';
import type { Stack } from '../../playback/stacks.ts';
import type { Measurement, SliceTool } from '../../viewer/model/measure.ts';
import type { SliceAxis } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { ComparisonState } from './comparison-state.ts';
import { type DocumentSlice, firstDocument, type OpenDocument } from './document-state.ts';
import { emptyLab, type LabState } from './lab-state.ts';
import { firstOutput, type OutputState } from './output-state.ts';
import type { QueueRow } from './queue-rows.ts';
import type { RegionsFound } from './regions.ts';
import { defaultSettings, type Settings } from './settings.ts';

export type GpuState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'ready'; readonly gpu: Gpu; readonly viewer: Viewer }
  | { readonly kind: 'failed'; readonly diagnosis: GpuDiagnosis }
  /** The device went away; a new one is asked for, and the volume is loaded into it again. */
  | { readonly kind: 'recovering'; readonly message: string };

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

export interface AppState extends DocumentSlice {
  readonly shell: ShellInfo | undefined;
  readonly recent: readonly RecentFile[];
  readonly gpu: GpuState;
  /** They are painted over the slices, wherever there are any. */
  readonly showChunks: boolean;
  /** The 3D view has handles on the six faces that the clip planes leave. */
  readonly clipHandles: boolean;
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
    ...firstDocument,
    showChunks: false,
    clipHandles: false,
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

export function openDocument(state: AppState): OpenDocument | undefined {
  return state.document.kind === 'ready' ? state.document.document : undefined;
}
