import type { AxisNumber, SliceFrame } from './orientation.ts';

export type Point = readonly [x: number, y: number];
export type Voxel = readonly [x: number, y: number, z: number];

/** Zoom and pan of a slice. A zoom of 1 fits it into its canvas. */
export interface SliceCamera {
  readonly zoom: number;
  /** The voxel position at the canvas's centre, along the frame's right and down axes. Undefined: the volume's centre. */
  readonly center: Point | undefined;
}

/** Everything that places a slice on a canvas. Canvas lengths are in its own pixels. */
export interface SlicePlacement {
  readonly frame: SliceFrame;
  /** Dimensions of the whole volume. */
  readonly dims: Voxel;
  readonly spacing: Voxel;
  readonly width: number;
  readonly height: number;
  /** The slice's index along the axis it cuts across. */
  readonly index: number;
  readonly camera: SliceCamera;
  /** Free margin around a fitted slice, in pixels. */
  readonly margin: number;
}

/** Voxel position = origin + right × pixel x + down × pixel y. Voxel i covers positions i to i + 1. */
export interface CanvasToVoxel {
  readonly origin: Voxel;
  readonly right: Voxel;
  readonly down: Voxel;
  /** Canvas pixels per unit of spacing. */
  readonly pixelsPerUnit: number;
}

/** A slice as it lies on the screen: its map and its size in CSS pixels. */
export interface SliceOnScreen {
  readonly map: CanvasToVoxel;
  readonly width: number;
  readonly height: number;
}

export const maxZoom = 200;
export const minZoom = 0.1;
/** The slice covers at least this fraction of the canvas's length. */
const leastInSight = 1 / 4;

/** Canvas pixels per unit of spacing for a fitted slice, at a zoom of 1. */
export function fittedPixelsPerUnit({ frame, dims, spacing, width, height, margin }: Omit<SlicePlacement, 'camera'>): number {
  const horizontal = frame.right.axis;
  const vertical = frame.down.axis;
  return Math.min(
    Math.max(1, width - 2 * margin) / (dims[horizontal] * spacing[horizontal]),
    Math.max(1, height - 2 * margin) / (dims[vertical] * spacing[vertical]),
  );
}

export function placeSlice(placement: SlicePlacement): CanvasToVoxel {
  const { frame, dims, spacing, width, height, camera, index } = placement;
  const horizontal = frame.right.axis;
  const vertical = frame.down.axis;
  const pixelsPerUnit = fittedPixelsPerUnit(placement) * camera.zoom;
  const [centerX, centerY] = camera.center ?? [dims[horizontal] / 2, dims[vertical] / 2];
  const stepX = frame.right.sign / (pixelsPerUnit * spacing[horizontal]);
  const stepY = frame.down.sign / (pixelsPerUnit * spacing[vertical]);
  const along = (axis: AxisNumber, value: number): Voxel => [
    axis === 0 ? value : 0,
    axis === 1 ? value : 0,
    axis === 2 ? value : 0,
  ];
  const origin: [number, number, number] = [0, 0, 0];
  origin[horizontal] = centerX - (stepX * width) / 2;
  origin[vertical] = centerY - (stepY * height) / 2;
  origin[frame.across] = index + 0.5;
  return { origin, right: along(horizontal, stepX), down: along(vertical, stepY), pixelsPerUnit };
}

/** The fractional voxel position under a canvas pixel, which may be outside the volume. */
export function positionAt({ origin, right, down }: CanvasToVoxel, [x, y]: Point): Voxel {
  const at = (axis: AxisNumber): number => origin[axis] + right[axis] * x + down[axis] * y;
  return [at(0), at(1), at(2)];
}

/** The canvas pixel of a voxel's centre. */
export function pixelOf(map: CanvasToVoxel, frame: SliceFrame, [x, y, z]: Voxel): Point {
  return pixelAt(map, frame, [x + 0.5, y + 0.5, z + 0.5]);
}

/** The canvas pixel of a voxel position, projected onto the slice. */
export function pixelAt(map: CanvasToVoxel, { right, down }: SliceFrame, position: Voxel): Point {
  const x = (position[right.axis] - map.origin[right.axis]) / map.right[right.axis];
  const y = (position[down.axis] - map.origin[down.axis]) / map.down[down.axis];
  return [x, y];
}

/** The voxel that contains a position, or undefined outside the volume. */
export function voxelAt(position: Voxel, dims: Voxel): Voxel | undefined {
  const voxel = position.map(Math.floor) as [number, number, number];
  return voxel.every((at, axis) => at >= 0 && at < (dims[axis] as number)) ? voxel : undefined;
}

/** The nearest voxel inside the volume. */
export function clampVoxel(position: Voxel, dims: Voxel): Voxel {
  const at = (axis: AxisNumber): number => Math.min(dims[axis] - 1, Math.max(0, Math.floor(position[axis])));
  return [at(0), at(1), at(2)];
}

/** The camera after zooming by `factor` with the position under `pixel` kept in place. */
export function zoomAt(placement: SlicePlacement, pixel: Point, factor: number): SliceCamera {
  const zoom = Math.min(maxZoom, Math.max(minZoom, placement.camera.zoom * factor));
  const before = positionAt(placeSlice(placement), pixel);
  const { frame, dims } = placement;
  const center = placement.camera.center ?? [dims[frame.right.axis] / 2, dims[frame.down.axis] / 2];
  const after = positionAt(placeSlice({ ...placement, camera: { zoom, center } }), pixel);
  const shift = (axis: AxisNumber): number => before[axis] - after[axis];
  return { zoom, center: [center[0] + shift(frame.right.axis), center[1] + shift(frame.down.axis)] };
}

/** The camera after panning by a distance in pixels. */
export function panBy(placement: SlicePlacement, [x, y]: Point): SliceCamera {
  const { frame, dims, camera } = placement;
  const { right, down } = placeSlice(placement);
  const center = camera.center ?? [dims[frame.right.axis] / 2, dims[frame.down.axis] / 2];
  return {
    zoom: camera.zoom,
    center: [center[0] - right[frame.right.axis] * x, center[1] - down[frame.down.axis] * y],
  };
}

/** The camera moved as little as needed to keep a part of the slice on the canvas, after panning, zooming or resizing. */
export function keptInSight(placement: SlicePlacement): SliceCamera {
  const { frame, dims, spacing, width, height, camera } = placement;
  if (!camera.center) return camera;
  const pixelsPerUnit = fittedPixelsPerUnit(placement) * camera.zoom;
  const along = (axis: AxisNumber, canvasLength: number, at: number): number => {
    const pixelsPerVoxel = pixelsPerUnit * spacing[axis];
    const reach = reachInSight(dims[axis] * pixelsPerVoxel, canvasLength) / pixelsPerVoxel;
    return dims[axis] / 2 + Math.min(reach, Math.max(-reach, at - dims[axis] / 2));
  };
  const [x, y] = camera.center;
  const center = [along(frame.right.axis, width, x), along(frame.down.axis, height, y)] as const;
  return center[0] === x && center[1] === y ? camera : { ...camera, center };
}

/**
 * The largest distance of a picture's centre from the canvas's centre, in pixels. @param length the picture's length along a
 * canvas edge
 */
export function reachInSight(length: number, canvasLength: number): number {
  return (length + canvasLength) / 2 - Math.min(length, leastInSight * canvasLength);
}
