import { cross, dot, scaled, sum } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { CutPlane } from './cut-plane.ts';
import {
  affineColumns,
  type EdgeLetters,
  hasOrientation,
  type SliceFrame,
  safeSpacing,
  sceneEdges,
  sliceFrame,
} from './orientation.ts';
import { type CanvasToVoxel, type Point, pixelOf, reachInSight, type SliceCamera, type Voxel } from './slice-geometry.ts';
import type { ObliqueTilt } from './viewer-api.ts';

type Vector = Voxel;

/**
 * A plane with any orientation through the crosshair, on its canvas. Vectors have length 1 and are in world coordinates, in
 * `spatialUnit`.
 */
export interface ObliquePlane {
  readonly right: Vector;
  readonly down: Vector;
  readonly normal: Vector;
  readonly map: CanvasToVoxel;
  readonly crosshairPixel: Point;
  readonly letters: EdgeLetters | undefined;
}

export interface ObliquePlacement {
  readonly info: VolumeInfo;
  readonly tilt: ObliqueTilt;
  readonly crosshair: Voxel;
  readonly camera: SliceCamera;
  readonly width: number;
  readonly height: number;
  readonly margin: number;
}

/**
 * Places the oblique plane. Without turn and tilt it equals the slice across z. `turn` rotates it about the canvas's vertical
 * axis, then `tilt` about the horizontal one. The volume's centre, projected along the normal, is at the canvas's centre, so
 * moving the crosshair within the plane does not move the picture. Steps have the lengths that the affine gives, even if its
 * axes are not at right angles.
 */
export function placeOblique(placement: ObliquePlacement): ObliquePlane {
  const { info, tilt, crosshair, camera, width, height } = placement;
  const columns = columnsOf(info);
  const { right, down, normal } = turned(info, columns, tilt);
  const dims: Voxel = [info.dims[0], info.dims[1], info.dims[2]];
  const pixelsPerUnit = fittedObliquePixelsPerUnit(placement) * camera.zoom;
  // The vector from the volume's centre to the crosshair, in world coordinates.
  const away = toWorld(columns, [
    crosshair[0] + 0.5 - dims[0] / 2,
    crosshair[1] + 0.5 - dims[1] / 2,
    crosshair[2] + 0.5 - dims[2] / 2,
  ]);
  const [panX, panY] = camera.center ?? [0, 0];
  const center = sum(scaled(normal, dot(away, normal)), sum(scaled(right, panX), scaled(down, panY)));
  const inVoxels = inverse(columns);
  const step = (along: Vector): Voxel => scaled(toWorld(inVoxels, along), 1 / pixelsPerUnit);
  const [stepRight, stepDown] = [step(right), step(down)];
  const middle = sum(toWorld(inVoxels, center), [dims[0] / 2, dims[1] / 2, dims[2] / 2]);
  const origin = sum(middle, sum(scaled(stepRight, -width / 2), scaled(stepDown, -height / 2)));
  const fromCenter = sum(away, scaled(center, -1));
  return {
    right,
    down,
    normal,
    map: { origin, right: stepRight, down: stepDown, pixelsPerUnit },
    crosshairPixel: [width / 2 + dot(fromCenter, right) * pixelsPerUnit, height / 2 + dot(fromCenter, down) * pixelsPerUnit],
    letters: hasOrientation(info)
      ? {
          left: sideLetters(scaled(right, -1)),
          right: sideLetters(right),
          top: sideLetters(scaled(down, -1)),
          bottom: sideLetters(down),
        }
      : undefined,
  };
}

/** Canvas pixels per `spatialUnit` that fit the whole volume, projected along the normal: a zoom of 1. */
export function fittedObliquePixelsPerUnit(placement: Omit<ObliquePlacement, 'camera' | 'crosshair'>): number {
  const { width, height, margin } = placement;
  const [across, upright] = obliqueExtent(placement);
  return Math.min(Math.max(1, width - 2 * margin) / across, Math.max(1, height - 2 * margin) / upright);
}

/** The camera moved as little as needed to keep a part of the volume, projected along the normal, on the canvas. */
export function obliqueKeptInSight(placement: ObliquePlacement): SliceCamera {
  const { camera, width, height } = placement;
  if (!camera.center) return camera;
  const pixelsPerUnit = fittedObliquePixelsPerUnit(placement) * camera.zoom;
  const [across, upright] = obliqueExtent(placement);
  const along = (extent: number, canvasLength: number, pan: number): number => {
    const reach = reachInSight(extent * pixelsPerUnit, canvasLength) / pixelsPerUnit;
    return Math.min(reach, Math.max(-reach, pan));
  };
  const [x, y] = camera.center;
  const center = [along(across, width, x), along(upright, height, y)] as const;
  return center[0] === x && center[1] === y ? camera : { ...camera, center };
}

/** Extent of the volume projected along the normal, right and down on the canvas, in `spatialUnit`. */
function obliqueExtent({ info, tilt }: Pick<ObliquePlacement, 'info' | 'tilt'>): readonly [across: number, upright: number] {
  const columns = columnsOf(info);
  const { right, down } = turned(info, columns, tilt);
  const extent = (along: Vector): number =>
    columns.reduce((sum, column, axis) => sum + Math.abs(dot(column, along)) * (info.dims[axis] as number), 0);
  return [extent(right), extent(down)];
}

/** The plane's normal in world coordinates. */
export function obliqueNormal(info: VolumeInfo, tilt: ObliqueTilt): Vector {
  return turned(info, columnsOf(info), tilt).normal;
}

/** The plane in the 3D scene, whose origin is the volume's centre. */
export function obliqueInScene(info: VolumeInfo, tilt: ObliqueTilt, crosshair: Voxel): CutPlane {
  const normal = unit(carriedNormal(obliqueNormal(info, tilt), columnsOf(info), sceneSteps(info)));
  return { normal, offset: dot(normal, voxelInScene(info, crosshair)) };
}

/** A voxel's centre in the 3D scene. */
export function voxelInScene(info: VolumeInfo, voxel: Voxel): Vector {
  const [x, y, z] = voxel.map((at, axis) => at + 0.5 - (info.dims[axis] as number) / 2);
  return toWorld(sceneSteps(info), [x as number, y as number, z as number]);
}

/**
 * The turn and tilt that point the oblique slice's normal in a direction of the scene, in whole degrees: turn −180…180, tilt
 * −90…90. If the normal is vertical on the canvas, any turn would do, so the old one is kept.
 */
export function tiltTowards(info: VolumeInfo, normalInScene: Vector, before: ObliqueTilt): ObliqueTilt {
  const columns = columnsOf(info);
  const normal = unit(carriedNormal(normalInScene, sceneSteps(info), columns));
  const { first, second, third } = unturned(info, columns);
  const [across, upright, inwards] = [dot(normal, first), dot(normal, second), dot(normal, third)];
  const degrees = (radians: number): number => Math.round((radians * 180) / Math.PI) || 0;
  return {
    turn: Math.hypot(across, inwards) < 1e-3 ? before.turn : degrees(Math.atan2(-across, inwards)),
    tilt: degrees(-Math.asin(Math.min(1, Math.max(-1, upright)))),
  };
}

/** The camera after zooming with the point under `pixel` kept in place. */
export function zoomOblique(placement: ObliquePlacement, pixel: Point, zoom: number): SliceCamera {
  const [panX, panY] = placement.camera.center ?? [0, 0];
  const { pixelsPerUnit } = placeOblique(placement).map;
  const after = (pixelsPerUnit * zoom) / placement.camera.zoom;
  const shift = 1 / pixelsPerUnit - 1 / after;
  return { zoom, center: [panX + (pixel[0] - placement.width / 2) * shift, panY + (pixel[1] - placement.height / 2) * shift] };
}

/** The position `steps` of the shortest spacing along the plane's normal from the crosshair, in fractional voxels. */
export function alongNormal(info: VolumeInfo, normal: Vector, crosshair: Voxel, steps: number): Voxel {
  const length = steps * Math.min(...safeSpacing(info));
  return sum(crosshair, toWorld(inverse(columnsOf(info)), scaled(normal, length)));
}

/**
 * The line where the oblique plane cuts a slice through the same crosshair, across the whole canvas. Undefined if they are
 * the same plane.
 */
export function cutLine(
  info: VolumeInfo,
  normal: Vector,
  { map, frame, width, height, crosshair }: SliceOnCanvas,
): readonly [Point, Point] | undefined {
  const columns = columnsOf(info);
  const { right, down } = frame;
  // Moving along the line leaves the distance along the normal unchanged.
  const perPixel: Point = [
    dot(columns[right.axis], normal) * map.right[right.axis],
    dot(columns[down.axis], normal) * map.down[down.axis],
  ];
  const length = Math.hypot(...perPixel);
  if (length * map.pixelsPerUnit < 1e-3) return undefined;
  const reach = (width + height) / length;
  const [x, y] = pixelOf(map, frame, crosshair);
  const [dx, dy] = [-perPixel[1] * reach, perPixel[0] * reach];
  return [
    [x - dx, y - dy],
    [x + dx, y + dy],
  ];
}

/** A slice across an axis, as `cutLine` needs it. */
export interface SliceOnCanvas {
  readonly map: CanvasToVoxel;
  readonly frame: SliceFrame;
  readonly width: number;
  readonly height: number;
  readonly crosshair: Voxel;
}

/** The letters of the patient's sides nearest to a direction, the nearest first: `L`, or `LA` between two. */
export function sideLetters(direction: Vector): string {
  const sides = [
    ['R', 'L'],
    ['A', 'P'],
    ['S', 'I'],
  ] as const;
  return direction
    .map((part, axis) => ({ part: Math.abs(part), letter: sides[axis]?.[part < 0 ? 1 : 0] ?? '' }))
    .filter(({ part }) => part > 0.38)
    .sort((a, b) => b.part - a.part)
    .map(({ letter }) => letter)
    .join('');
}

type Columns = readonly [Vector, Vector, Vector];

function columnsOf(info: VolumeInfo): Columns {
  const [x, y, z] = safeSpacing(info);
  const columns = affineColumns(info) as Columns | undefined;
  return (
    columns ?? [
      [x, 0, 0],
      [0, y, 0],
      [0, 0, z],
    ]
  );
}

/** Steps from voxel to voxel in the 3D scene, along x, y and z. */
function sceneSteps(info: VolumeInfo): Columns {
  const [x, y, z] = sceneEdges(info).map((edge, axis) => scaled(edge, 1 / (info.dims[axis] as number)));
  return [x as Vector, y as Vector, z as Vector];
}

/** Transforms a plane's normal, of any length, to another space. @param from, to steps from voxel to voxel in the two spaces */
function carriedNormal(normal: Vector, from: Columns, to: Columns): Vector {
  const [a, b, c] = from;
  const along: Vector = [dot(a, normal), dot(b, normal), dot(c, normal)];
  const [x, y, z] = inverse(to);
  return [dot(x, along), dot(y, along), dot(z, along)];
}

/** The axes of the oblique rotation: right and down on its canvas, and into the screen. Unit vectors at right angles. */
function unturned(info: VolumeInfo, columns: Columns) {
  const frame = sliceFrame(info, 'z');
  const first = unit(scaled(columns[frame.right.axis], frame.right.sign));
  const along = scaled(columns[frame.down.axis], frame.down.sign);
  // Make `second` orthogonal even if the volume's axes are not at right angles.
  const second = unit(sum(along, scaled(first, -dot(along, first))));
  return { first, second, third: cross(first, second) };
}

function turned(info: VolumeInfo, columns: Columns, { turn, tilt }: ObliqueTilt) {
  const { first, second, third } = unturned(info, columns);
  const [a, b] = [(turn * Math.PI) / 180, (tilt * Math.PI) / 180];
  const right = sum(scaled(first, Math.cos(a)), scaled(third, Math.sin(a)));
  const across = cross(right, second);
  const down = sum(scaled(second, Math.cos(b)), scaled(across, Math.sin(b)));
  return { right, down, normal: cross(right, down) };
}

function inverse([a, b, c]: Columns): Columns {
  const determinant = dot(a, cross(b, c));
  const rows = [cross(b, c), cross(c, a), cross(a, b)].map((row) => scaled(row, 1 / determinant)) as [Vector, Vector, Vector];
  // The rows of the inverse, as columns.
  return [
    [rows[0][0], rows[1][0], rows[2][0]],
    [rows[0][1], rows[1][1], rows[2][1]],
    [rows[0][2], rows[1][2], rows[2][2]],
  ];
}

function toWorld([a, b, c]: Columns, [x, y, z]: Voxel): Vector {
  return sum(scaled(a, x), sum(scaled(b, y), scaled(c, z)));
}

function unit(vector: Vector): Vector {
  return scaled(vector, 1 / Math.hypot(...vector));
}
