import { LabelPlane } from '../../../core/draw/label-plane.ts';
import { LayerSlab } from '../../../core/draw/layer-slab.ts';
import { SlabPlane } from '../../../core/draw/slab-plane.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { baseId } from '../model/layers.ts';
import type { ViewHost } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { LayerDrawing } from './slice-contents.ts';
import { timedLayers } from './slice-drawing.ts';

/** One view's scratch memory for the open volume and the layers in slices. Free it with `destroy`. */
export class LayerSlabs {
  readonly #gpu: Gpu;
  readonly #slabs = new Map<string, LayerSlab>();
  readonly #planes = new Map<string, SlabPlane>();
  readonly #labelPlanes = new Map<string, LabelPlane>();
  /** The scratch memory for the open volume. */
  readonly volume: LayerSlab;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.volume = new LayerSlab(gpu);
  }

  /** The layers to draw in a state. The scratch memory of other layers is freed. */
  drawings(host: Pick<ViewHost, 'volume' | 'layersIn'>, state: ViewState): readonly LayerDrawing[] {
    const shown = timedLayers(host, state);
    for (const scratch of this.#all) {
      for (const [id, slab] of scratch) {
        if (shown.some(({ look }) => look.id === id)) continue;
        slab.destroy();
        scratch.delete(id);
      }
    }
    return shown.map((layer) => ({
      ...layer,
      slab: scratchOf(this.#slabs, layer.look.id, () => new LayerSlab(this.#gpu)),
      labelPlane: scratchOf(this.#labelPlanes, layer.look.id, () => new LabelPlane(this.#gpu)),
      plane: layer.look.of === baseId ? scratchOf(this.#planes, layer.look.id, () => new SlabPlane(this.#gpu)) : undefined,
    }));
  }

  destroy(): void {
    this.volume.destroy();
    for (const scratch of this.#all) {
      for (const slab of scratch.values()) slab.destroy();
      scratch.clear();
    }
  }

  get #all(): readonly Map<string, { destroy(): void }>[] {
    return [this.#slabs, this.#planes, this.#labelPlanes];
  }
}

function scratchOf<Scratch>(all: Map<string, Scratch>, id: string, make: () => Scratch): Scratch {
  const scratch = all.get(id) ?? make();
  all.set(id, scratch);
  return scratch;
}
