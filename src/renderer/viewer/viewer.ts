import type { GpuMesh } from '../../core/draw/gpu-mesh.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { AttachedViews } from './attached-views.ts';
import { BrickFeed } from './brick-feed.ts';
import { withPresentName } from './colors/colormaps.ts';
import { type Ground, grounds } from './colors/grounds.ts';
import { drawsChannels } from './draw/brick-channels.ts';
import { drawsFromBricks } from './draw/brick-layers-drawing.ts';
import type { BrickFile, BrickFileListener, BrickSpace } from './draw/brick-space.ts';
import { coarseness } from './draw/ray-volumes.ts';
import { SliceRenderer } from './draw/slice-renderer.ts';
import { DrawLoop } from './draw-loop.ts';
import { FrameStepper } from './frame-stepper.ts';
import { LayerFeeds } from './layer-feeds.ts';
import { firstView } from './model/auto-view.ts';
import { facingCut } from './model/cut-plane.ts';
import { type DetailFault, withDetailFault } from './model/detail-faults.ts';
import type { ShownLabels } from './model/label-look.ts';
import { baseId, layerTime, volumeIdOf } from './model/layers.ts';
import { isSameIn3d } from './model/same-in-3d.ts';
import type { LayerIn3d, View, ViewHost } from './model/view-host.ts';
import type { ViewerSnapshot, ViewName, ViewState } from './model/viewer-api.ts';
import { Overlays } from './overlays.ts';
import { PointerProbe } from './pointer-probe.ts';
import { ObliqueView } from './slices/oblique-view.ts';
import { SliceCanvas } from './slices/slice-canvas.ts';
import { SliceView } from './slices/slice-view.ts';
import { SnapshotStore } from './snapshot-store.ts';
import { VolumeView } from './space/volume-view.ts';
import { SpaceTextures } from './space-textures.ts';
import { ViewerContent } from './viewer-content.ts';
import { ViewerPictures } from './viewer-pictures.ts';

/**
 * Draws a volume in GPU memory, in 3D and in slices. It does not use React: panels write through `set` and read snapshots,
 * which change on probe, crosshair and state changes, never at frame rate. It draws only when something has changed.
 */
export class Viewer {
  readonly views: AttachedViews;
  readonly loop: DrawLoop;
  readonly overlays: Overlays;
  readonly probe: PointerProbe;
  readonly frames: FrameStepper;
  readonly pictures: ViewerPictures;
  readonly bricks: BrickFeed;
  readonly layerBricks: LayerFeeds;
  /** Only for reading: change it through the viewer. */
  readonly content: Readonly<ViewerContent>;
  /** Stable between changes, as `useSyncExternalStore(viewer.subscribe, viewer.snapshot)` needs it. */
  readonly snapshot: () => ViewerSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #slices: SliceRenderer;
  readonly #content = new ViewerContent();
  readonly #store = new SnapshotStore();
  readonly #textures: SpaceTextures;
  readonly #host: ViewHost;
  /** The viewer that also draws this one's layers. */
  #borrower: Viewer | undefined;
  #ground: Ground = 'near-black';
  /** Counts changes of the volume, so that outdated ones stop. */
  #turn = 0;

  /** @param gpu the caller's GPU; the viewer frees only what it created */
  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#format = navigator.gpu.getPreferredCanvasFormat();
    this.#slices = new SliceRenderer(gpu, this.#format);
    this.content = this.#content;
    this.snapshot = this.#store.snapshot;
    this.subscribe = this.#store.subscribe;
    this.views = new AttachedViews({
      create: (name, canvas) => this.#newView(name, canvas),
      requestFrame: (views) => this.loop.request(views),
      resized: (name) => this.#resized(name),
      detached: (name, view) => this.#detached(name, view),
    });
    this.loop = new DrawLoop(gpu, () => this.views.volume);
    this.#textures = new SpaceTextures(this.#content, this.#store, {
      volumeChanged: () => {
        this.views.volume?.setVolume(this.#textures.shown);
        this.#followBricks();
      },
      contentChanged: () => this.requestRender(),
      layersChanged: () => this.#layerTexturesChanged(),
    });
    const listener: BrickFileListener = {
      changed: () => this.#bricksChanged(),
      arrived: () => {
        this.views.volume?.refresh();
        if (this.views.oblique) this.loop.request([this.views.oblique]);
      },
      levelsMade: () => this.requestRender(),
    };
    const numbersOf = (id: string) => this.#content.volumeOf(id)?.numbers ?? ([-Infinity, Infinity] as const);
    this.bricks = new BrickFeed(gpu, () => numbersOf(baseId), listener);
    this.layerBricks = new LayerFeeds(gpu, numbersOf, listener);
    this.overlays = new Overlays(
      this.views,
      () => this.bricks.map,
      (views) => this.loop.request(views),
    );
    this.probe = new PointerProbe(this.#content, this.#store);
    const stage = { gpu, content: this.#content, store: this.#store, views: this.views, textures: this.#textures };
    this.frames = new FrameStepper({ ...stage, loop: this.loop });
    this.pictures = new ViewerPictures({ ...stage, bricks: this.bricks, layerBricks: this.layerBricks });
    this.#host = this.#newHost();
  }

  /**
   * Shows a volume, or nothing. The caller owns the volume, and must await `setVolume(undefined)` before destroying it.
   * @param state the initial state; default: `firstView` of its statistics. All views are reset.
   * @param with3d whether a 3D view is visible, or will be at once, so that its texture is created immediately
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async setVolume(volume: VolumeSource | undefined, state?: ViewState, with3d = true): Promise<void> {
    const turn = ++this.#turn;
    this.probe.clear();
    this.#content.volume = undefined;
    this.bricks.close();
    this.layerBricks.follow(new Set(), 1);
    await this.#textures.release();
    this.#volumeChanged();
    this.#store.change({ info: undefined, probe: undefined, decimation: 1, detailFaults: {} });
    this.requestRender();
    if (!volume || turn !== this.#turn) return;
    // Needed even if a state is given, since the statistics tell which values mark missing data.
    const statistics = await volume.statistics();
    const first = withPresentName(state ?? firstView(volume.info, statistics));
    if (turn !== this.#turn) return;
    this.#take(volume);
    this.#store.change({ info: volume.info, state: first, probe: undefined, decimation: volume.decimation });
    this.views.reset();
    await this.#textures.begin(volume, with3d);
    if (turn === this.#turn) this.frames.prepareFirst(volume.info);
  }

  /**
   * Replaces the volume by the same one kept in another way. State and cameras stay. Resolves when the previous one is no longer
   * in use. @param keepsPicture whether the 3D view shows the previous one until the next can be drawn, which takes memory for both
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async exchangeVolume(volume: VolumeSource, keepsPicture = false): Promise<void> {
    const turn = ++this.#turn;
    const isCurrent = (): boolean => turn === this.#turn;
    this.probe.clear();
    this.#take(volume);
    this.#textures.followLayers();
    this.#volumeChanged();
    this.#store.change({ decimation: volume.decimation });
    this.requestRender();
    await this.#textures.exchange(volume, keepsPicture, isCurrent);
    if (isCurrent()) this.frames.prepareFirst(volume.info);
  }

  /** The slices have read nothing of the new volume yet. */
  #volumeChanged(): void {
    for (const view of this.views.all) if (view instanceof SliceCanvas) view.volumeChanged();
  }

  /** Sets the bricks of the open volume's file, from which the 3D view and the oblique slice draw voxels that GPU memory lacks. */
  setBricks(file: BrickFile | undefined): void {
    this.bricks.set(file);
    this.#followBricks();
    this.#bricksChanged();
  }

  /**
   * Sets the voxels of the layers in `ViewState.layers`, by id (`volumeIdOf`); layers without voxels are not drawn. The caller owns them,
   * and may destroy those of an earlier call at once.
   * @param bricks the bricks of those layers' files of which GPU memory holds only a lower resolution. A borrower does not get them
   */
  setLayers(layers: ReadonlyMap<string, VolumeSource>, bricks: ReadonlyMap<string, BrickFile> = new Map()): void {
    this.#content.layers = layers;
    this.layerBricks.set(bricks);
    this.#followBricks();
    this.#textures.memoryFreed();
    this.probe.clear();
    this.#textures.followLayers();
    this.requestRender();
    this.#borrower?.setLayers(layers);
  }

  /** Sets the meshes in `ViewState.layers`, by id. The caller owns them, as with layers. */
  setMeshes(meshes: ReadonlyMap<string, GpuMesh>): void {
    this.#content.meshes = meshes;
    this.requestRender();
    this.#borrower?.setMeshes(meshes);
  }

  /** Sets the labels of the layers and of the open volume (`baseId`). Labels of other volumes have the colours of the palette. */
  setLabels(labels: ReadonlyMap<string, ShownLabels>): void {
    this.#content.labels = labels;
    this.requestRender();
    this.#borrower?.setLabels(this.#content.layerLabels);
  }

  /**
   * Lends the voxels, triangles and label tables of the layers to another viewer, now and whenever they change. That viewer's own state
   * decides which of them it draws. @param borrower undefined to stop lending
   */
  lendLayers(borrower: Viewer | undefined): void {
    this.#borrower?.setLayers(new Map());
    this.#borrower?.setMeshes(new Map());
    this.#borrower = borrower;
    borrower?.setLayers(this.#content.layers);
    borrower?.setMeshes(this.#content.meshes);
    borrower?.setLabels(this.#content.layerLabels);
  }

  /**
   * Replaces parts of the state and redraws. Crosshair and time point are clamped to the volume, and the window is ordered by
   * physical value.
   */
  readonly set = (change: Partial<ViewState>): void => {
    const before = this.#store.state;
    const state = this.#store.fitted(withPresentName({ ...before, ...change }));
    if (JSON.stringify(state) === JSON.stringify(before)) return;
    this.#store.change({ state });
    if (state.timePoint !== before.timePoint) this.#textures.followTime();
    this.#textures.followLayers();
    this.#followBricks();
    this.#bricksChanged();
    const is3dSame = isSameIn3d(state, before, this.#hasOblique);
    this.loop.request(this.views.all.filter((view) => !(is3dSame && view instanceof VolumeView)));
  };

  /** Turns the oblique clip plane to face the 3D camera, about its point or else the volume's centre. The near side is cut away. */
  cutFacing(): void {
    const frame = this.views.volume?.cameraFrame;
    if (frame) this.set({ cut: facingCut(this.#store.state.cut, frame) });
  }

  /** Sets the background of the viewports. */
  setGround(ground: Ground): void {
    if (ground === this.#ground) return;
    this.#ground = ground;
    this.requestRender();
  }

  /** Draws all views at the next animation frame. */
  requestRender(): void {
    this.loop.request(this.views.all);
  }

  /**
   * Whether a view, or every view, shows everything requested at full quality, so that nothing is drawn until something
   * changes.
   */
  isSettled(name?: ViewName): boolean {
    const isBusy = this.loop.isPending || this.#textures.isBusy || this.bricks.isBusy || this.layerBricks.isBusy;
    return !isBusy && this.views.areSettled(name);
  }

  /** Detaches all canvases and frees all GPU memory that the viewer created. */
  dispose(): void {
    this.#turn++;
    this.#content.volume = undefined;
    this.views.detachAll();
    this.loop.end();
    this.frames.end();
    this.#store.end();
    this.bricks.close();
    this.layerBricks.close();
    this.#textures.end();
    this.#slices.destroy();
  }

  #newHost(): ViewHost {
    const viewer = this;
    return {
      get state() {
        return viewer.#store.state;
      },
      get volume() {
        return viewer.#content.volume;
      },
      get labels() {
        return viewer.#content.labels.get(baseId);
      },
      get ground() {
        return grounds[viewer.#ground];
      },
      get chunks() {
        return viewer.overlays.chunks;
      },
      get board() {
        return viewer.overlays.board;
      },
      get hasOblique() {
        return viewer.#hasOblique;
      },
      set: this.set,
      layersIn: (state) => this.#content.layersIn(state),
      layersIn3d: (state) => this.#textures.layersIn(state),
      meshesIn: (state) => this.#content.meshesIn(state),
      probe: (position) => this.probe.read(position),
      requestRender: (view) => this.loop.request([view]),
      detailFailed: (view, fault) => this.#detailFailed(this.views.nameOf(view), fault),
      drawn: () => this.loop.count(),
    };
  }

  #newView(name: ViewName, canvas: HTMLCanvasElement): View {
    if (name === '3d') {
      const view = new VolumeView(this.#gpu, canvas, this.#host);
      view.setVolume(this.#textures.shown);
      view.setBricks(this.bricks.space, this.#layerSpaces);
      return view;
    }
    if (name !== 'oblique') return new SliceView(this.#gpu, this.#slices, this.#format, name, canvas, this.#host);
    const view = new ObliqueView(this.#gpu, this.#slices, this.#format, canvas, this.#host);
    view.setBricks(this.bricks.space);
    return view;
  }

  get #hasOblique(): boolean {
    return this.views.oblique?.isShown === true;
  }

  #resized(name: ViewName): void {
    if (name === '3d') this.#follow3d();
    if (name !== 'oblique') return;
    this.#followBricks();
    // The other views show their intersections with the oblique slice.
    this.requestRender();
  }

  #detached(name: ViewName, view: View): void {
    this.loop.skip(view);
    this.#detailFailed(name, undefined);
    if (name === '3d') this.#follow3d();
    if (name === 'oblique') this.#followBricks();
  }

  #follow3d(): void {
    this.#textures.followView(this.views.volume?.isShown === true);
  }

  #take(volume: VolumeSource): void {
    this.#content.volume = volume;
    this.frames.forget();
  }

  #layerTexturesChanged(): void {
    const missingIn3d = this.#textures.layersWithoutMemory;
    if (missingIn3d.join() !== this.snapshot().missingIn3d.join()) this.#store.change({ missingIn3d });
    this.#followBricks();
    this.#bricksChanged();
    if (this.views.volume) this.loop.request([this.views.volume]);
  }

  /**
   * Opens the bricks that views need, and frees the others. The open volume and all layers that have bricks, shown or not, share the budgets
   * equally.
   */
  #followBricks(): void {
    const isCoarse = this.#content.volume !== undefined && this.#content.volume.decimation > 1;
    const isNeeded = this.bricks.needs(this.#textures.shown, isCoarse && this.#hasOblique);
    const layers = this.#textures.layersIn(this.#store.state);
    const ofLayers = this.layerBricks.needed(new Map(layers.map((layer) => [volumeIdOf(layer.look), layer])));
    const sharers = this.layerBricks.size + (this.bricks.hasFile ? 1 : 0);
    this.bricks.follow(isNeeded, sharers);
    this.layerBricks.follow(ofLayers, sharers);
  }

  /** The bricks from which layers are drawn. Channels of the open volume share its bricks. */
  get #layerSpaces(): ReadonlyMap<string, BrickSpace> {
    const { space } = this.bricks;
    return new Map([...(space ? [[baseId, space] as const] : []), ...this.layerBricks.spaces]);
  }

  #bricksChanged(): void {
    const layerBricks = this.#layerSpaces;
    this.views.volume?.setBricks(this.bricks.space, layerBricks);
    this.views.oblique?.setBricks(this.bricks.space);
    const { state, bricks3d, layersAt: before } = this.snapshot();
    this.bricks.show(state.timePoint);
    const layers = this.#textures.layersIn(state);
    const { info } = this.#content.volume ?? {};
    for (const { look, info: of } of layers)
      if (info) this.layerBricks.show(volumeIdOf(look), layerTime(info, state.timePoint, of, look.channel));
    const areExact = drawsChannels(this.bricks.space, state, layers, this.#content.meshesIn(state));
    const isOfBricks = (layer: LayerIn3d): boolean => {
      const space = layerBricks.get(volumeIdOf(layer.look));
      return space !== undefined && drawsFromBricks(layer, space);
    };
    const coarse = areExact ? [] : layers.filter((layer) => !isOfBricks(layer));
    const layersAt = Math.max(1, ...coarse.map(coarseness));
    const next = this.layerBricks.told(this.bricks.told(), this.#content.volume?.decimation === 1);
    if (layersAt !== before || JSON.stringify(next) !== JSON.stringify(bricks3d))
      this.#store.change({ bricks3d: next, layersAt });
    this.overlays.bricksChanged();
  }

  #detailFailed(name: ViewName | undefined, fault: DetailFault | undefined): void {
    if (name === undefined) return;
    const { detailFaults } = this.snapshot();
    const next = withDetailFault(detailFaults, name, fault);
    if (next !== detailFaults) this.#store.change({ detailFaults: next });
  }
}
