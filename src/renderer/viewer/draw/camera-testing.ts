import { PerspectiveCamera, Vector4 } from 'three';

/** A camera that sees three sides of a volume, and where it is. @param aspect width over height */
export function testCamera(aspect: number): { readonly camera: PerspectiveCamera; readonly eye: Vector4 } {
  const camera = new PerspectiveCamera(26, aspect, 0.01, 50);
  camera.position.set(0.9, 0.6, 2.2);
  camera.lookAt(0, 0, 0);
  camera.updateMatrixWorld();
  return { camera, eye: new Vector4(...camera.position, 1) };
}
