import type { GpuMesh } from '../../core/draw/gpu-mesh.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import type { ShownLabels } from './model/label-look.ts';
import { shownLayers, shownMeshes } from './model/layer-place.ts';
import { baseId } from './model/layers.ts';
import type { ShownLayer, ShownMesh } from './model/view-host.ts';
import type { ViewState } from './model/viewer-api.ts';

/** The data that views draw: the open volume, and layers, meshes and labels by id. The viewer's caller owns it. */
export class ViewerContent {
  volume: VolumeSource | undefined;
  layers: ReadonlyMap<string, VolumeSource> = new Map();
  meshes: ReadonlyMap<string, GpuMesh> = new Map();
  labels: ReadonlyMap<string, ShownLabels> = new Map();

  /** The labels of layers, without those of the open volume. */
  get layerLabels(): ReadonlyMap<string, ShownLabels> {
    return new Map([...this.labels].filter(([id]) => id !== baseId));
  }

  /** @param id a layer's volume (`volumeIdOf`), or `baseId` */
  volumeOf(id: string): VolumeSource | undefined {
    return id === baseId ? this.volume : this.layers.get(id);
  }

  /** The layers to draw over the volume in a state, the lowest first. */
  layersIn({ layers }: ViewState): readonly ShownLayer[] {
    const base = this.volume?.info;
    const shown = base ? shownLayers(base, layers, (id) => this.volumeOf(id)) : [];
    return shown.map((layer) => ({ ...layer, labels: this.labels.get(layer.look.id) }));
  }

  /** The meshes to draw in a state. */
  meshesIn({ layers }: ViewState): readonly ShownMesh[] {
    return this.volume ? shownMeshes(this.volume.info, layers, (id) => this.meshes.get(id)) : [];
  }

  /**
   * The stored value of a voxel of the open volume, read back.
   * @throws StriaError `invalid-input` outside the volume or without one, `device-lost`
   */
  async storedAt(voxel: ViewState['crosshair'], timePoint: number): Promise<number> {
    if (!this.volume) throw new StriaError('invalid-input', 'there is no volume to read from');
    return this.volume.voxel(...voxel, timePoint);
  }
}
