import { scaled } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { OrbitPose } from './orbit-camera.ts';
import { hasOrientation, type SliceFrame, safeSpacing, sliceFrame, unitsPerLength } from './orientation.ts';
import { clampVoxel, type Point, type SliceCamera, type Voxel } from './slice-geometry.ts';
import type { SliceAxis, ViewState } from './viewer-api.ts';
import { mapPosition, unitRatio, type VoxelMap, worldVoxelMap } from './voxel-map.ts';

/** The cameras of a viewer's views: the slices by axis, the oblique slice and the 3D view. Hidden views are left out. */
export type Viewpoints = Readonly<
  Partial<Record<SliceAxis | 'oblique', SliceCamera | undefined> & { '3d': OrbitPose | undefined }>
>;

/** CSS pixels per spatial unit at a zoom of 1, for visible slices. */
export type FittedScales = Readonly<Partial<Record<SliceAxis | 'oblique', number>>>;

/** A volume, the scale of its fitted slices, and the camera of its 3D view. */
export interface LinkedVolume {
  readonly info: VolumeInfo;
  readonly scales: FittedScales;
  readonly camera: ViewState['camera'];
}

/**
 * The cameras that show another volume at the same scale, in pixels per millimetre, and at the same place: at the same world
 * coordinates if both volumes have an orientation, else at the same offset from the centre.
 */
export function sameViewpoints(from: LinkedVolume, to: LinkedVolume, viewpoints: Viewpoints): Viewpoints {
  const units = unitRatio(from.info, to.info);
  const made: { -readonly [view in keyof Viewpoints]: Viewpoints[view] } = {};
  for (const view of ['x', 'y', 'z', 'oblique'] as const) {
    const camera = viewpoints[view];
    const [fitted, fittedThere] = [from.scales[view], to.scales[view]];
    if (!camera || !fitted || !fittedThere) continue;
    const zoom = camera.zoom * (fitted / (fittedThere * units));
    made[view] = {
      zoom,
      center: view === 'oblique' ? samePan(camera.center, units) : sameCenter(from.info, to.info, view, camera.center),
    };
  }
  const pose = viewpoints['3d'];
  if (pose) {
    // A scene unit is the volume's longest edge, and the origin is the volume's centre.
    const lengths = (units * unitsPerLength(from.info)) / unitsPerLength(to.info);
    made['3d'] = {
      ...pose,
      position: scaled(pose.position, lengths),
      target: scaled(pose.target, lengths),
      zoom: from.camera === 'orthographic' ? pose.zoom / lengths : pose.zoom,
    };
  }
  return made;
}

/** Converts the oblique slice's centre, which is an offset from the volume's centre in spatial units. */
function samePan(center: Point | undefined, units: number): Point | undefined {
  return center && [center[0] * units, center[1] * units];
}

/** The centre of the other volume's slice at the same place; undefined for the volume's centre. */
function sameCenter(from: VolumeInfo, to: VolumeInfo, axis: SliceAxis, center: Point | undefined): Point | undefined {
  if (from.dims.slice(0, 3).join() === to.dims.slice(0, 3).join() && from.affine.join() === to.affine.join()) return center;
  const [here, there] = [sliceFrame(from, axis), sliceFrame(to, axis)];
  const [middle, middleThere] = [middleOf(from), middleOf(to)];
  const [toThere, toHere] = [worldMap(from, to), worldMap(to, from)];
  if (toThere && toHere && (isInside(mapPosition(toThere, middle), to) || isInside(mapPosition(toHere, middleThere), from))) {
    const position: [number, number, number] = [...middle];
    if (center) [position[here.right.axis], position[here.down.axis]] = center;
    const found = mapPosition(toThere, position);
    const isMiddle = [there.right, there.down].every(
      ({ axis: at }) => Math.abs(found[at] - middleThere[at]) < 1e-6 * to.dims[at],
    );
    return isMiddle ? undefined : [found[there.right.axis], found[there.down.axis]];
  }
  if (!center) return undefined;
  const [spacing, spacingThere] = [safeSpacing(from), safeSpacing(to)];
  const units = unitRatio(from, to);
  const along = (a: SliceFrame['right'], b: SliceFrame['right'], at: number): number => {
    const away = (at - middle[a.axis]) * spacing[a.axis] * a.sign * units;
    return middleThere[b.axis] + (away / spacingThere[b.axis]) * b.sign;
  };
  return [along(here.right, there.right, center[0]), along(here.down, there.down, center[1])];
}

function middleOf({ dims }: VolumeInfo): Voxel {
  return [dims[0] / 2, dims[1] / 2, dims[2] / 2];
}

function isInside(position: Voxel, { dims }: VolumeInfo): boolean {
  return position.every((at, axis) => at >= 0 && at <= (dims[axis] as number));
}

/** The same place in another volume: by world coordinates if both have an orientation, else by voxel index. */
export function samePlace(from: VolumeInfo, to: VolumeInfo, voxel: Voxel): Voxel {
  const [x, y, z] = to.dims;
  const size: Voxel = [x, y, z];
  const map = worldMap(from, to);
  if (!map || from.affine.every((value, at) => value === to.affine[at])) return clampVoxel(voxel, size);
  return clampVoxel(mapPosition(map, [voxel[0] + 0.5, voxel[1] + 0.5, voxel[2] + 0.5]), size);
}

/** Maps voxels by world coordinates; undefined if either volume has no orientation. */
function worldMap(from: VolumeInfo, to: VolumeInfo): VoxelMap | undefined {
  return hasOrientation(from) && hasOrientation(to) ? worldVoxelMap(from, to) : undefined;
}
