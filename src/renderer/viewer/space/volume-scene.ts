import { CanvasTexture, type Matrix4, Scene, Sprite, SpriteMaterial, Vector3 } from 'three';
import type { Strip } from '../../../core/draw/ray-pass.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import type { RayDrawing } from '../draw/ray-drawing.ts';
import type { RayScene } from '../draw/ray-picture.ts';
import { rayViewOf } from '../draw/ray-view.ts';
import { sceneCube } from '../draw/scene-cube.ts';
import type { ScenePoint } from '../model/camera-frame.ts';
import { planeInCube } from '../model/cut-plane.ts';
import { obliqueInScene } from '../model/oblique-geometry.ts';
import { faceLetters, sceneEdges } from '../model/orientation.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { PlaneOutline } from './plane-outline.ts';
import { RayLayer } from './ray-layer.ts';
import { type SeenBy, TickedBox } from './ticked-box.ts';

/** The accent colour of panels. */
const cutColor = 0x40b2ec;
/** The colour that slices use for the oblique slice. */
const obliqueColor = 0xe29cff;

/** The content of a scene besides its volume. */
export type SceneContent = Pick<RayScene, 'layers' | 'meshes' | 'labels' | 'bricks' | 'layerBricks'>;

/** The scene of a volume and its layers: their rays, the volume's box as thin lines, and the letters on its faces. */
export class VolumeScene {
  readonly scene = new Scene();
  /** See `RayMarch`. */
  restWidth: number | undefined;
  /** See `RayMarch`. */
  isDraft = false;
  /** See `RayMarch`. */
  isTrial = false;
  isTried = false;
  /** See `RayMarch`. Pictures wait for their kernels. */
  onCompiled: (() => void) | undefined;
  readonly shown: { readonly info: VolumeInfo; readonly display: DisplayTexture };
  /** The volume's eight corners. */
  readonly corners: readonly Vector3[];
  readonly #volume: RayLayer;
  readonly #box: TickedBox;
  readonly #toCube: Matrix4;
  readonly #edges: readonly ScenePoint[];
  readonly #lengths: ScenePoint;
  readonly #cutOutline: PlaneOutline;
  readonly #obliqueOutline: PlaneOutline;
  readonly #letters: Sprite[] = [];
  readonly #disposables: { dispose(): void }[] = [];

  constructor(gpu: Gpu, info: VolumeInfo, display: DisplayTexture) {
    const { edges, lengths, corners, cube } = sceneCube(info);
    this.shown = { info, display };
    this.#edges = sceneEdges(info);
    this.#lengths = lengths;
    this.corners = corners;
    this.#toCube = cube.clone().invert();

    this.#volume = new RayLayer(gpu, info, display);
    this.#volume.object.renderOrder = 1;
    this.#box = new TickedBox(info, edges, cube);
    this.#cutOutline = new PlaneOutline(this.#edges, cutColor);
    this.#obliqueOutline = new PlaneOutline(this.#edges, obliqueColor);
    this.scene.add(this.#volume.object, this.#box.object, this.#cutOutline.object, this.#obliqueOutline.object);
    this.#disposables.push(this.#volume, this.#box, this.#cutOutline, this.#obliqueOutline);
    for (const { letter, direction } of faceLetters(info)) this.#addLetter(letter, new Vector3(...direction));
  }

  /** Whether the last frame was drawn from bricks. */
  get isOfBricks(): boolean {
    return this.#volume.isOfBricks;
  }

  /** See `RayDrawing`. */
  get isCompiling(): boolean {
    return this.#volume.isCompiling;
  }

  /** See `RayDrawing`. */
  get voxelPixels(): number {
    return this.#volume.voxelPixels;
  }

  /**
   * Submits the rays of a strip, and prepares the scene to show them when it is rendered next.
   * @param hasOblique whether to show the outline of the oblique slice
   * @param rays a picture's own drawing, which frames on the canvas do not disturb; default: the canvas's
   * @returns resolves when done with the GPU's milliseconds for the rays, if known
   */
  update(
    state: ViewState,
    { layers, ...content }: SceneContent,
    seen: SeenBy,
    texelsPerStep: number,
    hasOblique: boolean,
    strip: Strip,
    rays?: RayDrawing,
  ): Promise<number | undefined> {
    const { camera, eye } = seen;
    this.#box.update(state.box, seen);
    // Letters behind the volume are drawn first.
    for (const letter of this.#letters) letter.renderOrder = letter.position.dot(eye) > 0 ? 2 : 0;
    const plane = state.cut && planeInCube(state.cut, this.#edges);
    const view = rayViewOf(camera, eye, this.#toCube, this.#lengths);
    const { restWidth, isDraft } = this;
    // Pictures have drawings of their own, without trials, and wait for their kernels.
    const ofCanvas = rays ? {} : { isTrial: this.isTrial, isTried: this.isTried, onCompiled: this.onCompiled };
    const march = { ...content, view, step: texelsPerStep, plane, strip, restWidth, isDraft, ...ofCanvas };
    const done = this.#volume.march(state, layers ?? [], march, rays);
    this.#cutOutline.show(state.cut);
    this.#obliqueOutline.show(hasOblique ? obliqueInScene(this.shown.info, state.oblique, state.crosshair) : undefined);
    return done;
  }

  /** Loads the bricks of a picture. `strip` covers all of it. Resolves once all readable ones are loaded. @throws StriaError `aborted` */
  load(
    rays: RayDrawing,
    state: ViewState,
    { layers, ...content }: SceneContent,
    { camera, eye }: SeenBy,
    texelsPerStep: number,
    strip: Strip,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const plane = state.cut && planeInCube(state.cut, this.#edges);
    const view = rayViewOf(camera, eye, this.#toCube, this.#lengths);
    return rays.load(state, layers ?? [], { ...content, view, step: texelsPerStep, plane, strip }, signal);
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
