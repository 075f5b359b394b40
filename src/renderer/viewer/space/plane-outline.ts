import { BufferGeometry, Color, LinearSRGBColorSpace, LineBasicMaterial, LineSegments, Vector3 } from 'three';
import type { ScenePoint } from '../model/camera-frame.ts';
import { type CutPlane, cutOutline } from '../model/cut-plane.ts';

/** The intersection of a plane with the volume's box, as lines in the 3D scene. */
export class PlaneOutline {
  readonly object: LineSegments;
  readonly #edges: readonly ScenePoint[];
  readonly #material: LineBasicMaterial;
  #shown = '';

  /** @param edges the volume's edges in the scene @param color an sRGB colour, as in CSS */
  constructor(edges: readonly ScenePoint[], color: number) {
    this.#edges = edges;
    // The renderer writes colours without conversion.
    const asIs = new Color().setHex(color, LinearSRGBColorSpace);
    this.#material = new LineBasicMaterial({ color: asIs, transparent: true, opacity: 0.9, depthTest: false });
    this.object = new LineSegments(new BufferGeometry(), this.#material);
    this.object.renderOrder = 2;
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  show(plane: CutPlane | undefined): void {
    const key = JSON.stringify(plane) ?? '';
    if (key === this.#shown) return;
    this.#shown = key;
    const corners = plane ? cutOutline(plane, this.#edges).map((corner) => new Vector3(...corner)) : [];
    this.object.visible = corners.length > 0;
    if (corners.length === 0) return;
    const sides = corners.flatMap((corner, index) => [corner, corners[(index + 1) % corners.length] as Vector3]);
    // A plane cuts a cube in at most six sides, so the buffer has a fixed size.
    while (sides.length < 12) sides.push(corners[0] as Vector3);
    this.object.geometry.setFromPoints(sides);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.#material.dispose();
  }
}
