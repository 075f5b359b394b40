import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { layerVoxelAt } from './model/layer-place.ts';
import { layerTime } from './model/layers.ts';
import { type Voxel, voxelAt } from './model/slice-geometry.ts';
import type { ViewState } from './model/viewer-api.ts';
import { type LayerWish, ProbeReader } from './probe-reader.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { ViewerContent } from './viewer-content.ts';

/** Reads the values of the volume and its layers under the pointer, or at the crosshair, into the snapshot. */
export class PointerProbe {
  readonly #content: ViewerContent;
  readonly #store: SnapshotStore;
  readonly #reader: ProbeReader;

  constructor(content: ViewerContent, store: SnapshotStore) {
    this.#content = content;
    this.#store = store;
    this.#reader = new ProbeReader((probe, beyond) => store.change({ probe, beyond }));
  }

  clear(): void {
    this.#reader.clear();
  }

  /** Reads the crosshair's voxel as if the pointer were over it, for keyboard use. */
  readCrosshair(): void {
    const [x, y, z] = this.#store.state.crosshair;
    this.read([x + 0.5, y + 0.5, z + 0.5]);
  }

  /** Reads the values at a position. @param position a voxel position of the open volume; undefined if the pointer has left */
  read(position: Voxel | undefined): void {
    const { state, probe, beyond } = this.#store.snapshot();
    const { volume } = this.#content;
    const layers = volume && position ? this.#layersAt(volume, state, position) : [];
    const [x, y, z] = volume?.info.dims ?? [0, 0, 0];
    const voxel = position && voxelAt(position, [x, y, z]);
    if (volume && voxel) this.#reader.request(volume, voxel, state.timePoint, layers);
    else if (volume && position && layers.length > 0) {
      const beside = position.map(Math.floor) as [number, number, number];
      this.#reader.requestBeyond(volume, beside, state.timePoint, layers);
    } else if (probe || beyond || this.#reader.isBusy) this.#reader.clear();
  }

  /** The voxels of the layers at a position of the open volume. */
  #layersAt({ info }: VolumeSource, state: ViewState, position: Voxel): readonly LayerWish[] {
    return this.#content.layersIn(state).flatMap(({ look, volume, map }) => {
      const there = layerVoxelAt(map, position, volume.info);
      const timePoint = layerTime(info, state.timePoint, volume.info, look.channel);
      return there ? [{ id: look.id, volume, voxel: there, timePoint }] : [];
    });
  }
}
