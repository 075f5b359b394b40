import { StriaError } from '../../../core/shared/errors.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { placeOf } from '../../viewer/model/layer-place.ts';
import { baseId, layerTime, volumeIdOf } from '../../viewer/model/layers.ts';
import { chainedMap, identityMap, invertedMap, type VoxelMap } from '../../viewer/model/voxel-map.ts';
import type { MeasuredVolumes } from '../measure/volume-series.ts';
import type { AppStore } from '../state/store.ts';

/** A volume at the time point that is shown. */
export interface VolumeInView {
  readonly volume: VolumeSource;
  readonly timePoint: number;
  /** Maps voxels of the open volume to voxels of this one. */
  readonly map: VoxelMap;
}

/** The open volume (`baseId`) and the layers' volumes, as the view shows them. */
export class VolumesInView {
  readonly #store: AppStore;
  readonly #volumes: MeasuredVolumes;

  constructor(store: AppStore, volumes: MeasuredVolumes) {
    this.#store = store;
    this.#volumes = volumes;
  }

  /** Undefined if no such volume is shown, or there is no GPU. @param id of a layer, or `baseId` */
  at(id: string): VolumeInView | undefined {
    const { gpu, layers } = this.#store.getState();
    const base = this.#volumes.base();
    if (gpu.kind !== 'ready' || !base) return undefined;
    const { timePoint } = gpu.viewer.snapshot().state;
    if (id === baseId) return { volume: base, timePoint, map: identityMap };
    const look = layers.stack.layers.find((each) => each.id === id);
    const volume = look && this.#volumes.layer(volumeIdOf(look));
    if (!volume) return undefined;
    const map = placeOf(base.info, look, volume.info);
    return { volume, timePoint: layerTime(base.info, timePoint, volume.info, look.channel), map };
  }

  /** Maps voxels of one volume to voxels of another, as both are placed over the open volume. @throws StriaError `invalid-input` */
  mapBetween(from: string, to: string): VoxelMap {
    const [first, second] = [this.at(from), this.at(to)];
    if (!first || !second) throw new StriaError('invalid-input', 'the volume is no longer open');
    return chainedMap(invertedMap(first.map), second.map);
  }
}
