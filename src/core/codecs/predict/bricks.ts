import { type BrickGeometry, cut, indicesOf } from '../../codec/bricks.ts';
import type { Dims3 } from '../../shared/volume.ts';

/** SPEC.md, 'Planes; bricks, blocks and groups': an unclipped brick has 64 groups of 64 elements. */
export const volumeGeometry: BrickGeometry = { brick: [16, 16, 16], block: [16, 16, 16], group: [4, 4, 4] };
export const pictureGeometry: BrickGeometry = { brick: [64, 64, 1], block: [32, 32, 1], group: [8, 8, 1] };

/** The places of a brick's elements in its blocks and groups. */
export interface PredictBrick {
  readonly count: number;
  readonly blocks: readonly BlockLayout[];
  /** For each group, its elements' indices in the brick. */
  readonly groups: readonly Uint32Array[];
}

interface BlockLayout {
  /** Relative to the brick's origin. */
  readonly origin: Dims3;
  readonly extent: Dims3;
  /** Its elements' indices in the brick. */
  readonly indices: Uint32Array;
  /** For each of its groups, its elements' indices in the block. */
  readonly groups: readonly Uint32Array[];
}

/** Computes the layout of each brick extent only once. A chunk has at most eight extents. */
export function brickLayouts({ block, group }: BrickGeometry): (extent: Dims3) => PredictBrick {
  const known = new Map<string, PredictBrick>();
  const groupsOf = (extent: Dims3) => cut(extent, group).map((part) => indicesOf(part, extent));
  return (extent) => {
    const key = extent.join();
    const layout = known.get(key) ?? {
      count: extent[0] * extent[1] * extent[2],
      blocks: cut(extent, block).map((part) => ({
        ...part,
        indices: indicesOf(part, extent),
        groups: groupsOf(part.extent),
      })),
      groups: groupsOf(extent),
    };
    known.set(key, layout);
    return layout;
  };
}
