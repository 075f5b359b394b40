import { scaled, sum, type Vector3 } from '../../../core/shared/vectors.ts';

export type ScenePoint = Vector3;

/** How the 3D view is seen at a moment: what lies over its picture follows this. Pixels are CSS pixels of the canvas. */
export interface CameraFrame {
  /** Unit vectors in the scene: to the right and up on the screen, and from the middle of the picture to the eye. */
  readonly right: ScenePoint;
  readonly up: ScenePoint;
  readonly toEye: ScenePoint;
  /** How long a scene length of 1 is, at the depth of the point that the camera turns about; orthographic: at any depth. */
  readonly pixelsPerLength: number;
  readonly width: number;
  readonly height: number;
  /** Where on the canvas a place of the scene is seen. */
  project(place: ScenePoint): readonly [x: number, y: number];
  /** Whether a place is in front of the eye: what is behind it is seen nowhere, whatever `project` says. */
  isAhead(place: ScenePoint): boolean;
}

/**
 * How far something goes along a direction that is dragged, in scene lengths: as far as the pointer, along the direction as
 * it is seen. Where it points at the eye, or away, upwards is along it.
 * @param at its place when the drag began @param direction of length 1 @param drag in pixels since then
 */
export function draggedAlong(
  frame: CameraFrame,
  at: ScenePoint,
  direction: ScenePoint,
  [dragX, dragY]: readonly [number, number],
): number {
  const step = 0.01;
  const [x0, y0] = frame.project(at);
  const [x1, y1] = frame.project(sum(at, scaled(direction, step)));
  const seen = [(x1 - x0) / step, (y1 - y0) / step] as const;
  const isSeen = Math.hypot(...seen) > 0.25 * frame.pixelsPerLength;
  const [x, y] = isSeen ? seen : [0, -frame.pixelsPerLength];
  return (dragX * x + dragY * y) / (x * x + y * y);
}
