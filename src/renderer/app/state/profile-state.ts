import type { slabOf } from '../../viewer/model/slab.ts';

/** The values along a distance, of the open volume and of the image layers over it. */
export interface LineProfile {
  /** Id of the measurement. */
  readonly measurement: string;
  /** Distances from its first point, in the volume's `spatialUnit`. */
  readonly distances: readonly number[];
  /** The projection of slices, for a line in a thick slice. */
  readonly slab?: ReturnType<typeof slabOf>;
  /** The open volume first, then the layers, the lowest first. */
  readonly series: readonly ProfileSeries[];
}

export interface ProfileSeries {
  readonly name: string;
  readonly unit: string | undefined;
  /** Real values; null outside the volume and where data is missing. */
  readonly values: readonly (number | null)[];
}
