import type { VolumeSource } from '../../core/engine/volume-source.ts';
import type { Voxel } from './slice-geometry.ts';
import type { Probe } from './viewer-api.ts';

interface ProbeWish {
  readonly volume: VolumeSource;
  readonly voxel: Voxel;
  readonly timePoint: number;
}

/** Reads the voxel under the pointer back from the GPU, one at a time: while one is read, only the latest wish is kept. */
export class ProbeReader {
  readonly #report: (probe: Probe | undefined) => void;
  #wanted: ProbeWish | undefined;
  #isReading = false;

  constructor(report: (probe: Probe | undefined) => void) {
    this.#report = report;
  }

  clear(): void {
    this.#wanted = undefined;
    this.#report(undefined);
  }

  request(volume: VolumeSource, voxel: Voxel, timePoint: number): void {
    this.#wanted = { volume, voxel, timePoint };
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    let last: ProbeWish | undefined;
    try {
      while (this.#wanted && this.#wanted !== last) {
        last = this.#wanted;
        const { volume, voxel, timePoint } = last;
        const stored = await volume.voxel(...voxel, timePoint);
        if (!this.#wanted) return;
        const { slope, intercept } = volume.info;
        this.#report({ voxel, stored, value: slope * stored + intercept });
      }
    } catch {
      // The volume or the device went away under the pointer: then there is no value to show.
      this.#report(undefined);
    } finally {
      this.#isReading = false;
    }
  }
}
