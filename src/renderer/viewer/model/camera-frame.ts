import { scaled, sum, type Vector3 } from '../../../core/shared/vectors.ts';

export type ScenePoint = Vector3;

/** The camera of the 3D view at one moment, for everything drawn over its picture. Pixels are CSS pixels of the canvas. */
export interface CameraFrame {
  /** Unit vectors in the scene: right and up on the screen, and from the picture's centre towards the camera. */
  readonly right: ScenePoint;
  readonly up: ScenePoint;
  readonly toEye: ScenePoint;
  /** Pixels per scene unit at the depth of the camera's target; at any depth if the camera is orthographic. */
  readonly pixelsPerLength: number;
  readonly width: number;
  readonly height: number;
  /** Projects a point of the scene to the canvas. */
  project(place: ScenePoint): readonly [x: number, y: number];
  /** Whether a point is in front of the camera. Other points are not visible, whatever `project` returns. */
  isAhead(place: ScenePoint): boolean;
}

/**
 * How far a drag moves something along a direction, in scene units: as far as the pointer moves along the projected
 * direction. If the direction points at the camera or away from it, an upward drag is positive.
 * @param at position at the start of the drag @param direction of length 1 @param drag in pixels since then
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
