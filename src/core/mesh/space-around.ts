import { type EmptySpace, mostSpaceVoxels } from '../shared/empty-space.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { Mesh } from './mesh.ts';

/** How many voxels the longest side of the meshes takes. */
const longestSide = 128;
/** Voxels around the meshes. */
const margin = 2;

/** The ends of what meshes take, in world coordinates. */
export interface MeshBounds {
  readonly low: Dims3;
  readonly high: Dims3;
}

/** The bounds of meshes, of which one has a corner. */
export function boundsOf(meshes: readonly Pick<Mesh, 'positions'>[]): MeshBounds {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const { positions } of meshes) {
    for (let at = 0; at < positions.length; at += 3) {
      for (const axis of [0, 1, 2] as const) {
        const place = positions[at + axis] as number;
        if (place < low[axis]) low[axis] = place;
        if (place > high[axis]) high[axis] = place;
      }
    }
  }
  return { low, high };
}

/** A grid around meshes, whose longest side has about 128 voxels. */
export function spaceAround({ low, high }: MeshBounds): EmptySpace {
  const sides = low.map((from, axis) => (high[axis] as number) - from) as unknown as Dims3;
  const longest = Math.max(...sides);
  // A mesh may be a point, or larger than a 32-bit float can say.
  const edge = longest > 0 && Number.isFinite(longest) ? longest / longestSide : 1;
  const count = (side: number): number => Math.min(mostSpaceVoxels, Math.ceil(side / edge) + 2 * margin);
  const dims: Dims3 = [count(sides[0]), count(sides[1]), count(sides[2])];
  const origin = dims.map(
    (voxels, axis) => ((low[axis] as number) + (high[axis] as number)) / 2 - (edge * (voxels - 1)) / 2,
  ) as unknown as Dims3;
  return { dims, edge, origin };
}

/** Whether bounds lie inside a space. */
export function isInside({ low, high }: MeshBounds, { dims, edge, origin }: EmptySpace): boolean {
  return origin.every((first, axis) => {
    const from = first - edge / 2;
    return (low[axis] as number) >= from && (high[axis] as number) <= from + edge * (dims[axis] as number);
  });
}

/** Bounds around a space and others. */
export function joinedBounds({ dims, edge, origin }: EmptySpace, { low, high }: MeshBounds): MeshBounds {
  const inner = origin.map((first, axis) => [first, first + edge * ((dims[axis] as number) - 1)] as const);
  return {
    low: low.map((at, axis) => Math.min(at, inner[axis]?.[0] ?? at)) as unknown as Dims3,
    high: high.map((at, axis) => Math.max(at, inner[axis]?.[1] ?? at)) as unknown as Dims3,
  };
}

/** A position in one space as a position in another, both in voxels (voxel i covers i to i + 1). */
export function betweenSpaces(position: Dims3, from: EmptySpace, to: EmptySpace): Dims3 {
  return position.map((at, axis) => {
    const world = (from.origin[axis] as number) + from.edge * (at - 0.5);
    return (world - (to.origin[axis] as number)) / to.edge + 0.5;
  }) as unknown as Dims3;
}
