import { LayerSlab } from '../../../core/draw/layer-slab.ts';
import { SlabPlane } from '../../../core/draw/slab-plane.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { baseId, layerTime } from '../model/layers.ts';
import type { ViewHost } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { LayerDrawing } from './slice-renderer.ts';

/** One view's scratch memory for layers in thick slices. Free it with `destroy`. */
export class LayerSlabs {
  readonly #gpu: Gpu;
  readonly #slabs = new Map<string, LayerSlab>();
  readonly #planes = new Map<string, SlabPlane>();

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** The layers to draw in a state. The memory of others is freed. */
  drawings(host: Pick<ViewHost, 'volume' | 'layersIn'>, state: ViewState): readonly LayerDrawing[] {
    const base = host.volume?.info;
    const shown = base ? host.layersIn(state) : [];
    for (const scratch of [this.#slabs, this.#planes]) {
      for (const [id, slab] of scratch) {
        if (shown.some(({ look }) => look.id === id)) continue;
        slab.destroy();
        scratch.delete(id);
      }
    }
    return shown.map((layer) => ({
      ...layer,
      timePoint: base ? layerTime(base, state.timePoint, layer.volume.info, layer.look.channel) : 0,
      slab: this.#slabOf(layer.look.id),
      plane: layer.look.of === baseId ? this.#planeOf(layer.look.id) : undefined,
    }));
  }

  destroy(): void {
    for (const scratch of [this.#slabs, this.#planes]) {
      for (const slab of scratch.values()) slab.destroy();
      scratch.clear();
    }
  }

  #planeOf(id: string): SlabPlane {
    const plane = this.#planes.get(id) ?? new SlabPlane(this.#gpu);
    this.#planes.set(id, plane);
    return plane;
  }

  #slabOf(id: string): LayerSlab {
    const slab = this.#slabs.get(id) ?? new LayerSlab(this.#gpu);
    this.#slabs.set(id, slab);
    return slab;
  }
}
