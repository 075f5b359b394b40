import {
  BoxGeometry,
  BufferGeometry,
  CanvasTexture,
  Line,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  type Object3D,
  Scene,
  Sprite,
  SpriteMaterial,
  Vector3,
} from 'three';
import type { DisplayTexture } from '../../core/engine/display-texture.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { Place } from './camera-frame.ts';
import { type CutPlane, cutOutline, planeInCube } from './cut-plane.ts';
import { faceLetters, sceneEdges } from './orientation.ts';
import { type SeenBy, TickedBox } from './ticked-box.ts';
import type { ViewState } from './viewer-api.ts';
import { VolumeMaterial } from './volume-material.ts';

/** The accent of panels. */
const cutColor = 0x40b2ec;

/** One volume as a scene: the marched cube, its box as thin lines, and the letters of its faces. */
export class VolumeScene {
  readonly scene = new Scene();
  /** The volume's eight corners. */
  readonly corners: readonly Vector3[];
  readonly #volume: Mesh;
  readonly #box: TickedBox;
  readonly #material: VolumeMaterial;
  readonly #toCube: Matrix4;
  readonly #edges: readonly Place[];
  readonly #cutLine: LineSegments;
  #cutKey = '';
  readonly #letters: Sprite[] = [];
  readonly #disposables: { dispose(): void }[] = [];

  constructor(info: VolumeInfo, display: DisplayTexture) {
    const edges = sceneEdges(info).map((edge) => new Vector3(...edge)) as [Vector3, Vector3, Vector3];
    const [x, y, z] = edges;
    this.#edges = sceneEdges(info);
    this.#material = new VolumeMaterial(display, [x.length(), y.length(), z.length()]);
    const origin = x.clone().add(y).add(z).multiplyScalar(-0.5);
    this.corners = Array.from({ length: 8 }, (_, index) =>
      edges.reduce((corner, edge, axis) => (index & (1 << axis) ? corner.add(edge) : corner), origin.clone()),
    );
    const cube = new Matrix4().makeBasis(x, y, z).setPosition(origin);
    this.#toCube = cube.clone().invert();

    const box = new BoxGeometry(1, 1, 1).translate(0.5, 0.5, 0.5);
    const volume = new Mesh(box, this.#material.material);
    this.#volume = volume;
    volume.renderOrder = 1;
    volume.matrixAutoUpdate = false;
    volume.matrix.copy(cube);
    this.#box = new TickedBox(info, edges, cube);
    const cutMaterial = new LineBasicMaterial({ color: cutColor, transparent: true, opacity: 0.9, depthTest: false });
    this.#cutLine = new LineSegments(new BufferGeometry(), cutMaterial);
    this.#cutLine.renderOrder = 2;
    this.#cutLine.frustumCulled = false;
    this.#cutLine.visible = false;
    this.scene.add(volume, this.#box.object, this.#cutLine);
    this.#disposables.push(box, this.#box, this.#material, cutMaterial, this.#cutLine.geometry);
    for (const { letter, direction } of faceLetters(info)) this.#addLetter(letter, new Vector3(...direction));
  }

  update(state: ViewState, seen: SeenBy, texelsPerStep: number): void {
    const { eye } = seen;
    this.#box.update(state.box, seen);
    // Letters behind the volume are drawn before it.
    for (const letter of this.#letters) letter.renderOrder = letter.position.dot(eye) > 0 ? 2 : 0;
    const plane = state.cut && planeInCube(state.cut, this.#edges);
    this.#material.update(state, eye.clone().applyMatrix4(this.#toCube), texelsPerStep, plane);
    this.#showCut(state.cut);
  }

  /** The outline of what the free plane cuts. */
  #showCut(cut: CutPlane | undefined): void {
    const key = JSON.stringify(cut) ?? '';
    if (key === this.#cutKey) return;
    this.#cutKey = key;
    const corners = cut ? cutOutline(cut, this.#edges).map((corner) => new Vector3(...corner)) : [];
    this.#cutLine.visible = corners.length > 0;
    if (corners.length === 0) return;
    const sides = corners.flatMap((corner, index) => [corner, corners[(index + 1) % corners.length] as Vector3]);
    // A cube's cut has six sides at most: the buffer keeps its size.
    while (sides.length < 12) sides.push(corners[0] as Vector3);
    this.#cutLine.geometry.setFromPoints(sides);
  }

  /** Lets `draw` draw the volume with nothing around it. */
  withVolumeAlone(draw: () => void): void {
    const hidden: Object3D[] = [];
    this.scene.traverse((object) => {
      const isDrawn = object instanceof Mesh || object instanceof Line || object instanceof Sprite;
      if (isDrawn && object !== this.#volume && object.visible) hidden.push(object);
    });
    for (const object of hidden) object.visible = false;
    draw();
    for (const object of hidden) object.visible = true;
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #addLetter(letter: string, direction: Vector3): void {
    const picture = new CanvasTexture(letterPicture(letter));
    const material = new SpriteMaterial({
      map: picture,
      sizeAttenuation: false,
      depthTest: false,
      transparent: true,
      opacity: 0.7,
    });
    const sprite = new Sprite(material);
    sprite.position.copy(direction).addScaledVector(direction.clone().normalize(), 0.06);
    sprite.scale.setScalar(0.024);
    this.#letters.push(sprite);
    this.scene.add(sprite);
    this.#disposables.push(picture, material);
  }
}

function letterPicture(letter: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d');
  if (context) {
    context.font = '600 44px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = 8;
    context.lineJoin = 'round';
    context.strokeStyle = 'rgba(0, 0, 0, 0.7)';
    context.strokeText(letter, 32, 34);
    context.fillStyle = '#e6e9ef';
    context.fillText(letter, 32, 34);
  }
  return canvas;
}
