import { LayerSlab } from '../../../core/draw/layer-slab.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { layerTime } from '../model/layers.ts';
import type { ViewHost } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { LayerDrawing } from './slice-renderer.ts';

/** One view's scratch memory for layers in thick slices. Free it with `destroy`. */
export class LayerSlabs {
  readonly #gpu: Gpu;
  readonly #slabs = new Map<string, LayerSlab>();

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** The layers to draw in a state. The memory of others is freed. */
  drawings(host: Pick<ViewHost, 'volume' | 'layersIn'>, state: ViewState): readonly LayerDrawing[] {
    const base = host.volume?.info;
    const shown = base ? host.layersIn(state) : [];
    for (const [id, slab] of this.#slabs) {
      if (shown.some(({ look }) => look.id === id)) continue;
      slab.destroy();
      this.#slabs.delete(id);
    }
    return shown.map((layer) => ({
      ...layer,
      timePoint: base ? layerTime(base, state.timePoint, layer.volume.info, layer.look.channel) : 0,
      slab: this.#slabOf(layer.look.id),
    }));
  }

  destroy(): void {
    for (const slab of this.#slabs.values()) slab.destroy();
    this.#slabs.clear();
  }

  #slabOf(id: string): LayerSlab {
    const slab = this.#slabs.get(id) ?? new LayerSlab(this.#gpu);
    this.#slabs.set(id, slab);
    return slab;
  }
}
