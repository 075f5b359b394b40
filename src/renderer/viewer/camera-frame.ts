export type Place = readonly [x: number, y: number, z: number];

/** How the 3D view is seen at a moment: what lies over its picture follows this. Pixels are CSS pixels of the canvas. */
export interface CameraFrame {
  /** Unit vectors in the scene: to the right and up on the screen, and from the middle of the picture to the eye. */
  readonly right: Place;
  readonly up: Place;
  readonly toEye: Place;
  /** How long a scene length of 1 is, at the depth of the point that the camera turns about; orthographic: at any depth. */
  readonly pixelsPerLength: number;
  readonly width: number;
  readonly height: number;
  /** Where on the canvas a place of the scene is seen. */
  project(place: Place): readonly [x: number, y: number];
}

export function dot(a: Place, b: Place): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
