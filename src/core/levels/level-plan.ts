import { type ChunkGrid, type ChunkShape, chunkGridOf, codecElementDims } from '../format/chunk-grid.ts';
import { levelVolume } from '../format/level.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import { halvingsOf, type LevelGeometry, storedHalvings } from './level-geometry.ts';

/** A halving, and how its voxels are stored. */
export interface PlannedHalving extends LevelGeometry {
  /** From 1; undefined if it is only a step on the way to the next one. */
  readonly level: number | undefined;
  readonly chunkShape: Dims3;
  readonly grid: ChunkGrid;
}

/** Why a volume in such chunks can have no levels; undefined if it can. */
export function whyNoLevels(grid: ChunkGrid): string | undefined {
  if (grid.timePointsPerChunk === 1) return undefined;
  const words = 'a file has levels only if each of its chunks belongs to one time point, and here they hold several';
  return grid.isInterleaved ? `${words}; interleave none (--time-group 1)` : words;
}

/**
 * The halvings of a volume from the finest to the coarsest. A level has the volume's chunk shape, as far as it is that long. The
 * plan ends where a level would have more chunks than a volume may.
 */
export function planLevels(volume: VolumeInfo, chunkShape: ChunkShape): PlannedHalving[] {
  const halvings = halvingsOf(volume);
  const stored = storedHalvings(halvings);
  const planned: PlannedHalving[] = [];
  for (const [index, halving] of halvings.entries()) {
    const ofLevel = levelVolume(volume, halving.factors);
    const dims = codecElementDims(ofLevel);
    const [x, y, z] = chunkShape;
    const shape: Dims3 = [Math.min(x, dims[0]), Math.min(y, dims[1]), Math.min(z, dims[2])];
    try {
      const grid = chunkGridOf(ofLevel, shape);
      const at = stored.indexOf(index);
      planned.push({ ...halving, level: at < 0 ? undefined : at + 1, chunkShape: shape, grid });
    } catch (error) {
      if (error instanceof StriaError && error.tag === 'invalid-input') break;
      throw error;
    }
  }
  while (planned.length > 0 && planned.at(-1)?.level === undefined) planned.pop();
  return planned;
}
