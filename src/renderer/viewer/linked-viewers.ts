import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { OrbitPose } from './model/orbit-camera.ts';
import { affineColumns, hasOrientation } from './model/orientation.ts';
import { clampVoxel, type SliceCamera, type Voxel } from './model/slice-geometry.ts';
import type { SliceAxis, ViewerSnapshot, ViewState } from './model/viewer-api.ts';

/** Where the views of a viewer stand: the slices by their axes, the oblique one, and the 3D view. What is not shown is left out. */
export type Viewpoints = Readonly<
  Partial<Record<SliceAxis | 'oblique', SliceCamera | undefined> & { '3d': OrbitPose | undefined }>
>;

/** What is linked; a `Viewer` is one. */
export interface Linkable {
  readonly snapshot: () => ViewerSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  readonly set: (change: Partial<ViewState>) => void;
  viewpoints(): Viewpoints;
  setViewpoints(viewpoints: Viewpoints): void;
  onDrawn(listener: () => void): () => void;
}

export interface Links {
  /** Crosshair, time point, cameras, clip planes. */
  readonly views: boolean;
  /** Window, colours, opacity, projection: how values look. */
  readonly values: boolean;
}

type Matrix = readonly (readonly [x: number, y: number, z: number])[];

/** The same place in another volume: by world coordinates where both have an orientation, else by the voxel's number. */
export function samePlace(from: VolumeInfo, to: VolumeInfo, voxel: Voxel): Voxel {
  const [x, y, z] = to.dims;
  const size: Voxel = [x, y, z];
  const world = hasOrientation(from) && hasOrientation(to) ? affineColumns(from) : undefined;
  const columns = affineColumns(to);
  if (!world || !columns || from.affine.every((value, at) => value === to.affine[at])) return clampVoxel(voxel, size);
  const shift = (info: VolumeInfo, axis: number): number => info.affine[4 * axis + 3] ?? 0;
  const at = [0, 1, 2].map((axis) => {
    const along = world.reduce((sum, column, index) => sum + (column[axis] ?? 0) * (voxel[index] ?? 0), shift(from, axis));
    return along - shift(to, axis);
  }) as unknown as Voxel;
  const found = solve(columns, at);
  // A voxel's number is that of its middle.
  return clampVoxel(found.map((value) => Math.floor(value + 0.5)) as unknown as Voxel, size);
}

/** x of `columns · x = target`, by Cramer's rule; the columns are independent. */
function solve(columns: Matrix, target: Voxel): Voxel {
  const determinant = (a: Voxel, b: Voxel, c: Voxel): number =>
    a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
  const [a, b, c] = columns as unknown as readonly [Voxel, Voxel, Voxel];
  const whole = determinant(a, b, c);
  return [determinant(target, b, c) / whole, determinant(a, target, c) / whole, determinant(a, b, target) / whole];
}

/** A stored value of one volume as the stored one of another that means the same. */
export function sameValue(from: VolumeInfo, to: VolumeInfo, stored: number): number {
  if (from.slope === to.slope && from.intercept === to.intercept) return stored;
  const slope = to.slope === 0 ? 1 : to.slope;
  return (from.slope * stored + from.intercept - to.intercept) / slope;
}

/** Whether two ranges of stored values mean about the same: each has at least half of what both span. */
export function areAlike(
  from: VolumeInfo,
  to: VolumeInfo,
  fromRange: readonly [number, number],
  toRange: readonly [number, number],
): boolean {
  const same = fromRange.map((value) => sameValue(from, to, value));
  const [low, high] = [Math.min(...same), Math.max(...same)];
  const shared = Math.min(high, toRange[1]) - Math.max(low, toRange[0]);
  return 2 * shared >= Math.max(high, toRange[1]) - Math.min(low, toRange[0]);
}

/** How values look; all others but the places are where they are seen from. */
const valueKeys: readonly string[] = [
  'window',
  'level',
  'colormap',
  'opacity',
  'projection',
  'attenuation',
  'lighting',
  'inverted',
  'outside',
];

/** What another viewer takes over from one, where `keys` of its state have changed. */
export function followed(
  from: VolumeInfo,
  to: VolumeInfo,
  state: ViewState,
  keys: readonly (keyof ViewState)[],
  links: Links,
): Partial<ViewState> {
  const change: Record<string, unknown> = {};
  for (const key of keys) {
    const isValue = valueKeys.includes(key);
    if (isValue ? !links.values : !links.views) continue;
    change[key] = state[key];
  }
  if ('crosshair' in change) change.crosshair = samePlace(from, to, state.crosshair);
  if ('window' in change) {
    const [low, high] = state.window.map((value) => sameValue(from, to, value)) as [number, number];
    change.window = low <= high ? [low, high] : [high, low];
  }
  if ('level' in change) change.level = sameValue(from, to, state.level);
  return change;
}

/** Slices' centres are in voxels: in a volume of another size the same part of it. */
export function sameViewpoints(from: VolumeInfo, to: VolumeInfo, viewpoints: Viewpoints): Viewpoints {
  if (from.dims.slice(0, 3).join() === to.dims.slice(0, 3).join()) return viewpoints;
  const made: Partial<Record<SliceAxis, SliceCamera>> = {};
  for (const [index, axis] of (['x', 'y', 'z'] as const).entries()) {
    const camera = viewpoints[axis];
    if (!camera) continue;
    const others = [0, 1, 2].filter((other) => other !== index);
    const [first = 1, second = 1] = others.map((other) => (to.dims[other] ?? 1) / (from.dims[other] ?? 1));
    made[axis] = camera.center ? { ...camera, center: [camera.center[0] * first, camera.center[1] * second] } : camera;
  }
  return { ...viewpoints, ...made };
}

/** Makes two viewers follow each other. What is linked is taken over from the first one at once. End it with `end`. */
export class LinkedViewers {
  readonly #sides: readonly [Side, Side];
  #links: Links;
  /** A change is being carried over: what comes of it is no change of its own. */
  #isCarrying = false;

  constructor(first: Linkable, second: Linkable, links: Links) {
    this.#links = links;
    const sideOf = (viewer: Linkable, other: () => Side): Side => ({
      viewer,
      state: viewer.snapshot().state,
      viewpoints: viewer.viewpoints(),
      ends: [
        viewer.subscribe(() => this.#onState(this.#side(viewer), other())),
        viewer.onDrawn(() => this.#onDrawn(this.#side(viewer), other())),
      ],
    });
    this.#sides = [sideOf(first, () => this.#sides[1]), sideOf(second, () => this.#sides[0])];
    this.#align();
  }

  get links(): Links {
    return this.#links;
  }

  set links(links: Links) {
    this.#links = links;
    this.#align();
  }

  end(): void {
    for (const side of this.#sides) for (const end of side.ends) end();
  }

  #side(viewer: Linkable): Side {
    return this.#sides[0].viewer === viewer ? this.#sides[0] : this.#sides[1];
  }

  /** The second one takes over all that is linked. */
  #align(): void {
    const [first, second] = this.#sides;
    this.#carry(first, second, Object.keys(first.viewer.snapshot().state) as (keyof ViewState)[]);
    this.#carryViewpoints(first, second);
  }

  #onState(side: Side, other: Side): void {
    const { state } = side.viewer.snapshot();
    if (this.#isCarrying || state === side.state) return;
    const keys = (Object.keys(state) as (keyof ViewState)[]).filter((key) => state[key] !== side.state[key]);
    this.#carry(side, other, keys);
  }

  #onDrawn(side: Side, other: Side): void {
    const viewpoints = side.viewer.viewpoints();
    if (!this.#links.views || JSON.stringify(viewpoints) === JSON.stringify(side.viewpoints)) return;
    // A view that has just come into the layout stands where it did at its start: it follows the first one's.
    const isSame = Object.keys(viewpoints).join() === Object.keys(side.viewpoints).join();
    if (isSame) this.#carryViewpoints(side, other);
    else this.#carryViewpoints(...this.#sides);
  }

  #carry(side: Side, other: Side, keys: readonly (keyof ViewState)[]): void {
    const from = side.viewer.snapshot();
    const to = other.viewer.snapshot();
    side.state = from.state;
    if (!from.info || !to.info) return;
    this.#isCarrying = true;
    try {
      other.viewer.set(followed(from.info, to.info, from.state, keys, this.#links));
    } finally {
      this.#isCarrying = false;
      other.state = other.viewer.snapshot().state;
    }
  }

  #carryViewpoints(side: Side, other: Side): void {
    const viewpoints = side.viewer.viewpoints();
    side.viewpoints = viewpoints;
    const [from, to] = [side.viewer.snapshot().info, other.viewer.snapshot().info];
    if (!from || !to || !this.#links.views) return;
    other.viewer.setViewpoints(sameViewpoints(from, to, viewpoints));
    other.viewpoints = other.viewer.viewpoints();
  }
}

interface Side {
  readonly viewer: Linkable;
  readonly ends: readonly (() => void)[];
  /** As they were when they were last carried over. */
  state: ViewState;
  viewpoints: Viewpoints;
}
