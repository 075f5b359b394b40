import { cross, dot, sum, type Vector3 } from '../../../core/shared/vectors.ts';
import type { CameraFrame } from './camera-frame.ts';
import { type SceneSide, sceneSides } from './orientation.ts';

/** A direction that the cube can be looked at from: a side's, an edge's between two sides, or a corner's of three. */
export interface CubeView {
  /** `front`, `front-left-above`: as a key. */
  readonly key: string;
  readonly sides: readonly SceneSide[];
  /** Towards the eye, in the scene; of any length. */
  readonly toEye: Vector3;
  /** What of the cube's faces stands for it. */
  readonly cells: readonly CubeCell[];
}

/** One of the nine parts of a face: its middle, a strip along an edge, or a corner. */
export interface CubeCell {
  readonly face: SceneSide['key'];
  /** From the face's middle, as the face is drawn: −1 left, 1 right; −1 up, 1 down. */
  readonly right: -1 | 0 | 1;
  readonly down: -1 | 0 | 1;
}

/** Which directions of the scene run right and down on each face. */
export const faceFrames: Readonly<Record<SceneSide['key'], { readonly right: Vector3; readonly down: Vector3 }>> = {
  front: { right: [1, 0, 0], down: [0, -1, 0] },
  back: { right: [-1, 0, 0], down: [0, -1, 0] },
  right: { right: [0, 0, 1], down: [0, -1, 0] },
  left: { right: [0, 0, -1], down: [0, -1, 0] },
  above: { right: [1, 0, 0], down: [0, 0, 1] },
  below: { right: [1, 0, 0], down: [0, 0, -1] },
};

type Step = readonly [right: number, down: number];

/** Where a face of the cube is on the screen, whose y runs down. Lengths are in parts of those on the cube. */
export interface ShownFace {
  readonly isSeen: boolean;
  /** How far a step of 1 to the right and down on the face goes. */
  readonly right: Step;
  readonly down: Step;
  /** From the cube's middle to the face's, where half the cube's edge is 1. */
  readonly out: Step;
}

/** A face of a cube that stands as the scene does. */
export function shownFace(face: SceneSide['key'], camera: Pick<CameraFrame, 'right' | 'up' | 'toEye'>): ShownFace {
  const { right, down } = faceFrames[face];
  const out = cross(down, right);
  const seen = (direction: Vector3): Step => [dot(direction, camera.right), -dot(direction, camera.up)];
  // What is thinner than a tenth of a pixel is not.
  return { isSeen: dot(out, camera.toEye) > 2e-3, right: seen(right), down: seen(down), out: seen(out) };
}

/** All 26: the six sides, then the edges, then the corners. */
export const cubeViews: readonly CubeView[] = [1, 2, 3].flatMap((count) => choices(sceneSides, count).map(viewOf));

/** Of each pair of opposite sides one at most. */
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
