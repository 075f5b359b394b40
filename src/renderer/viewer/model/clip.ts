import type { ClipRange, RayLook } from '../../../core/draw/ray-pass.ts';

type Clip = RayLook['clip'];

/** One of the six planes that clip the 3D view. */
export interface ClipPlane {
  readonly axis: 0 | 1 | 2;
  readonly end: 'from' | 'to';
}

export const unclipped: Clip = [
  [0, 1],
  [0, 1],
  [0, 1],
];

export function isClipped(clip: Clip): boolean {
  return clip.some(([from, to]) => from > 0 || to < 1);
}

/** The first or last visible voxel along the plane's axis. */
export function clipAt(clip: Clip, { axis, end }: ClipPlane, voxels: number): number {
  const [from, to] = clip[axis];
  return end === 'from' ? Math.round(from * voxels) : Math.round(to * voxels) - 1;
}

/** Moves the plane so that this voxel is the first or last visible one. At least one voxel stays visible. */
export function withClip(clip: Clip, plane: ClipPlane, voxel: number, voxels: number): Clip {
  const { axis, end } = plane;
  const first = clipAt(clip, { axis, end: 'from' }, voxels);
  const last = clipAt(clip, { axis, end: 'to' }, voxels);
  const range: ClipRange =
    end === 'from'
      ? [Math.min(Math.max(voxel, 0), last) / voxels, (last + 1) / voxels]
      : [first / voxels, (Math.max(Math.min(voxel, voxels - 1), first) + 1) / voxels];
  const [x, y, z] = clip;
  return [axis === 0 ? range : x, axis === 1 ? range : y, axis === 2 ? range : z];
}
