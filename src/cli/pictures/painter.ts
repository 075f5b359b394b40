import type { GpuMesh } from '../../core/draw/gpu-mesh.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { LabelTable } from '../../core/shared/label-table.ts';
import type { DisplayTexture } from '../../core/volume/display-texture.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { LayerDisplays } from '../../renderer/viewer/draw/layer-displays.ts';
import { rayPicture } from '../../renderer/viewer/draw/ray-picture.ts';
import { sceneCube } from '../../renderer/viewer/draw/scene-cube.ts';
import { slicePicture } from '../../renderer/viewer/draw/slice-picture.ts';
import { SliceRenderer } from '../../renderer/viewer/draw/slice-renderer.ts';
import type { LabelLook, ShownLabels } from '../../renderer/viewer/model/label-look.ts';
import { shownLayers, shownMeshes } from '../../renderer/viewer/model/layer-place.ts';
import { baseId, layersIn3d, layerTime, volumeIdOf } from '../../renderer/viewer/model/layers.ts';
import { OrbitCamera } from '../../renderer/viewer/model/orbit-camera.ts';
import { checkPictureSize, type PictureRequest, type ViewPicture } from '../../renderer/viewer/model/picture.ts';
import { stillSteps } from '../../renderer/viewer/model/quality.ts';
import type { Viewpoints } from '../../renderer/viewer/model/same-place.ts';
import { maxZoom, minZoom } from '../../renderer/viewer/model/slice-geometry.ts';
import type { LayerIn3d, ShownMesh } from '../../renderer/viewer/model/view-host.ts';
import type { ViewState } from '../../renderer/viewer/model/viewer-api.ts';
import { groundOf, type LabelTables, type PictureLook, type ShownView, shownLabels } from './look.ts';

/** A strip this large takes even a slow GPU only a short time. */
const stripPixels = 2 ** 18;

/** A frame to draw. */
export interface Shot extends Pick<PictureRequest, 'turn' | 'signal'> {
  readonly view: ShownView;
  readonly state: ViewState;
  /** The cameras of a session. */
  readonly viewpoints?: Viewpoints | undefined;
}

/** Names and colours of labels. */
export interface PaintedTables {
  /** Label tables that a session's looks refer to. */
  readonly loaded: LabelTables;
  /** Label tables of the volumes' own files, by id (`volumeIdOf`). */
  readonly own: ReadonlyMap<string, LabelTable>;
}

/** Draws pictures of a volume in GPU memory as the app does, but without a page. Free it with `destroy`. */
export class Painter {
  readonly #gpu: Gpu;
  readonly #volume: VolumeSource;
  readonly #layers: ReadonlyMap<string, VolumeSource>;
  readonly #meshes: ReadonlyMap<string, GpuMesh>;
  readonly #slices: SliceRenderer;
  readonly #layerDisplays: LayerDisplays;
  readonly #look: PictureLook;
  readonly #tables: PaintedTables;
  /** By id. All frames share these objects, because their colours are on the GPU. */
  readonly #labels = new Map<string, { readonly look: LabelLook; readonly shown: ShownLabels }>();
  /** The 3D view's texture and the time point in it. */
  #display: { readonly texture: DisplayTexture; readonly timePoint: number } | undefined;

  /**
   * @param over the layers and meshes over the volume, by id. The caller owns them and the volume
   * @throws StriaError `invalid-input`, `limit-too-small` for a size that cannot be drawn
   */
  constructor(
    gpu: Gpu,
    volume: VolumeSource,
    over: { readonly layers: ReadonlyMap<string, VolumeSource>; readonly meshes: ReadonlyMap<string, GpuMesh> },
    look: PictureLook,
    tables: PaintedTables = { loaded: {}, own: new Map() },
  ) {
    checkPictureSize(look.width, look.height, gpu.device.limits.maxTextureDimension2D);
    this.#gpu = gpu;
    this.#volume = volume;
    this.#layers = over.layers;
    this.#meshes = over.meshes;
    this.#look = look;
    this.#tables = tables;
    this.#slices = new SliceRenderer(gpu, 'rgba8unorm');
    this.#layerDisplays = new LayerDisplays(() => {});
  }

  /** @throws StriaError `aborted`, `device-lost`, `out-of-memory` */
  draw(shot: Shot): Promise<ViewPicture> {
    return shot.view === '3d' ? this.#rays(shot) : this.#slice(shot, shot.view);
  }

  destroy(): void {
    this.#slices.destroy();
    this.#layerDisplays.keep(new Map());
  }

  #slice({ state, viewpoints }: Shot, axis: Exclude<ShownView, '3d'>): Promise<ViewPicture> {
    const { width, height, zoom = 1 } = this.#look;
    const { info } = this.#volume;
    const saved = viewpoints?.[axis] ?? { zoom: 1, center: undefined };
    const camera = { ...saved, zoom: Math.min(maxZoom, Math.max(minZoom, saved.zoom * zoom)) };
    const { ground, background } = groundOf(this.#look);
    const layers = shownLayers(info, state.layers, (id) => this.#volumeOf(id)).map((layer) => ({
      ...layer,
      labels: this.#labelsOf(layer.look.id, volumeIdOf(layer.look), layer.look.labels),
    }));
    const labels = this.#labelsOf(baseId, baseId, state.layers.base.labels);
    const meshes = this.#meshesIn(state);
    const scene = { volume: this.#volume, axis, state, camera, layers, meshes, labels, ground };
    return slicePicture(this.#gpu, this.#slices, scene, { width, height, pixelRatio: 1, background });
  }

  async #rays({ state, viewpoints, turn, signal }: Shot): Promise<ViewPicture> {
    const { width, height, zoom = 1, toEye } = this.#look;
    const { info } = this.#volume;
    const pose = viewpoints?.['3d'];
    const orbit = new OrbitCamera(null, () => {});
    orbit.resize(pose?.aspect ?? width / height);
    orbit.reset(sceneCube(info).corners);
    orbit.use(state.camera);
    if (pose) orbit.pose = pose;
    if (toEye) orbit.lookFrom(toEye, 0);
    const { camera, eye } = orbit.posed(width / height, turn);
    orbit.dispose();
    camera.zoom *= zoom;
    camera.updateProjectionMatrix();
    const { ground, background } = groundOf(this.#look);
    const scene = {
      info,
      display: await this.#displayAt(state.timePoint),
      layers: await this.#layersIn3d(state),
      meshes: this.#meshesIn(state),
      labels: this.#labelsOf(baseId, baseId, state.layers.base.labels),
      state,
      camera,
      eye,
      step: stillSteps[state.quality],
      ground,
    };
    const request = { width, height, background, signal };
    return rayPicture(this.#gpu, scene, request, Math.max(8, Math.floor(stripPixels / width)));
  }

  async #layersIn3d(state: ViewState): Promise<readonly LayerIn3d[]> {
    const { info: base } = this.#volume;
    const shown = layersIn3d(
      state.layers,
      shownLayers(base, state.layers, (id) => this.#volumeOf(id)),
    );
    const wanted = shown.map(({ look: { id, channel }, volume }) => ({
      id,
      volume,
      timePoint: layerTime(base, state.timePoint, volume.info, channel),
    }));
    this.#layerDisplays.show(wanted);
    await this.#layerDisplays.settled();
    this.#gpu.checkAlive();
    return shown.map(({ look, volume: { info }, map }) => {
      const display = this.#layerDisplays.displayOf(look.id);
      if (!display) throw new StriaError('out-of-memory', `the GPU does not have enough memory to draw ${look.name} in 3D`);
      return { look, info, map, display, labels: this.#labelsOf(look.id, volumeIdOf(look), look.labels) };
    });
  }

  #meshesIn({ layers }: ViewState): readonly ShownMesh[] {
    return shownMeshes(this.#volume.info, layers, (id) => this.#meshes.get(id));
  }

  #volumeOf(id: string): VolumeSource | undefined {
    return id === baseId ? this.#volume : this.#layers.get(id);
  }

  #labelsOf(id: string, volume: string, look: LabelLook): ShownLabels {
    const known = this.#labels.get(id);
    if (known?.look === look) return known.shown;
    const shown = shownLabels(look, this.#tables.loaded, this.#tables.own.get(volume));
    this.#labels.set(id, { look, shown });
    return shown;
  }

  async #displayAt(timePoint: number): Promise<DisplayTexture> {
    if (this.#display?.timePoint !== timePoint) {
      this.#display = { texture: await this.#volume.displayTexture(timePoint), timePoint };
    }
    return this.#display.texture;
  }
}
