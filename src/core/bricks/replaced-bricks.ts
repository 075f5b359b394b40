import type { Dims4 } from '../shared/volume.ts';
import { type BrickKey, brickKey, brickOf } from './brick.ts';
import type { BrickLevel, BrickSource } from './brick-source.ts';

export interface ReplacedBricks {
  /** The drawn bricks in whose place finer ones are missed. */
  readonly replaced: Set<BrickKey>;
  /** The missed bricks. Those that replace the same brick follow each other, so that its slot becomes free as early as possible. */
  readonly missed: readonly BrickKey[];
}

/** Finds the drawn bricks that are no longer needed once the missed ones have arrived: each missed brick replaces the finest drawn one around it. */
export function replacedBricks(
  { levels }: Pick<BrickSource, 'levels'>,
  drawn: readonly BrickKey[],
  missed: readonly BrickKey[],
): ReplacedBricks {
  const there = new Set(drawn);
  const groups = new Map<BrickKey | undefined, BrickKey[]>([[undefined, []]]);
  for (const key of missed) {
    const around = coarserBricks(levels, key).find((coarser) => there.has(coarser));
    const group = groups.get(around);
    if (group) group.push(key);
    else groups.set(around, [key]);
  }
  const replaced = new Set([...groups.keys()].filter((key) => key !== undefined));
  return { replaced, missed: [...groups.values()].flat() };
}

/** The bricks of coarser levels around a brick's first voxel, from the next level on. */
function coarserBricks(levels: readonly BrickLevel[], key: BrickKey): readonly BrickKey[] {
  const { level, number } = brickOf(key);
  const { grid, factors } = levels[level] as BrickLevel;
  const { origin, t } = grid.box(number);
  return levels.slice(level + 1).map((coarser, at) => {
    const [x, y, z] = origin.map((voxel, axis) => {
      const inLevel = Math.floor((voxel * (factors[axis] as number)) / (coarser.factors[axis] as number));
      return Math.min(inLevel, (coarser.grid.dims[axis] as number) - 1);
    });
    return brickKey({ level: level + 1 + at, number: coarser.grid.numberAt([x, y, z, t] as unknown as Dims4) });
  });
}
