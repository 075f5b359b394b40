import { dot, scaled, sum, type Vector3 } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { Pair } from '../../../core/transforms/layer-transforms.ts';
import {
  aboutPoint,
  anglesOf,
  chained,
  columnsOf,
  determinantOf,
  identityTransform,
  inverted,
  isIdentity,
  nearestRotation,
  pointThrough,
  rotation,
  rotationOfAngles,
  type Transform,
  transformOf,
  translation,
} from '../../../core/transforms/transform.ts';
import { placeLayer } from './layer-place.ts';
import { axisOrders, hasOrientation } from './orientation.ts';
import { positionsToWorld } from './voxel-map.ts';

// Moving a layer by hand and by numbers. Everything is in world coordinates of the open volume. A layer's voxels do not change, only
// its motion does.

type Motion = Transform | undefined;

/** Maps the layer's voxel positions to world coordinates, as its file places it. */
function atRest(base: VolumeInfo, layer: VolumeInfo): Transform {
  const { columns, shift } = placeLayer(base, layer).map;
  return chained(inverted(transformOf(columns, shift)), positionsToWorld(base));
}

/** The pair of volumes as files of matrices need it. */
export function transformPair(base: VolumeInfo, layer: VolumeInfo): Pair {
  // In files, the centre of the first voxel is at 0.
  const half = translation([0.5, 0.5, 0.5]);
  return {
    base,
    layer,
    baseToWorld: chained(half, positionsToWorld(base)),
    layerToWorld: chained(half, atRest(base, layer)),
    isOriented: hasOrientation(base),
  };
}

function middleOf({ dims: [x, y, z] }: VolumeInfo): Vector3 {
  return [x / 2, y / 2, z / 2];
}

/** The layer's centre in world coordinates. */
export function layerCenter(base: VolumeInfo, layer: VolumeInfo, motion?: Motion): Vector3 {
  const center = pointThrough(atRest(base, layer), middleOf(layer));
  return motion ? pointThrough(motion, center) : center;
}

/** A motion as numbers: how far the layer's centre moved, and how the layer turned about it. */
export interface MotionNumbers {
  readonly move: Vector3;
  /** The angles in degrees about the world's axes: first x, then y, then z. */
  readonly turn: Vector3;
  /** Whether the motion only moves and turns. A matrix from a file may also scale or shear. */
  readonly isRigid: boolean;
}

/** @param center the layer's centre as its file places it */
export function motionNumbers(motion: Motion, center: Vector3): MotionNumbers {
  if (!motion) return { move: [0, 0, 0], turn: [0, 0, 0], isRigid: true };
  const turn = nearestRotation(motion);
  const left = chained(motion, inverted(turn));
  const isRigid = columnsOf(left).every((column, at) =>
    column.every((value, row) => Math.abs(value - (row === at ? 1 : 0)) < 1e-6),
  );
  return { move: sum(pointThrough(motion, center), scaled(center, -1)), turn: anglesOf(turn), isRigid };
}

/** The angle of the single turn that equals three turns, in degrees. */
export function wholeTurn(turn: Vector3): number {
  const [a, b, c] = columnsOf(rotationOfAngles(turn));
  const cosine = (a[0] + b[1] + c[2] - 1) / 2;
  // Round away float noise of about a millionth of a degree.
  return Math.round((Math.acos(Math.min(1, Math.max(-1, cosine))) * 180e4) / Math.PI) / 1e4;
}

/** The motion with other numbers. Its scaling and shear stay. */
export function motionWith(motion: Motion, center: Vector3, { move, turn }: Omit<MotionNumbers, 'isRigid'>): Motion {
  const before = motion ?? identityTransform;
  const stretch = chained(transformOf(columnsOf(before), [0, 0, 0]), inverted(nearestRotation(before)));
  const linear = chained(stretch, rotationOfAngles(turn));
  return orNone(chained(aboutPoint(linear, center), translation(move)));
}

export function movedBy(motion: Motion, step: Vector3): Motion {
  return orNone(chained(motion ?? identityTransform, translation(step)));
}

/** The motion followed by a turn. @param axis a unit vector @param point a point on the axis */
export function turnedBy(motion: Motion, axis: Vector3, degrees: number, point: Vector3): Motion {
  return orNone(chained(motion ?? identityTransform, aboutPoint(rotation(axis, degrees), point)));
}

/** The motion that moves the layer's centre to the open volume's. */
export function centered(base: VolumeInfo, layer: VolumeInfo, motion: Motion): Motion {
  const to = pointThrough(positionsToWorld(base), middleOf(base));
  return movedBy(motion, sum(to, scaled(layerCenter(base, layer, motion), -1)));
}

/**
 * The motion that turns the layer about its centre, by as little as possible, so that its voxel axes are parallel to those of the
 * open volume, in any order.
 */
export function matched(base: VolumeInfo, layer: VolumeInfo, motion: Motion): Motion {
  const placed = chained(atRest(base, layer), motion ?? identityTransform);
  const [here, there] = [positionsToWorld(base), placed].map(nearestRotation) as [Transform, Transform];
  const apart = chained(there, inverted(here));
  const axes = nearestTurn(apart);
  // Turns the layer's axes to where they should point.
  const turn = chained(inverted(there), axes, here);
  return orNone(chained(motion ?? identityTransform, aboutPoint(turn, layerCenter(base, layer, motion))));
}

/** The one of the 24 rotations that permute the axes which is closest to a given rotation. */
function nearestTurn(turn: Transform): Transform {
  const [columns, unit] = [columnsOf(turn), columnsOf(identityTransform)];
  const turns = axisOrders.flatMap((order) =>
    Array.from({ length: 8 }, (_, signs) => {
      const column = (at: 0 | 1 | 2): Vector3 => scaled(unit[order[at]], signs & (1 << at) ? -1 : 1);
      return transformOf([column(0), column(1), column(2)], [0, 0, 0]);
    }),
  );
  const likeness = (one: Transform): number =>
    columnsOf(one).reduce((total, column, at) => total + dot(column, columns[at as 0 | 1 | 2]), 0);
  return turns
    .filter((one) => determinantOf(one) > 0)
    .reduce((best, one) => (likeness(one) > likeness(best) + 1e-9 ? one : best), identityTransform);
}

/** The motion, or undefined if it is the identity except for rounding. */
function orNone(motion: Transform): Motion {
  const rounded = motion.map((value, at) =>
    Math.abs(value - (identityTransform[at] as number)) < 1e-12 ? (identityTransform[at] as number) : value,
  );
  return isIdentity(rounded) ? undefined : rounded;
}
