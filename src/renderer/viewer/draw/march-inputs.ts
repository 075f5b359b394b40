import type { BrickRayInputs } from '../../../core/bricks/brick-rays.ts';
import { MeshPass } from '../../../core/draw/mesh-pass.ts';
import { mostRayVolumes } from '../../../core/draw/most-volumes.ts';
import { type RayLook, type RayView, rayFrame, rayFrameBytes, rayParameters, type Strip } from '../../../core/draw/ray-pass.ts';
import {
  gridOf,
  type RayGrid,
  type RayStackInputs,
  type RayVolume,
  rayStackBytes,
  rayStackFrame,
  rayStackRows,
} from '../../../core/draw/ray-stack.ts';
import { rayTransferSize } from '../../../core/draw/ray-transfer.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { colormap } from '../colors/colormaps.ts';
import { isFloorOpaque, transferTexels } from '../colors/transfer-function.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { layerTime, mostMeshes } from '../model/layers.ts';
import type { LayerIn3d, ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { BrickedVolume, BrickLayersDrawing } from './brick-layers-drawing.ts';
import type { BrickSpace } from './brick-space.ts';
import { baseIn3d, layerIn3d, surfaceIn3d } from './ray-volumes.ts';
import { StackColors, transferIn } from './stack-colors.ts';
import { layerSpace } from './stand-in.ts';

/** The camera, the sampling, and what else rays meet. */
export interface RaySampling {
  readonly view: RayView;
  /** The distance between samples in texels; small volumes use a smaller one. */
  readonly step: number;
  /** The oblique clip plane, in the unit cube. */
  readonly plane: RayLook['plane'];
  readonly strip: Strip;
  /** Meshes that rays meet. */
  readonly meshes?: readonly ShownMesh[] | undefined;
  /** The volume's labels, if anything is known about them. */
  readonly labels?: ShownLabels | undefined;
  /** The bricks of layers, by the ids of their volumes (`volumeIdOf`). */
  readonly layerBricks?: ReadonlyMap<string, BrickSpace> | undefined;
  /** See `sharedOpacity`; default: false. */
  readonly isDraft?: boolean | undefined;
  /** See `DrawnBricks`; default: the width of the strip. */
  readonly restWidth?: number | undefined;
}

/** The parameters and transfer functions of frames, written for one strip at a time. Free them with `destroy`. */
export class MarchInputs {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #info: VolumeInfo;
  readonly #layers: BrickLayersDrawing;
  readonly #meshPass: MeshPass;
  readonly #frame: GPUBuffer;
  readonly #transfer: GPUTexture;
  readonly #colors: StackColors;
  #transferKey = '';

  /** @param info of the open volume @param layers draws layers from bricks */
  constructor(gpu: Gpu, info: VolumeInfo, layers: BrickLayersDrawing) {
    this.#gpu = gpu;
    this.#info = info;
    this.#layers = layers;
    this.#scope = gpu.scope('view.inputs');
    this.#meshPass = new MeshPass(gpu, mostMeshes);
    this.#frame = this.#scope.buffer('frame', Math.max(rayFrameBytes, rayStackBytes(mostRayVolumes)), GPUBufferUsage.UNIFORM);
    this.#transfer = transferIn(this.#scope, rayTransferSize);
    this.#colors = new StackColors(gpu, this.#scope);
  }

  /** A frame shows no meshes, so their memory is freed. */
  withoutMeshes(): void {
    this.#meshPass.rest();
  }

  destroy(): void {
    this.#meshPass.destroy();
    this.#scope.destroy();
  }

  /** @param grid of the volume's texture or bricks */
  ofVolume(state: ViewState, grid: RayGrid, { view, step, plane, isDraft, strip }: RaySampling): BrickRayInputs {
    this.#writeTransfer(state);
    const { isCategorical } = colormap(state.colormap);
    const colors = { isCategorical, isFloorOpaque: isFloorOpaque(state) };
    const parameters = rayParameters(grid, { ...state, plane }, colors, step, isDraft);
    this.#gpu.device.queue.writeBuffer(this.#frame, 0, rayFrame(grid, view, parameters, strip));
    return { projection: state.projection, frame: this.#frame, transfer: this.#transfer };
  }

  /** @param base the grid of the open volume; undefined if it is hidden @returns `displays` are those of the layers */
  ofStack(
    commands: Commands,
    state: ViewState,
    base: RayGrid | undefined,
    layers: readonly LayerIn3d[],
    march: RaySampling,
  ): RayStackInputs {
    const { view, step, plane, strip, isDraft, meshes = [], labels, restWidth = strip.width } = march;
    const bricked = layers.map((layer) => this.#brickedOf(state, layer, march));
    const others = layers.map((layer, at) => bricked[at]?.volume ?? layerIn3d(this.#info, state, layer));
    const volumes = [...(base ? [baseIn3d(state, base)] : []), ...others];
    const ofLayers = layers.map((layer, at) => ({ ...layer, display: gridOf(others[at] as RayVolume) }));
    const looks = [...(base ? [{ look: state, display: base, labels }] : []), ...ofLayers];
    const frame = rayStackFrame(volumes, view, { ...state, plane }, step, strip, isDraft);
    this.#gpu.device.queue.writeBuffer(this.#frame, 0, frame);
    const surfaces = meshes.map((mesh) => surfaceIn3d(this.#info, mesh));
    const [x, y, z] = this.#info.dims;
    return {
      layerBricks: this.#layers.inputs(commands, [...(base ? [undefined] : []), ...bricked], {
        ...{ view, restWidth, strip },
        dims: [x, y, z],
      }),
      areLabels: volumes.map(({ isCategorical }) => isCategorical),
      projection: state.projection,
      displays: layers.map(({ display }) => display),
      frame: this.#frame,
      transfer: this.#colors.of(state, looks, volumes.map(rayStackRows)),
      surfaces: surfaces.length > 0 ? this.#meshPass.record(commands, surfaces, view, { ...state, plane }, strip) : undefined,
    };
  }

  /** A layer as it is drawn from its bricks; undefined if it is not. */
  #brickedOf(state: ViewState, layer: LayerIn3d, { layerBricks }: RaySampling): BrickedVolume | undefined {
    const space = layerSpace(layer, layerBricks);
    if (!space) return undefined;
    const timePoint = layerTime(this.#info, state.timePoint, layer.info, layer.look.channel);
    return { layer, space, timePoint, volume: layerIn3d(this.#info, state, layer, true) };
  }

  #writeTransfer(state: ViewState): void {
    const key = JSON.stringify([state.colormap, state.inverted, state.opacity]);
    if (key === this.#transferKey) return;
    this.#transferKey = key;
    const [width] = rayTransferSize;
    const texels = transferTexels(state);
    this.#gpu.device.queue.writeTexture({ texture: this.#transfer }, texels, { bytesPerRow: 4 * width }, rayTransferSize);
  }
}
