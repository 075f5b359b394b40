import type { VolumeSource } from '../../core/volume/volume-source.ts';
import type { Voxel } from './model/slice-geometry.ts';
import type { LayerProbe, Probe } from './model/viewer-api.ts';

interface ProbeWish {
  readonly volume: VolumeSource;
  readonly voxel: Voxel;
  readonly timePoint: number;
  readonly layers: readonly LayerWish[];
}

/** A voxel of a layer at the same place. */
export interface LayerWish {
  readonly id: string;
  readonly volume: VolumeSource;
  readonly voxel: Voxel;
  readonly timePoint: number;
}

/**
 * Reads the voxel under the pointer back from the GPU, one at a time. While one is being read, only the latest request is
 * kept. A result is reported even if the pointer has moved on, but not after `clear`.
 */
export class ProbeReader {
  readonly #report: (probe: Probe | undefined) => void;
  #wanted: ProbeWish | undefined;
  /** The current read, while its result is still wanted. */
  #read: ProbeWish | undefined;
  #isReading = false;

  constructor(report: (probe: Probe | undefined) => void) {
    this.#report = report;
  }

  clear(): void {
    this.#wanted = undefined;
    this.#read = undefined;
    this.#report(undefined);
  }

  request(volume: VolumeSource, voxel: Voxel, timePoint: number, layers: readonly LayerWish[] = []): void {
    this.#wanted = { volume, voxel, timePoint, layers };
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#wanted) {
        const wish = this.#wanted;
        this.#wanted = undefined;
        this.#read = wish;
        const { volume, voxel, timePoint } = wish;
        const [stored, ...layers] = await Promise.all([
          volume.voxel(...voxel, timePoint),
          ...wish.layers.map((layer) => readLayer(layer)),
        ]);
        if (this.#read !== wish) continue;
        const { slope, intercept } = volume.info;
        this.#report({ voxel, stored, value: slope * stored + intercept, layers: layers.flat() });
      }
    } catch {
      // The volume or the device went away under the pointer, so there is no value to show.
      this.#report(undefined);
    } finally {
      this.#isReading = false;
    }
  }
}

/** Nothing if the layer was removed meanwhile. */
async function readLayer({ id, volume, voxel, timePoint }: LayerWish): Promise<readonly LayerProbe[]> {
  try {
    return [{ id, voxel, stored: await volume.voxel(...voxel, timePoint) }];
  } catch {
    return [];
  }
}
