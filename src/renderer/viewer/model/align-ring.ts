import { cross, dot, scaled, sum, unitVector, type Vector3 } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { pointThrough, stepThrough, type Transform } from '../../../core/transforms/transform.ts';
import { layerCenter, movedBy, turnedBy } from './alignment.ts';
import type { Point, SliceOnScreen } from './slice-geometry.ts';
import { positionsToWorld } from './voxel-map.ts';

/** The ring in a slice that moves and turns a layer. Lengths on the screen are in CSS pixels. */
export interface AlignRing {
  readonly center: Point;
  readonly radius: number;
  /** The centre in world coordinates, which stays in place when the layer is turned. */
  readonly pivot: Vector3;
  /** Steps of one pixel to the right and down, in world coordinates. */
  readonly right: Vector3;
  readonly down: Vector3;
}

const [leastRadius, mostRadius] = [32, 120];
/** The minimum distance of the ring's centre from the canvas's edges. */
const margin = 24;

/** The ring around the layer's centre projected onto the slice, or as near to it as fits on the canvas. */
export function alignRing(
  base: VolumeInfo,
  layer: VolumeInfo,
  motion: Transform | undefined,
  { map, width, height }: SliceOnScreen,
): AlignRing {
  const toWorld = positionsToWorld(base);
  const [right, down] = [stepThrough(toWorld, map.right), stepThrough(toWorld, map.down)];
  const origin = pointThrough(toWorld, map.origin);
  const away = sum(layerCenter(base, layer, motion), scaled(origin, -1));
  // `right` and `down` need not be at right angles.
  const [a, b, c] = [dot(right, right), dot(right, down), dot(down, down)];
  const [p, q] = [dot(away, right), dot(away, down)];
  const whole = a * c - b * b;
  const within = (at: number, length: number): number => Math.max(Math.min(margin, length / 2), Math.min(length - margin, at));
  const x = within((p * c - q * b) / whole, width);
  const y = within((q * a - p * b) / whole, height);
  return {
    center: [x, y],
    radius: Math.max(leastRadius, Math.min(mostRadius, 0.3 * Math.min(width, height))),
    pivot: sum(origin, scaled(right, x), scaled(down, y)),
    right,
    down,
  };
}

/** The motion after the ring was dragged in the slice. @param by pixels to the right and down */
export function draggedInSlice(motion: Transform | undefined, { right, down }: AlignRing, [x, y]: Point): Transform | undefined {
  return movedBy(motion, sum(scaled(right, x), scaled(down, y)));
}

/** The motion after the ring was turned. @param degrees clockwise on the screen */
export function turnedInSlice(motion: Transform | undefined, ring: AlignRing, degrees: number): Transform | undefined {
  return turnedBy(motion, unitVector(cross(ring.right, ring.down)), degrees, ring.pivot);
}

/** The angle by which the pointer turned about the ring's centre, in degrees clockwise, at most half a turn. */
export function angleBetween({ center: [x, y] }: Pick<AlignRing, 'center'>, from: Point, to: Point): number {
  const angle = ([px, py]: Point): number => (Math.atan2(py - y, px - x) * 180) / Math.PI;
  const turned = angle(to) - angle(from);
  return turned > 180 ? turned - 360 : turned < -180 ? turned + 360 : turned;
}
