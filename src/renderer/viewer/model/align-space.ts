import { cross, scaled, sum, unitVector, type Vector3, vectorLength } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { chained, inverted, pointThrough, stepThrough, type Transform, transformOf } from '../../../core/transforms/transform.ts';
import { layerCenter, movedBy, turnedBy } from './alignment.ts';
import { type CameraFrame, draggedAlong, type ScenePoint } from './camera-frame.ts';
import { sceneEdges } from './orientation.ts';
import { positionsToWorld } from './voxel-map.ts';

// Moving and turning a layer in the 3D view, along and about the axes of the world.

/** Lengths in scene units: of the arms, and the radius of the rings. */
const [armLength, ringRadius] = [0.34, 0.24];
const ringSteps = 48;

const worldAxes: readonly [Vector3, Vector3, Vector3] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

type WorldAxis = 0 | 1 | 2;
type Motion = Transform | undefined;
type Line = readonly [ScenePoint, ScenePoint];

/** A layer's handles in the scene of the open volume: an arm along each axis of the world, and a ring about it. */
export class AlignSpace {
  readonly #base: VolumeInfo;
  readonly #layer: VolumeInfo;
  readonly #toScene: Transform;

  constructor(base: VolumeInfo, layer: VolumeInfo) {
    this.#base = base;
    this.#layer = layer;
    const [x, y, z] = sceneEdges(base).map((edge, axis) => scaled(edge, 1 / (base.dims[axis] as number))) as [
      Vector3,
      Vector3,
      Vector3,
    ];
    const linear = transformOf([x, y, z], [0, 0, 0]);
    const middle = stepThrough(linear, [base.dims[0] / 2, base.dims[1] / 2, base.dims[2] / 2]);
    this.#toScene = chained(inverted(positionsToWorld(base)), transformOf([x, y, z], scaled(middle, -1)));
  }

  center(motion: Motion): ScenePoint {
    return pointThrough(this.#toScene, layerCenter(this.#base, this.#layer, motion));
  }

  /** The end of the arm that moves along an axis. */
  tip(center: ScenePoint, axis: WorldAxis): ScenePoint {
    return sum(center, scaled(this.#direction(worldAxes[axis]), armLength));
  }

  /** The knob on the ring about an axis. */
  knob(center: ScenePoint, axis: WorldAxis): ScenePoint {
    return sum(center, scaled(this.#direction(knobDirection(axis)), ringRadius));
  }

  /** The lines of the arm along an axis and of the ring about it. */
  lines(center: ScenePoint, axis: WorldAxis): readonly Line[] {
    const [first, second] = [worldAxes[(axis + 1) % 3], worldAxes[(axis + 2) % 3]] as [Vector3, Vector3];
    const at = (step: number): ScenePoint => {
      const angle = (2 * Math.PI * step) / ringSteps;
      const out = sum(scaled(first, Math.cos(angle)), scaled(second, Math.sin(angle)));
      return sum(center, scaled(this.#direction(out), ringRadius));
    };
    const ring = Array.from({ length: ringSteps }, (_, step): Line => [at(step), at(step + 1)]);
    return [[center, this.tip(center, axis)], ...ring];
  }

  /** The motion after the tip of an arm was dragged. @param by pixels to the right and down */
  draggedTip(motion: Motion, axis: WorldAxis, frame: CameraFrame, by: readonly [number, number]): Motion {
    const step = stepThrough(this.#toScene, worldAxes[axis]);
    const far = draggedAlong(frame, this.center(motion), unitVector(step), by) / vectorLength(step);
    return movedBy(motion, scaled(worldAxes[axis], far));
  }

  /** The motion after a knob was dragged, which follows the pointer along its ring's tangent. @param by pixels to the right and down */
  draggedKnob(motion: Motion, axis: WorldAxis, frame: CameraFrame, by: readonly [number, number]): Motion {
    const center = this.center(motion);
    const along = this.#direction(cross(worldAxes[axis], knobDirection(axis)));
    const far = draggedAlong(frame, this.knob(center, axis), along, by);
    return this.turned(motion, axis, ((far / ringRadius) * 180) / Math.PI);
  }

  /** The motion after the layer was dragged in the plane of the screen. @param by pixels to the right and down */
  draggedCenter(motion: Motion, { right, up, pixelsPerLength }: CameraFrame, by: readonly [number, number]): Motion {
    const inScene = sum(scaled(right, by[0] / pixelsPerLength), scaled(up, -by[1] / pixelsPerLength));
    return movedBy(motion, stepThrough(inverted(this.#toScene), inScene));
  }

  turned(motion: Motion, axis: WorldAxis, degrees: number): Motion {
    return turnedBy(motion, worldAxes[axis], degrees, layerCenter(this.#base, this.#layer, motion));
  }

  #direction(inWorld: Vector3): ScenePoint {
    return unitVector(stepThrough(this.#toScene, inWorld));
  }
}

/** The direction of a ring's knob from its centre: between the two other axes. */
function knobDirection(axis: WorldAxis): Vector3 {
  return scaled(sum(...worldAxes.filter((_, at) => at !== axis)), Math.SQRT1_2);
}
