import type { ChunkGrid } from '../format/chunk-grid.ts';
import type { ContainerHeader } from '../format/header.ts';
import type { LevelHeader } from '../format/level.ts';
import { planLevels } from '../levels/level-plan.ts';
import type { HalvingMethod } from '../shared/halving.ts';
import type { Dims3, Dims4 } from '../shared/volume.ts';

/** A level that a file does not store, although it stores a coarser one: its voxels follow from the volume. */
export interface LeftOutLevel {
  readonly grid: ChunkGrid;
  /** In voxels. */
  readonly dims: Dims4;
  readonly factors: Dims3;
  /** How the volume becomes this level, one halving after the other: 2 along each axis that is halved, otherwise 1. */
  readonly halvings: readonly Dims3[];
  readonly method: HalvingMethod;
}

/**
 * The levels of `planLevels` that are finer than the first stored one, from the finest on.
 * @param first the first stored level; undefined if the file has none
 */
export function leftOutLevels(
  { volume, chunkShape }: Pick<ContainerHeader, 'volume' | 'chunkShape'>,
  first: LevelHeader | undefined,
): LeftOutLevel[] {
  if (!first) return [];
  const planned = planLevels(volume, chunkShape);
  const isFirst = ({ factors }: Pick<LevelHeader, 'factors'>): boolean => factors.join() === first.factors.join();
  const end = planned.findIndex((halving) => halving.level !== undefined && isFirst(halving));
  return planned.slice(0, Math.max(0, end)).flatMap(({ level, grid, dims, factors }, at): LeftOutLevel[] => {
    if (level === undefined) return [];
    const halvings = planned.slice(0, at + 1).map(({ steps }) => steps);
    return [{ grid, dims: [...dims, volume.dims[3]], factors, halvings, method: first.method }];
  });
}

/** How many threads make bricks of such levels. They leave some of the machine to drawing and reading. @param hardware how many it has */
export function makingThreads(hardware: number): number {
  return Math.max(1, Math.min(8, hardware - 2));
}
