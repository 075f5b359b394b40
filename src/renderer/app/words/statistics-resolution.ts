/** The part of `OpenDocument` that says which voxels its statistics are of. */
interface Measured {
  readonly decimation: number;
  readonly level?: { readonly number: number; readonly count: number } | undefined;
  readonly isPreview?: boolean | undefined;
  readonly areStatisticsFull?: boolean | undefined;
}

/** The voxels that the statistics are of, in words: `of level 2 of 5`. */
export function statisticsResolution({ decimation, level, isPreview, areStatisticsFull }: Measured): string {
  if (areStatisticsFull || decimation === 1) return 'of all voxels';
  if (isPreview) return `of 1 in ${decimation} voxels along each axis, around the middle slices`;
  return level ? `of level ${level.number} of ${level.count}` : `of 1 in ${decimation} voxels along each axis`;
}
