import { Matrix4, OrthographicCamera, PerspectiveCamera, Vector3, Vector4 } from 'three';
import { expect, test } from 'vitest';
import { rayViewOf } from './ray-view.ts';

/** A volume that is rotated, stretched and away from the origin. */
const cube = new Matrix4()
  .makeRotationAxis(new Vector3(1, 2, 3).normalize(), 0.7)
  .multiply(new Matrix4().makeScale(1, 0.4, 0.05))
  .setPosition(-0.4, -0.3, -0.1);

const perspective = new PerspectiveCamera(26, 1.6, 0.01, 50);
perspective.zoom = 1.3;
const orthographic = new OrthographicCamera(-1.6, 1.6, 1, -1, -50, 50);

test.each([
  ['perspective', perspective],
  ['orthographic', orthographic],
] as const)('%s: a ray through a place’s pixel goes through the place', (kind, camera) => {
  camera.position.set(0.9, 0.6, 2.2);
  camera.lookAt(0.1, 0, 0);
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
  const isNear = kind === 'perspective';
  const eye = isNear
    ? new Vector4(...camera.position, 1)
    : new Vector4(...camera.position.clone().sub({ x: 0.1, y: 0, z: 0 }), 0);
  const view = rayViewOf(camera, eye, cube.clone().invert(), [1, 0.4, 0.05]);
  const toCube = new Matrix4().fromArray(view.toCube);
  const toEye = new Vector3(...view.eye.slice(0, 3));
  for (const place of [
    [0, 0, 0],
    [1, 0, 1],
    [0.2, 0.9, 0.5],
  ] as const) {
    const inCube = new Vector3(...place);
    const { x, y } = inCube.clone().applyMatrix4(cube).project(camera);
    const beyond = new Vector3(x, y, 1).applyMatrix4(toCube);
    const direction = isNear ? beyond.clone().sub(toEye) : toEye.clone();
    const offRay = inCube.clone().sub(beyond).cross(direction.normalize()).length();
    expect(offRay, `${place}`).toBeLessThan(1e-9);
  }
});
