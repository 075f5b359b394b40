import { cross, dot, sum, type Vector3 } from '../../../core/shared/vectors.ts';
import type { CameraFrame } from './camera-frame.ts';
import { type SceneSide, sceneSides } from './orientation.ts';

/** A direction from which to view the cube: a side, an edge between two sides, or a corner of three. */
export interface CubeView {
  /** Key such as `front` or `front-left-above`. */
  readonly key: string;
  readonly sides: readonly SceneSide[];
  /** Direction towards the camera in the scene, of any length. */
  readonly toEye: Vector3;
  /** The cells of the cube's faces that belong to this view. */
  readonly cells: readonly CubeCell[];
}

/** One of the nine cells of a face: the centre, a strip along an edge, or a corner. */
export interface CubeCell {
  readonly face: SceneSide['key'];
  /** Position on the face: −1 left, 1 right; −1 up, 1 down. */
  readonly right: -1 | 0 | 1;
  readonly down: -1 | 0 | 1;
}

/** The scene directions that run right and down on each face. */
export const faceFrames: Readonly<Record<SceneSide['key'], { readonly right: Vector3; readonly down: Vector3 }>> = {
  front: { right: [1, 0, 0], down: [0, -1, 0] },
  back: { right: [-1, 0, 0], down: [0, -1, 0] },
  right: { right: [0, 0, 1], down: [0, -1, 0] },
  left: { right: [0, 0, -1], down: [0, -1, 0] },
  above: { right: [1, 0, 0], down: [0, 0, 1] },
  below: { right: [1, 0, 0], down: [0, 0, -1] },
};

type Step = readonly [right: number, down: number];

/** A face of the cube on the screen, with y downwards. Lengths are relative to those on the cube. */
export interface ShownFace {
  readonly isSeen: boolean;
  /** Screen offset of a step of 1 to the right and down on the face. */
  readonly right: Step;
  readonly down: Step;
  /** The step from the cube's centre to the face's centre, in halves of the cube's edge. */
  readonly out: Step;
}

/** Projects a face of a cube aligned with the scene. */
export function shownFace(face: SceneSide['key'], camera: Pick<CameraFrame, 'right' | 'up' | 'toEye'>): ShownFace {
  const { right, down } = faceFrames[face];
  const out = cross(down, right);
  const seen = (direction: Vector3): Step => [dot(direction, camera.right), -dot(direction, camera.up)];
  // Hide faces thinner than a tenth of a pixel.
  return { isSeen: dot(out, camera.toEye) > 2e-3, right: seen(right), down: seen(down), out: seen(out) };
}

/** All 26 views: the six sides, then the edges, then the corners. */
export const cubeViews: readonly CubeView[] = [1, 2, 3].flatMap((count) => choices(sceneSides, count).map(viewOf));

/** Combinations with at most one side of each opposite pair. */
function choices(sides: readonly SceneSide[], count: number): SceneSide[][] {
  if (count === 0) return [[]];
  return sides.flatMap((first, index) => {
    const others = sides.slice(index + 1).filter(({ toEye }) => dot(toEye, first.toEye) === 0);
    return choices(others, count - 1).map((rest) => [first, ...rest]);
  });
}

function viewOf(sides: readonly SceneSide[]): CubeView {
  const toEye = sum(...sides.map((side) => side.toEye));
  const cells = sides.map(({ key }): CubeCell => {
    const { right, down } = faceFrames[key];
    return {
      face: key,
      right: Math.sign(dot(toEye, right)) as CubeCell['right'],
      down: Math.sign(dot(toEye, down)) as CubeCell['down'],
    };
  });
  return { key: sides.map(({ key }) => key).join('-'), sides, toEye, cells };
}
