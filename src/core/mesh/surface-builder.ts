import { cellEdges, cubeCases } from './cube-cases.ts';
import { GrowingList, type Mesh } from './mesh.ts';

/** Corners of triangles stay this far from voxels, in steps of the grid, so that no triangle collapses. */
const margin = 1e-3;

/** Where the level lies between the values of two voxels, from 0 to 1. Beside a voxel without a value: in the middle. */
export function placeBetween(from: number, to: number, level: number): number {
  const place = (level - from) / (to - from);
  if (!(place >= 0 && place <= 1)) return 0.5;
  return Math.min(Math.max(place, margin), 1 - margin);
}

interface Plane {
  /** The values of a plane with one more voxel on each side, which is outside. */
  readonly values: Float64Array;
  readonly inner: Uint8Array;
  /** The corner on the edge from a voxel along x or y. */
  readonly alongX: Int32Array;
  readonly alongY: Int32Array;
}

/** Of `Planes`. */
const bytesPerVoxel = 2 * (8 + 1 + 4 + 4) + 4;

interface Planes {
  below: Plane;
  above: Plane;
  /** The corner on the edge between both planes. */
  readonly alongZ: Int32Array;
}

/** Voxels of a plane: the first and the last along x and y. */
export interface PlaneExtent {
  readonly low: readonly [x: number, y: number];
  readonly high: readonly [x: number, y: number];
}

/**
 * The closed surface around all voxels whose values are at least `level`, by marching cubes, from one plane after another. Voxels
 * outside of the volume do not belong to it, so it is closed at the volume's ends, half a voxel beyond the last one. Positions are in
 * voxels. Needs memory for two planes and the mesh; between planes without such voxels only for the mesh.
 */
export class SurfaceBuilder {
  readonly #width: number;
  readonly #height: number;
  readonly #level: number;
  readonly #positions = new GrowingList((length) => new Float32Array(length));
  readonly #triangles = new GrowingList((length) => new Uint32Array(length));
  #planes: Planes | undefined;
  /** Where the last plane has values. Undefined: all of it is outside. */
  #box: PlaneExtent | undefined;
  #boxBelow: PlaneExtent | undefined;
  #z: number;

  /** What a builder of such planes takes besides its mesh, while planes have something inside. */
  static bytesFor(width: number, height: number): number {
    return (width + 2) * (height + 2) * bytesPerVoxel;
  }

  /** @param first the number of the first plane that is added */
  constructor(width: number, height: number, level: number, first = 0) {
    this.#width = width + 2;
    this.#height = height + 2;
    this.#level = level;
    this.#z = first - 1;
  }

  get triangleCount(): number {
    return this.#triangles.length / 3;
  }

  /**
   * Adds the next plane. Values that are not numbers are outside.
   * @param values width × height, x fastest @param box the part of the plane to read; all else is outside
   */
  add(values: ArrayLike<number>, box = this.#whole): void {
    this.#pass(values, box);
  }

  /** Adds a plane of which nothing is inside. */
  addNothing(): void {
    if (this.#box) this.#pass([], undefined);
    else this.#z++;
    this.#box = undefined;
    this.#boxBelow = undefined;
    this.#planes = undefined;
  }

  /** The surface. No more planes can be added. */
  finish(): Mesh {
    this.addNothing();
    return { positions: this.#positions.numbers(), triangles: this.#triangles.numbers() };
  }

  #pass(values: ArrayLike<number>, box: PlaneExtent | undefined): void {
    this.#z++;
    this.#planes ??= this.#newPlanes();
    const { above, below } = this.#planes;
    this.#clear(above, this.#boxBelow);
    if (box) this.#take(above, values, box);
    this.#march(this.#planes, joined(this.#box, box));
    this.#planes.above = below;
    this.#planes.below = above;
    this.#boxBelow = this.#box;
    this.#box = box;
  }

  #take({ values: padded, inner }: Plane, values: ArrayLike<number>, { low, high }: PlaneExtent): void {
    const width = this.#width - 2;
    for (let y = low[1]; y <= high[1]; y++) {
      const to = (y + 1) * this.#width + 1;
      for (let x = low[0]; x <= high[0]; x++) {
        const value = values[y * width + x] as number;
        padded[to + x] = value;
        inner[to + x] = value >= this.#level ? 1 : 0;
      }
    }
  }

  get #whole(): PlaneExtent {
    return { low: [0, 0], high: [this.#width - 3, this.#height - 3] };
  }

  #newPlanes(): Planes {
    const size = this.#width * this.#height;
    const plane = (): Plane => ({
      values: new Float64Array(size).fill(Number.NaN),
      inner: new Uint8Array(size),
      alongX: new Int32Array(size),
      alongY: new Int32Array(size),
    });
    return { below: plane(), above: plane(), alongZ: new Int32Array(size) };
  }

  #clear({ values, inner }: Plane, box: PlaneExtent | undefined): void {
    if (!box) return;
    for (let y = box.low[1]; y <= box.high[1]; y++) {
      const start = (y + 1) * this.#width + 1;
      values.fill(Number.NaN, start + box.low[0], start + box.high[0] + 1);
      inner.fill(0, start + box.low[0], start + box.high[0] + 1);
    }
  }

  /** Passes the layer of cells between the last plane and the new one, around a box in which all inner voxels of both lie. */
  #march(planes: Planes, { low, high }: PlaneExtent): void {
    const { below, above } = planes;
    const row = this.#width;
    for (let y = low[1]; y <= high[1] + 2; y++) {
      for (let at = y * row + low[0], end = y * row + high[0] + 2; at <= end; at++) this.#cut(planes, at, y);
    }
    for (let y = low[1]; y <= high[1] + 1; y++) {
      const start = y * row + low[0];
      let left = this.#cornersOf(below, above, start);
      for (let at = start; at <= y * row + high[0] + 1; at++) {
        const right = this.#cornersOf(below, above, at + 1);
        const inner = left | (right << 1);
        left = right;
        if (inner !== 0 && inner !== 255) this.#emit(planes, at, inner);
      }
    }
  }

  /** The four corners of a cell with x = 0, as bits of its case. */
  #cornersOf(below: Plane, above: Plane, at: number): number {
    const next = at + this.#width;
    return (
      (below.inner[at] as number) |
      ((below.inner[next] as number) << 2) |
      ((above.inner[at] as number) << 4) |
      ((above.inner[next] as number) << 6)
    );
  }

  /** Puts corners on the edges from the voxel `at` of the new plane along x and y, and on the one that leads to it along z. */
  #cut({ below, above, alongZ }: Planes, at: number, y: number): void {
    const row = this.#width;
    const { inner, values } = above;
    const own = inner[at];
    const isLastX = at === (y + 1) * row - 1;
    const isLastY = y === this.#height - 1;
    const z = this.#z;
    const x = at - y * row;
    if (!isLastX && own !== inner[at + 1]) {
      above.alongX[at] = this.#corner(x - 1 + this.#place(values[at], values[at + 1]), y - 1, z);
    }
    if (!isLastY && own !== inner[at + row]) {
      above.alongY[at] = this.#corner(x - 1, y - 1 + this.#place(values[at], values[at + row]), z);
    }
    if (own !== below.inner[at]) {
      alongZ[at] = this.#corner(x - 1, y - 1, z - 1 + this.#place(below.values[at], values[at]));
    }
  }

  #place(from = 0, to = 0): number {
    return placeBetween(from, to, this.#level);
  }

  #corner(x: number, y: number, z: number): number {
    const number = this.#positions.length / 3;
    this.#positions.push(x, y, z);
    return number;
  }

  #emit(planes: Planes, at: number, inner: number): void {
    const edges = cubeCases[inner] as readonly number[];
    for (let index = 0; index < edges.length; index += 3) {
      this.#triangles.push(
        this.#cornerOn(planes, at, edges[index] as number),
        this.#cornerOn(planes, at, edges[index + 1] as number),
        this.#cornerOn(planes, at, edges[index + 2] as number),
      );
    }
  }

  #cornerOn({ below, above, alongZ }: Planes, at: number, edge: number): number {
    const { corner, axis } = cellEdges[edge] as { corner: number; axis: number };
    const place = at + (corner & 1) + ((corner >> 1) & 1) * this.#width;
    if (axis === 2) return alongZ[place] as number;
    const plane = corner >> 2 === 0 ? below : above;
    return (axis === 0 ? plane.alongX : plane.alongY)[place] as number;
  }
}

/** A box around both. At least one is there. */
function joined(a: PlaneExtent | undefined, b: PlaneExtent | undefined): PlaneExtent {
  const [one, other] = [a ?? b, b ?? a] as [PlaneExtent, PlaneExtent];
  return {
    low: [Math.min(one.low[0], other.low[0]), Math.min(one.low[1], other.low[1])],
    high: [Math.max(one.high[0], other.high[0]), Math.max(one.high[1], other.high[1])],
  };
}
