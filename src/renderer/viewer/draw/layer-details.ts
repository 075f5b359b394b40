import type { PlaneSource } from '../../../core/draw/layer-slab.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { colormap } from '../colors/colormaps.ts';
import type { DetailFault } from '../model/detail-faults.ts';
import { baseId } from '../model/layers.ts';
import { LayerDetail, type LayerDetailWish } from './layer-detail.ts';
import { type PlacedSlice, planePart } from './layer-plane.ts';
import type { TimedLayer } from './slice-contents.ts';

interface Kept {
  /** As a fault names it. */
  layer: NonNullable<DetailFault['layer']>;
  readonly detail: LayerDetail;
  fault: DetailFault | undefined;
}

/**
 * The voxels of all layers in a canvas's slice, at screen resolution. Channels of the open volume that are shown as images are left out,
 * since they are drawn like that volume.
 */
export class LayerDetails {
  readonly #gpu: Gpu;
  readonly #onArrived: () => void;
  readonly #onFault: (fault: DetailFault | undefined) => void;
  readonly #kept = new Map<string, Kept>();

  /**
   * @param onArrived called when voxels have arrived, so that the slice can be drawn again
   * @param onFault called with the fault of a layer whose voxels cannot be read; undefined if there is none
   */
  constructor(gpu: Gpu, onArrived: () => void, onFault: (fault: DetailFault | undefined) => void) {
    this.#gpu = gpu;
    this.#onArrived = onArrived;
    this.#onFault = onFault;
  }

  /** Whether voxels are being read. */
  get isPending(): boolean {
    return [...this.#kept.values()].some(({ detail }) => detail.isPending);
  }

  /** Adds to each layer the finer voxels that it has now. Requests missing ones, and frees those of other layers. */
  drawings<Layer extends TimedLayer>(
    slice: PlacedSlice,
    layers: readonly Layer[],
    size: Pick<GPUTexture, 'width' | 'height'>,
  ): readonly (Layer & { readonly finer?: PlaneSource | undefined })[] {
    this.#keep(layers);
    return layers.map((layer) => {
      const wish = wishOf(slice, layer, size);
      return wish ? { ...layer, finer: this.#detailOf(layer).drawing(wish) } : layer;
    });
  }

  /** Reads the finer voxels of all layers. Resolves once all readable ones are there. @throws StriaError `aborted` */
  async load(
    slice: PlacedSlice,
    layers: readonly TimedLayer[],
    size: Pick<GPUTexture, 'width' | 'height'>,
    signal?: AbortSignal,
  ): Promise<void> {
    this.#keep(layers);
    for (const layer of layers) {
      const wish = wishOf(slice, layer, size);
      if (wish) await this.#detailOf(layer).loaded(wish, signal);
    }
  }

  destroy(): void {
    this.#keep([]);
  }

  /** Frees the voxels of all layers but these. */
  #keep(layers: readonly TimedLayer[]): void {
    for (const [id, { detail, fault }] of [...this.#kept]) {
      if (layers.some((layer) => layer.look.id === id && needsDetail(layer))) continue;
      detail.destroy();
      this.#kept.delete(id);
      if (fault) this.#tell();
    }
  }

  #detailOf({ look: { id, name }, volume: { decimation } }: TimedLayer): LayerDetail {
    const layer = { name, decimation };
    const known = this.#kept.get(id);
    if (known) {
      known.layer = layer;
      return known.detail;
    }
    const kept: Kept = {
      layer,
      fault: undefined,
      detail: new LayerDetail(this.#gpu, this.#onArrived, (fault) => {
        kept.fault = fault && { ...fault, layer: kept.layer };
        this.#tell();
      }),
    };
    this.#kept.set(id, kept);
    return kept.detail;
  }

  #tell(): void {
    this.#onFault([...this.#kept.values()].find(({ fault }) => fault)?.fault);
  }
}

function needsDetail({ look, volume }: TimedLayer): boolean {
  const isLikeBase = look.of === baseId && !colormap(look.colormap).isCategorical;
  return volume.decimation > 1 && volume.file !== undefined && !isLikeBase;
}

function wishOf(
  slice: PlacedSlice,
  layer: TimedLayer,
  { width, height }: Pick<GPUTexture, 'width' | 'height'>,
): LayerDetailWish | undefined {
  if (!needsDetail(layer)) return undefined;
  return { volume: layer.volume, timePoint: layer.timePoint, plane: planePart(slice, layer, width, height) };
}
