import type { HalvingMethod } from '../../shared/halving.ts';
import { type VolumeInfo, volumeBytes } from '../../shared/volume.ts';

/** Whether a file gets levels, and how voxels are combined; undefined: by the volume's size, and as its voxels suggest. */
export type LevelChoice = boolean | HalvingMethod | undefined;

/** Larger volumes get levels unless the caller says otherwise (docs/adr/0041-levels-above-256-mib.md). */
const leastBytesForLevels = 2 ** 28;

export function wantsLevels(volume: VolumeInfo, wish: LevelChoice): boolean {
  return wish === undefined ? volumeBytes(volume) > leastBytesForLevels : wish !== false;
}

/** The bytes of voxels and of all their levels, which together have about a seventh as many. */
export function bytesWithLevels(voxelBytes: number): number {
  return Math.ceil((voxelBytes * 8) / 7);
}

/** About how many bytes a file takes if the volume does not compress. Then it keeps all its levels. */
export function mostFileBytes(volume: VolumeInfo, wish: LevelChoice): number {
  const voxelBytes = volumeBytes(volume);
  return wantsLevels(volume, wish) ? bytesWithLevels(voxelBytes) : voxelBytes;
}
