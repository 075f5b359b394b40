import type { GpuVoxels } from '../codec/codec.ts';

/** Whole rows of consecutive planes in GPU memory. Planes are numbered through all time points: t × dims[2] + z. */
export interface PlaneBox {
  readonly voxels: GpuVoxels;
  readonly firstRow: number;
  readonly rowCount: number;
  readonly firstPlane: number;
  readonly planeCount: number;
}

/** Boxes with all planes from the requested one up to, not including, `endPlane`. */
export interface PlaneRun {
  readonly boxes: readonly PlaneBox[];
  readonly endPlane: number;
}

/** Reads a volume's planes in order. A run is valid until the next `read`. */
export interface PlaneReader {
  /** @throws StriaError `device-lost` */
  read(plane: number): Promise<PlaneRun>;
  destroy(): void;
}
