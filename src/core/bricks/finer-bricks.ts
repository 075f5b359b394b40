import type { Dims3, Dims4 } from '../shared/volume.ts';
import { type BrickKey, brickKey, brickOf } from './brick.ts';
import type { BrickLevel, BrickSource } from './brick-source.ts';

/**
 * The most bricks that a view may come to need if it misses some of them. A ray misses only the first brick in each coarser one that is drawn
 * meanwhile; once that has arrived, it misses those behind it. So this counts all bricks in the coarser ones.
 * @param drawn all bricks that are drawn
 */
export function mostFinerBricks(
  { levels }: Pick<BrickSource, 'levels'>,
  drawn: ReadonlySet<BrickKey>,
  missed: readonly BrickKey[],
): number {
  /** For each coarser brick and level, how many bricks of the level lie in it. */
  const inside = new Map<string, number>();
  for (const key of missed) {
    const around = coarserBricks(levels, key);
    // If nothing is drawn there but a texture, the next coarser brick bounds the count.
    const coarser = around.find((one) => drawn.has(one)) ?? around[0] ?? key;
    const { level } = brickOf(key);
    inside.set(`${coarser} ${level}`, bricksInside(levels, coarser, level));
  }
  let most = 0;
  for (const count of inside.values()) most += count;
  return most;
}

/** The bricks of coarser levels around a brick's first voxel, the finest first. */
function coarserBricks(levels: readonly BrickLevel[], key: BrickKey): readonly BrickKey[] {
  const { level, number } = brickOf(key);
  const { grid, factors } = levels[level] as BrickLevel;
  const { origin, t } = grid.box(number);
  return levels.slice(level + 1).map((coarser, at) => {
    const [x, y, z] = origin.map((voxel, axis) => {
      const inLevel = Math.floor((voxel * (factors[axis] as number)) / (coarser.factors[axis] as number));
      return Math.min(inLevel, (coarser.grid.dims[axis] as number) - 1);
    }) as unknown as Dims3;
    return brickKey({ level: level + 1 + at, number: coarser.grid.numberAt([x, y, z, t] as Dims4) });
  });
}

/** The number of bricks of a finer level that lie in a brick, wholly or partly. */
function bricksInside(levels: readonly BrickLevel[], key: BrickKey, finerLevel: number): number {
  const { level, number } = brickOf(key);
  const { grid, factors } = levels[level] as BrickLevel;
  const finer = levels[finerLevel] as BrickLevel;
  const { origin, shape } = grid.box(number);
  return origin.reduce((count, first, axis) => {
    const ratio = (factors[axis] as number) / (finer.factors[axis] as number);
    const length = finer.grid.chunkShape[axis] as number;
    const end = Math.min((first + (shape[axis] as number)) * ratio, finer.grid.dims[axis] as number);
    return count * Math.max(1, Math.ceil(end / length) - Math.floor((first * ratio) / length));
  }, 1);
}
