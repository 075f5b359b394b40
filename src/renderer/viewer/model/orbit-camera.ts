import { MathUtils, OrthographicCamera, PerspectiveCamera, Quaternion, Spherical, Vector3, Vector4 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { CameraFrame, ScenePoint } from './camera-frame.ts';
import type { PictureRequest, Turn } from './picture.ts';
import type { CameraKind } from './viewer-api.ts';

const fieldOfView = 26;
/** Half the visible height at a distance of 1. */
const halfHeight = Math.tan(MathUtils.degToRad(fieldOfView / 2));
/** The initial direction: slightly from the patient's left and from above. */
const firstDirection = new Vector3(0.42, 0.22, 1).normalize();

const turnAxes: Readonly<Record<Turn, Vector3>> = { upright: new Vector3(0, 1, 0), across: new Vector3(1, 0, 0) };

/** Position and zoom of the camera, in the scene. */
export interface OrbitPose {
  readonly position: readonly [number, number, number];
  readonly target: readonly [number, number, number];
  /** The zoom of the orthographic camera. */
  readonly zoom: number;
  /**
   * The aspect ratio of the canvas that this pose was chosen for. A narrower canvas shows the same width, and so more
   * height.
   */
  readonly aspect: number;
}

/** An orbit camera, perspective or orthographic. Objects at its target keep their size when the kind changes. */
export class OrbitCamera {
  readonly #perspective = new PerspectiveCamera(fieldOfView, 1, 0.01, 50);
  /** It zooms instead of moving. Its near plane is behind it, so that nothing is cut off. */
  readonly #orthographic = new OrthographicCamera(-1, 1, 1, -1, -50, 50);
  readonly #controls: OrbitControls;
  readonly #onChange: () => void;
  #kind: CameraKind = 'perspective';
  #aspect = 1;
  /** Aspect ratio of the canvas that the pose was chosen for. */
  #poseAspect = 1;
  /** The animation frame of the current turn. */
  #turnRequest: number | undefined;

  /** @param canvas the canvas whose pointer events move the camera, if there is one */
  constructor(canvas: HTMLCanvasElement | null, onChange: () => void) {
    this.#onChange = onChange;
    this.#controls = new OrbitControls(this.#perspective, canvas);
    this.#controls.minDistance = 0.05;
    this.#controls.addEventListener('change', onChange);
    this.#controls.addEventListener('start', () => this.#endTurn());
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.#kind === 'perspective' ? this.#perspective : this.#orthographic;
  }

  /** Its position in the scene; w is 0 if xyz is the direction to an infinitely distant camera. */
  get eye(): Vector4 {
    if (this.#kind === 'perspective') return new Vector4(...this.#perspective.position, 1);
    return new Vector4(...this.#orthographic.position.clone().sub(this.#controls.target), 0);
  }

  /** The current view on a canvas of this size, in CSS pixels. */
  frame(width: number, height: number): CameraFrame {
    const { camera } = this;
    camera.updateMatrixWorld();
    const [right, up, toEye] = [0, 1, 2].map((column) => {
      const { x, y, z } = new Vector3().setFromMatrixColumn(camera.matrixWorld, column);
      return [x, y, z] as const;
    }) as [ScenePoint, ScenePoint, ScenePoint];
    const distance = camera.position.distanceTo(this.#controls.target);
    const halfHeightSeen = (this.#kind === 'perspective' ? halfHeight * distance : 1 / this.#orthographic.zoom) * this.#heights;
    const toScreen = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
    return {
      right,
      up,
      toEye,
      pixelsPerLength: height / 2 / halfHeightSeen,
      width,
      height,
      project: (place) => {
        const { x, y } = new Vector3(...place).applyMatrix4(toScreen);
        return [((x + 1) / 2) * width, ((1 - y) / 2) * height];
      },
      isAhead: (place) =>
        this.#kind === 'orthographic' ||
        new Vector3(...place).applyMatrix4(camera.matrixWorldInverse).z < -this.#perspective.near,
    };
  }

  get pose(): OrbitPose {
    const { target } = this.#controls;
    const { position, zoom } = this.camera;
    return { position: position.toArray(), target: target.toArray(), zoom, aspect: this.#poseAspect };
  }

  set pose({ position, target, zoom, aspect }: OrbitPose) {
    this.#poseAspect = aspect;
    this.#controls.target.set(...target);
    this.camera.position.set(...position);
    this.camera.zoom = zoom;
    this.#fit();
    this.#controls.update();
  }

  /**
   * A copy of the camera, optionally rotated about its target, for a picture of another aspect ratio. It belongs to the
   * caller.
   * @param turn degrees about an axis of the scene
   */
  posed(
    aspect: number,
    turn?: PictureRequest['turn'],
  ): {
    readonly camera: PerspectiveCamera | OrthographicCamera;
    readonly eye: Vector4;
    /** Half the visible height at the target. */
    readonly halfHeight: number;
  } {
    const { target } = this.#controls;
    const camera = this.camera.clone();
    if (turn) {
      const rotation = new Quaternion().setFromAxisAngle(turnAxes[turn.axis], MathUtils.degToRad(turn.degrees));
      camera.position.sub(target).applyQuaternion(rotation).add(target);
      camera.quaternion.premultiply(rotation);
    }
    // A narrower picture shows the whole width of the canvas too.
    camera.zoom *= Math.min(1, aspect / this.#aspect);
    if (camera instanceof PerspectiveCamera) camera.aspect = aspect;
    else {
      camera.left = -aspect * camera.top;
      camera.right = aspect * camera.top;
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    const isNear = camera instanceof PerspectiveCamera;
    const toEye = camera.position.clone().sub(target);
    const eye = isNear ? new Vector4(...camera.position, 1) : new Vector4(...toEye, 0);
    return { camera, eye, halfHeight: ((isNear ? halfHeight * toEye.length() : 1) * this.#heights) / camera.zoom };
  }

  use(kind: CameraKind): void {
    if (kind === this.#kind) return;
    const { target } = this.#controls;
    const offset = this.camera.position.clone().sub(target);
    const distance = offset.length();
    this.#kind = kind;
    if (kind === 'orthographic') {
      this.#orthographic.position.copy(this.#perspective.position);
      this.#orthographic.zoom = 1 / (halfHeight * distance);
    } else {
      const same = 1 / (halfHeight * this.#orthographic.zoom);
      this.#perspective.position.copy(target).addScaledVector(offset, same / distance);
    }
    this.#fit();
    this.#controls.object = this.camera;
    this.#controls.update();
  }

  resize(aspect: number): void {
    this.#aspect = aspect;
    this.#fit();
  }

  /**
   * Turns about the target to view from a direction, the short way, easing out.
   * @param turnMs duration; 0 turns at once
   */
  lookFrom(direction: ScenePoint, turnMs: number): void {
    this.#endTurn();
    const { target } = this.#controls;
    const from = new Spherical().setFromVector3(this.camera.position.clone().sub(target));
    const to = new Spherical().setFromVector3(new Vector3(...direction));
    // In a view straight from above or below, the depth axis of the front view is vertical.
    if (Math.hypot(direction[0], direction[2]) < 1e-6) to.theta = 0;
    const turn = MathUtils.euclideanModulo(to.theta - from.theta + Math.PI, 2 * Math.PI) - Math.PI;
    const show = (part: number): void => {
      const eased = 1 - (1 - part) ** 3;
      const phi = from.phi + eased * (to.phi - from.phi);
      const place = new Spherical(from.radius, phi, from.theta + eased * turn).makeSafe();
      this.camera.position.setFromSpherical(place).add(target);
      this.#controls.update();
      this.#onChange();
    };
    if (turnMs <= 0) {
      show(1);
      return;
    }
    let startMs: number | undefined;
    const step = (nowMs: number): void => {
      startMs ??= nowMs;
      const part = Math.min(1, (nowMs - startMs) / turnMs);
      this.#turnRequest = part < 1 ? requestAnimationFrame(step) : undefined;
      show(part);
    };
    this.#turnRequest = requestAnimationFrame(step);
  }

  /** Resets to the initial view, which shows all corners, with space for letters. */
  reset(corners: readonly Vector3[]): void {
    this.#endTurn();
    this.#poseAspect = this.#aspect;
    const distance = this.#fittingDistance(corners);
    this.#controls.target.set(0, 0, 0);
    this.#controls.maxDistance = 8 * distance;
    this.#controls.minZoom = 1 / (8 * distance * halfHeight);
    this.camera.position.copy(firstDirection).multiplyScalar(distance);
    this.#orthographic.zoom = 1 / (halfHeight * distance);
    this.#fit();
    this.#controls.update();
  }

  dispose(): void {
    this.#endTurn();
    // Without a canvas the controls have no listeners, and `dispose` would fail.
    if (this.#controls.domElement) this.#controls.dispose();
  }

  #endTurn(): void {
    if (this.#turnRequest !== undefined) cancelAnimationFrame(this.#turnRequest);
    this.#turnRequest = undefined;
  }

  /** The visible height relative to the pose's; more than 1 if the canvas is narrower. */
  get #heights(): number {
    return Math.max(1, this.#poseAspect / this.#aspect);
  }

  #fit(): void {
    const top = this.#heights;
    this.#perspective.fov = MathUtils.radToDeg(2 * Math.atan(halfHeight * top));
    this.#perspective.aspect = this.#aspect;
    const right = top * this.#aspect;
    Object.assign(this.#orthographic, { left: -right, right, top, bottom: -top });
    this.camera.updateProjectionMatrix();
  }

  /** The distance from which the perspective camera sees all corners in its initial direction. */
  #fittingDistance(corners: readonly Vector3[]): number {
    const up = halfHeight / 1.1;
    const right = new Vector3(0, 1, 0).cross(firstDirection).normalize();
    const above = firstDirection.clone().cross(right);
    const needed = corners.map((corner) => {
      const across = Math.max(Math.abs(corner.dot(above)), Math.abs(corner.dot(right)) / this.#aspect);
      return corner.dot(firstDirection) + across / up;
    });
    return Math.max(0.5, ...needed);
  }
}
