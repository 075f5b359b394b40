import { projections } from '../../core/draw/ray-pass.ts';
import { autoView } from '../viewer/model/auto-view.ts';
import { baseId, hasChannelGroup } from '../viewer/model/layers.ts';
import type { SceneSide } from '../viewer/model/orientation.ts';
import { type SliceAxis, shows3d, type ViewState } from '../viewer/model/viewer-api.ts';
import type { Viewer } from '../viewer/viewer.ts';
import type { AppSettings } from './app-settings.ts';
import type { Channels } from './layers/channels.ts';
import type { Settings } from './state/settings.ts';
import { type AppStore, openDocument } from './state/store.ts';
import { presetWindow } from './view/window-presets.ts';

/** The actions of commands on the view of the open volume and on the layout. Without a viewer the view does not change. */
export class ViewActions {
  readonly #store: AppStore;
  readonly #settings: AppSettings;
  readonly #channels: Pick<Channels, 'contrast'>;
  /** The layout to return to from a single view. */
  #layoutOfSeveral: Settings['layout'] = 'quad';

  constructor(store: AppStore, settings: AppSettings, channels: Pick<Channels, 'contrast'>) {
    this.#store = store;
    this.#settings = settings;
    this.#channels = channels;
  }

  /** Changes the view of the open volume. */
  change(change: (state: ViewState) => Partial<ViewState>): void {
    this.#viewer?.set(change(this.#viewer.snapshot().state));
  }

  stepSlice(by: number): void {
    const axis = 'xyz'.indexOf(this.#store.getState().sliceAxis);
    this.change((state) => {
      const crosshair = [...state.crosshair] as [number, number, number];
      crosshair[axis] = (crosshair[axis] as number) + by;
      return { crosshair };
    });
  }

  showSlice(sliceAxis: SliceAxis): void {
    this.#store.setState({ sliceAxis });
    this.#settings.set({ layout: 'slice' });
  }

  /** Shows only one view (without an axis: the 3D view), or returns to the previous layout. */
  toggleAlone(axis: SliceAxis | undefined): void {
    const { layout } = this.#settings.current;
    if (layout === '3d' || layout === 'slice') this.#settings.set({ layout: this.#layoutOfSeveral });
    else {
      this.#layoutOfSeveral = layout;
      if (axis) this.showSlice(axis);
      else this.#settings.set({ layout: '3d' });
    }
  }

  /** Resets camera, zoom and pan of all views. */
  reset(): void {
    this.#viewer?.views.reset();
  }

  /** Resets zoom and pan of the slices, but not of the 3D view. */
  fitSlices(): void {
    this.#viewer?.views.fit();
  }

  /** Turns the 3D view to a side, and shows it if it is hidden. */
  lookFrom({ toEye }: SceneSide): void {
    this.#show3d();
    this.#viewer?.views.lookFrom(toEye);
  }

  /** Shows or hides the clip handles. Showing them switches to a layout with a 3D view. */
  showClipHandles(clipHandles: boolean): void {
    if (clipHandles) this.#show3d();
    this.#store.setState({ clipHandles });
  }

  /** Adds an oblique clip plane that faces the camera, or removes it. */
  toggleCut(): void {
    const viewer = this.#viewer;
    if (viewer?.snapshot().state.cut) viewer.set({ cut: undefined });
    else viewer?.cutFacing();
  }

  /** @param preset see window-presets.ts */
  presetWindow(preset: string): void {
    const state = this.#store.getState();
    const document = openDocument(state);
    // The volume's statistics mix all channels, so the base channel's own statistics are used.
    if (preset === 'auto' && hasChannelGroup(state.layers.stack)) void this.#channels.contrast(baseId);
    else if (document) this.change(() => ({ window: presetWindow(preset, document) }));
  }

  resetOpacity(): void {
    const document = openDocument(this.#store.getState());
    if (document) this.change(() => ({ opacity: autoView(document.info, document.statistics).opacity }));
  }

  nextProjection(): void {
    this.change(({ projection }) => ({
      projection: projections[(projections.indexOf(projection) + 1) % projections.length] ?? 'mip',
    }));
  }

  get #viewer(): Viewer | undefined {
    const { gpu } = this.#store.getState();
    return gpu.kind === 'ready' ? gpu.viewer : undefined;
  }

  #show3d(): void {
    if (!shows3d(this.#settings.current.layout)) this.#settings.set({ layout: 'quad' });
  }
}
