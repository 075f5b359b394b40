import {
  BoxGeometry,
  BufferGeometry,
  type Camera,
  CanvasTexture,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Matrix4,
  Sprite,
  SpriteMaterial,
  Vector3,
  type Vector4,
} from 'three';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { acrossEdge, type BoxEdge, type BoxTick, isFacing, tickEdge, tickSteps, ticksAlong } from '../model/box-ticks.ts';
import { type AxisNumber, unitsPerLength } from '../model/orientation.ts';
import { lengthWords } from '../model/scale-bar.ts';
import type { BoxKind } from '../model/viewer-api.ts';

const color = 0x8a94a6;
/** The lengths of ticks and the distance of numbers, relative to the volume's longest edge. */
const [majorLength, minorLength, textDistance] = [0.024, 0.012, 0.055];
/** The size of a number's picture in pixels. */
const [textWidth, textHeight] = [192, 48];

/** The camera of a picture, and the size of its text. */
export interface SeenBy {
  /** The camera, whose matrices must be up to date. */
  readonly camera: Camera;
  /** The camera's position in the scene; w is 0 if xyz is the direction to an infinitely distant camera. */
  readonly eye: Vector4;
  /** The height of numbers as a fraction of the picture's height. */
  readonly textPart: number;
}

interface AxisTicks {
  readonly axis: AxisNumber;
  readonly ticks: readonly BoxTick[];
  readonly lines: LineSegments;
  readonly numbers: readonly { readonly at: number; readonly sprite: Sprite }[];
  /** The key of the edge that they are on. */
  edge: string;
}

/** The volume's box as thin lines, with ticks and numbers along three edges of its outline, which change as it turns. */
export class TickedBox {
  readonly object = new Group();
  readonly #info: VolumeInfo;
  readonly #edges: readonly Vector3[];
  readonly #cube: Matrix4;
  readonly #toCube: Matrix4;
  readonly #units: number;
  readonly #lineMaterial = new LineBasicMaterial({ color, transparent: true, opacity: 0.28, depthTest: false });
  readonly #tickMaterial = new LineBasicMaterial({ color, transparent: true, opacity: 0.8, depthTest: false });
  readonly #ticks = new Group();
  readonly #disposables: { dispose(): void }[];
  /** Created when first shown. */
  #axes: readonly AxisTicks[] | undefined;

  /** @param cube maps the volume's unit cube to the scene */
  constructor(info: VolumeInfo, edges: readonly Vector3[], cube: Matrix4) {
    this.#info = info;
    this.#edges = edges;
    this.#cube = cube;
    this.#toCube = cube.clone().invert();
    this.#units = unitsPerLength(info);
    const box = new BoxGeometry(1, 1, 1).translate(0.5, 0.5, 0.5);
    const geometry = new EdgesGeometry(box);
    box.dispose();
    const lines = new LineSegments(geometry, this.#lineMaterial);
    lines.matrixAutoUpdate = false;
    lines.matrix.copy(cube);
    this.object.add(lines, this.#ticks);
    this.#disposables = [geometry, this.#lineMaterial, this.#tickMaterial];
  }

  update(kind: BoxKind, { camera, eye, textPart }: SeenBy): void {
    this.object.visible = kind !== 'off';
    this.#ticks.visible = kind === 'ticks';
    if (kind !== 'ticks') return;
    const seen = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
    const inCube = eye.clone().applyMatrix4(this.#toCube);
    const project = (place: readonly [number, number, number]): readonly [number, number] => {
      const { x, y } = new Vector3(...place).applyMatrix4(this.#cube).applyMatrix4(seen);
      return [x, -y];
    };
    // Half the visible height at the depth of the volume's centre.
    const depth = -new Vector3().applyMatrix4(camera.matrixWorldInverse).z;
    const halfSeen = (eye.w > 0.5 ? Math.max(0.01, depth) : 1) / (camera.projectionMatrix.elements[5] as number);
    const height = 2 * halfSeen * textPart * (textHeight / 24);
    this.#axes ??= this.#makeAxes();
    for (const ticks of this.#axes) {
      const edge = tickEdge(ticks.axis, [inCube.x, inCube.y, inCube.z, inCube.w], project);
      ticks.lines.visible = edge !== undefined;
      for (const { sprite } of ticks.numbers) {
        sprite.visible = edge !== undefined;
        sprite.scale.set((height * textWidth) / textHeight, height, 1);
      }
      if (edge) this.#place(ticks, edge, this.#outwards(edge, inCube));
    }
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #makeAxes(): readonly AxisTicks[] {
    const steps = tickSteps(this.#units);
    return ([0, 1, 2] as const).map((axis) => {
      const length = (this.#edges[axis] as Vector3).length() * this.#units;
      const ticks = ticksAlong(length, steps);
      const lines = new LineSegments(new BufferGeometry(), this.#tickMaterial);
      lines.frustumCulled = false;
      const major = ticks.filter(({ isMajor }) => isMajor);
      const last = major.at(-1);
      const numbers = major.map(({ at }) => ({ at: at / length, sprite: this.#number(at, at === last?.at) }));
      this.#ticks.add(lines, ...numbers.map(({ sprite }) => sprite));
      this.#disposables.push(lines.geometry);
      return { axis, ticks: ticks.map((tick) => ({ ...tick, at: tick.at / length })), lines, numbers, edge: '' };
    });
  }

  /** @param hasUnit whether to show the unit, as the last number of an edge does */
  #number(at: number, hasUnit: boolean): Sprite {
    const words = lengthWords(at, this.#info.spatialUnit);
    const picture = new CanvasTexture(numberPicture(hasUnit ? words : (words.split('\u202f')[0] as string)));
    const material = new SpriteMaterial({ map: picture, depthTest: false, transparent: true, opacity: 0.85 });
    this.#disposables.push(picture, material);
    const sprite = new Sprite(material);
    sprite.renderOrder = 2;
    return sprite;
  }

  /** The outward direction in the plane of the visible side, as a unit vector of the scene. */
  #outwards(edge: BoxEdge, eye: Vector4): Vector3 {
    const across = acrossEdge(edge);
    // The side that faces away from the camera.
    const hidden = isFacing(across[0], edge.ends[0], [eye.x, eye.y, eye.z, eye.w]) ? 1 : 0;
    const normal = (this.#edges[across[hidden]] as Vector3).clone().normalize();
    return edge.ends[hidden] === 1 ? normal : normal.negate();
  }

  #place(ticks: AxisTicks, edge: BoxEdge, outwards: Vector3): void {
    const key = JSON.stringify([edge, outwards]);
    if (key === ticks.edge) return;
    ticks.edge = key;
    const across = acrossEdge(edge);
    const start = new Vector3();
    for (const [index, axis] of across.entries()) start.setComponent(axis, edge.ends[index] as number);
    start.applyMatrix4(this.#cube);
    const along = this.#edges[ticks.axis] as Vector3;
    const placeAt = (at: number, away: number): Vector3 =>
      start.clone().addScaledVector(along, at).addScaledVector(outwards, away);
    ticks.lines.geometry.setFromPoints(
      ticks.ticks.flatMap(({ at, isMajor }) => [placeAt(at, 0), placeAt(at, isMajor ? majorLength : minorLength)]),
    );
    for (const { at, sprite } of ticks.numbers) sprite.position.copy(placeAt(at, textDistance));
  }
}

function numberPicture(text: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = textWidth;
  canvas.height = textHeight;
  const context = canvas.getContext('2d');
  if (context) {
    context.font = '500 24px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = 5;
    context.lineJoin = 'round';
    context.strokeStyle = 'rgba(0, 0, 0, 0.7)';
    context.strokeText(text, textWidth / 2, textHeight / 2);
    context.fillStyle = '#c9cfda';
    context.fillText(text, textWidth / 2, textHeight / 2);
  }
  return canvas;
}
