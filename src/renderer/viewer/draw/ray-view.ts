import { type Camera, type Matrix4, Vector3, type Vector4 } from 'three';
import type { RayView } from '../../../core/draw/ray-pass.ts';

/**
 * The rays through a camera's picture, mapped to a volume's unit cube.
 * @param camera its matrices must be up to date
 * @param eye the camera's position in the scene; w is 0 if xyz is the direction to an infinitely distant camera
 * @param toCube from the scene to the cube
 * @param edges lengths of the cube's edges in the scene
 */
export function rayViewOf(camera: Camera, eye: Vector4, toCube: Matrix4, edges: RayView['edges']): RayView {
  const { elements } = camera.projectionMatrix;
  const [scaleX, scaleY] = [elements[0], elements[5]] as [number, number];
  // A ray is defined by the eye and a plane: at distance 1 in front of the eye, or through the scene's origin.
  const depth = eye.w > 0.5 ? -1 : (camera.matrixWorldInverse.elements[14] as number);
  const [shiftX, shiftY] = (eye.w > 0.5 ? [elements[8], elements[9]] : [-(elements[12] ?? 0), -(elements[13] ?? 0)]) as [
    number,
    number,
  ];
  const at = (x: number, y: number): Vector3 =>
    new Vector3((x + shiftX) / scaleX, (y + shiftY) / scaleY, depth).applyMatrix4(camera.matrixWorld).applyMatrix4(toCube);
  const middle = at(0, 0);
  const [across, above] = [at(1, 0).sub(middle), at(0, 1).sub(middle)];
  const { x, y, z, w } = eye.clone().applyMatrix4(toCube);
  return {
    toCube: [...across, 0, ...above, 0, 0, 0, 0, 0, ...middle, 1],
    eye: [x, y, z, w],
    edges,
  };
}
