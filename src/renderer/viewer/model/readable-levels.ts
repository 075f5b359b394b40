import type { Dims3 } from '../../../core/shared/volume.ts';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';

/** A volume that the GPU holds only at a lower resolution, and the resolutions of its file. */
export interface CoarselyHeld {
  /** The volume itself, then its levels, from the finest to the coarsest. */
  readonly levels: readonly VolumeLevel[];
  /** The factors of the voxels in GPU memory. */
  readonly factors: Dims3;
  /** Which of the levels are made while the file is open, for all that is drawn. Undefined if the levels are the file's own. */
  readonly making?: { isMade(level: number): boolean; readonly canSkip: boolean } | undefined;
}

/** A level from which a slice may be read. */
export interface ReadableLevel {
  readonly level: number;
  readonly of: VolumeLevel;
  /** Whether the level was made while the file is open. */
  readonly isMade: boolean;
}

/**
 * The levels from which a slice may be read: the coarsest whose voxels are not larger than a pixel, or the volume itself if its voxels are
 * larger, then the coarser ones. None if the voxels in GPU memory suffice, and none that are coarser than those. Levels that were made
 * are better than voxels in GPU memory of the same size, because those skip voxels of the file.
 * @param pixelSize in units of `spacing`
 */
export function* readableLevels(
  { levels, factors, making }: CoarselyHeld,
  spacing: Dims3,
  pixelSize: number,
): Generator<ReadableLevel, undefined> {
  const suffices = (of: Dims3): boolean =>
    of.every((factor, axis) => factor === 1 || factor * (spacing[axis] as number) <= pixelSize * (1 + 1e-9));
  const isMade = (level: number): boolean => level > 0 && making?.isMade(level) === true;
  const canRead = (level: number): boolean => level === 0 || !making || making.canSkip || isMade(level);
  if (suffices(factors) && !levels.some((of, level) => isMade(level) && suffices(of.factors))) return;
  const needed = levels.findLastIndex((of, level) => canRead(level) && suffices(of.factors));
  for (let level = Math.max(0, needed); level < levels.length; level++) {
    if (!canRead(level)) continue;
    const of = levels[level] as VolumeLevel;
    const isFiner = of.factors.some((factor, axis) => factor < (factors[axis] as number));
    const isAsFine = suffices(of.factors) || of.factors.every((factor, axis) => factor <= (factors[axis] as number));
    if (!isFiner && !(isMade(level) && isAsFine)) return;
    yield { level, of, isMade: isMade(level) };
  }
}
