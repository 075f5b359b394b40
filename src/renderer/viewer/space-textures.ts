import type { Commands } from '../../core/gpu/commands.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { DisplayFeed, type ShownVolume } from './display-feed.ts';
import { LayerDisplays, type WantedDisplay } from './draw/layer-displays.ts';
import { layersIn3d, layerTime, volumeIdOf } from './model/layers.ts';
import type { LayerIn3d } from './model/view-host.ts';
import type { ViewState } from './model/viewer-api.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { ViewerContent } from './viewer-content.ts';

/** Callbacks for changes of the textures. */
export interface SpaceTexturesEvents {
  /** `shown` is another volume. */
  volumeChanged(): void;
  /** The volume's texture shows another time point. */
  contentChanged(): void;
  /** The content of a layer's texture changed, or the texture could not be made. */
  layersChanged(): void;
}

/** The textures of the open volume and its layers for the 3D view. They exist only while the view is visible, since they may be large. */
export class SpaceTextures {
  readonly #content: ViewerContent;
  readonly #store: SnapshotStore;
  readonly #display: DisplayFeed;
  readonly #layers: LayerDisplays;
  #isOn = false;

  constructor(content: ViewerContent, store: SnapshotStore, events: SpaceTexturesEvents) {
    this.#content = content;
    this.#store = store;
    this.#display = new DisplayFeed(
      () => events.volumeChanged(),
      () => events.contentChanged(),
    );
    this.#layers = new LayerDisplays(() => events.layersChanged());
  }

  /** The volume's texture, once it is filled. */
  get shown(): ShownVolume | undefined {
    return this.#display.shown;
  }

  /** The ids of layers without a texture because GPU memory does not suffice. */
  get layersWithoutMemory(): readonly string[] {
    return this.#layers.withoutMemory;
  }

  get isBusy(): boolean {
    return this.#display.isBusy || this.#layers.isBusy;
  }

  /** Resolves when everything requested so far is shown. */
  async settled(): Promise<void> {
    await Promise.all([this.#display.settled(), this.#layers.settled()]);
  }

  /** The layers that the 3D view draws in a state. A layer whose texture is being filled is left out until it is ready. */
  layersIn(state: ViewState): readonly LayerIn3d[] {
    return layersIn3d(state.layers, this.#content.layersIn(state)).flatMap(({ look, volume: { info }, map, labels }) => {
      const display = this.#layers.displayOf(look.id);
      return display ? [{ look, info, map, display, labels }] : [];
    });
  }

  /** Frees the textures of a volume that is no longer the content. Resolves when the volume is no longer in use. */
  async release(): Promise<void> {
    this.followLayers();
    await this.#display.clear();
    await this.#layers.settled();
  }

  /**
   * Makes the textures of a volume that has become the content.
   * @param isOn whether the 3D view is visible
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async begin(volume: VolumeSource, isOn: boolean): Promise<void> {
    this.#isOn = isOn;
    this.followLayers();
    if (isOn) await this.#display.show(volume, this.#store.state.timePoint);
  }

  /**
   * Replaces the textures when the volume is exchanged for the same one kept in another way. Resolves when the previous one is no
   * longer in use.
   * @param keepsPicture whether to keep the previous texture until the next one is filled, which takes memory for both
   * @param isCurrent returns false once the content has changed again
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async exchange(volume: VolumeSource, keepsPicture: boolean, isCurrent: () => boolean): Promise<void> {
    if (keepsPicture && this.#isOn) {
      await this.#display.show(volume, this.#store.state.timePoint).catch(async (error: unknown) => {
        await this.#display.clear();
        throw error;
      });
      await this.#layers.settled();
      return;
    }
    await this.#display.clear();
    await this.#layers.settled();
    if (isCurrent() && this.#isOn) await this.#display.show(volume, this.#store.state.timePoint);
  }

  /** Makes the textures when the 3D view becomes visible, and frees them when it is hidden. */
  followView(isShown: boolean): void {
    const { volume } = this.#content;
    if (!volume || isShown === this.#isOn) return;
    this.#isOn = isShown;
    this.followLayers();
    if (isShown) this.followTime();
    else {
      void this.#display.clear().then(() => {
        if (this.#content.volume === volume && !this.#isOn) volume.releaseDisplay();
      });
    }
  }

  /** Fills the volume's texture with the time point of the state. */
  followTime(): void {
    const { volume } = this.#content;
    // This fails only if the device is lost, which `Gpu.onLost` reports.
    if (volume && this.#isOn) this.#display.show(volume, this.#store.state.timePoint).catch(() => {});
  }

  /** Brings the layers' textures in step with the state. */
  followLayers(): void {
    const hasLayers = this.#isOn && this.#content.volume !== undefined;
    const looks = hasLayers ? this.#store.state.layers.layers : [];
    this.#layers.keep(new Map(looks.map((look) => [look.id, this.#content.volumeOf(volumeIdOf(look))])));
    if (hasLayers) this.#layers.show(this.#wantedLayers());
  }

  /** Must be called when GPU memory was freed elsewhere: layers that did not fit are tried again. */
  memoryFreed(): void {
    this.#layers.memoryFreed();
  }

  /** Records filling all textures with the time point of the state. Call `recorded` once the commands are submitted. */
  record(commands: Commands, volume: VolumeSource): void {
    volume.recordDisplay(commands, this.#store.state.timePoint);
    this.#layers.record(commands, this.#wantedLayers());
  }

  recorded(): void {
    this.#display.changed();
    this.followLayers();
  }

  /** Frees everything. */
  end(): void {
    void this.#display.clear();
    this.#layers.keep(new Map());
  }

  #wantedLayers(): readonly WantedDisplay[] {
    const { state } = this.#store;
    const base = this.#content.volume?.info;
    if (!base) return [];
    return layersIn3d(state.layers, this.#content.layersIn(state)).map(({ look: { id, channel }, volume }) => ({
      id,
      volume,
      timePoint: layerTime(base, state.timePoint, volume.info, channel),
    }));
  }
}
