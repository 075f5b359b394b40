import { cellEdges, cubeCases } from './cube-cases.ts';
import { GrowingList, type Mesh } from './mesh.ts';

/** Corners of triangles stay this far from voxels, in steps of the grid, so that no triangle collapses. */
const margin = 1e-3;

interface Plane {
  /** The values of a plane with one more voxel on each side, which is outside. */
  readonly values: Float64Array;
  readonly inner: Uint8Array;
  /** The corner on the edge from a voxel along x or y. */
  readonly alongX: Int32Array;
  readonly alongY: Int32Array;
}

/**
 * The closed surface around all voxels whose values are at least `level`, by marching cubes, from one plane after another. Voxels
 * outside of the volume do not belong to it, so it is closed at the volume's ends, half a voxel beyond the last one. Positions are in
 * voxels. Needs memory for two planes and the mesh.
 */
export class SurfaceBuilder {
  readonly #width: number;
  readonly #height: number;
  readonly #level: number;
  readonly #positions = new GrowingList((length) => new Float32Array(length));
  readonly #triangles = new GrowingList((length) => new Uint32Array(length));
  readonly #alongZ: Int32Array;
  #below: Plane;
  #above: Plane;
  #z = -1;

  constructor(width: number, height: number, level: number) {
    this.#width = width + 2;
    this.#height = height + 2;
    this.#level = level;
    const size = this.#width * this.#height;
    const plane = (): Plane => ({
      values: new Float64Array(size).fill(Number.NaN),
      inner: new Uint8Array(size),
      alongX: new Int32Array(size),
      alongY: new Int32Array(size),
    });
    this.#below = plane();
    this.#above = plane();
    this.#alongZ = new Int32Array(size);
  }

  get triangleCount(): number {
    return this.#triangles.length / 3;
  }

  /** Adds the next plane: width × height values, x fastest. Values that are not numbers are outside. */
  add(values: ArrayLike<number>): void {
    const { values: padded, inner } = this.#above;
    const width = this.#width - 2;
    for (let y = 0; y < this.#height - 2; y++) {
      const to = (y + 1) * this.#width + 1;
      const from = y * width;
      for (let x = 0; x < width; x++) {
        const value = values[from + x] as number;
        padded[to + x] = value;
        inner[to + x] = value >= this.#level ? 1 : 0;
      }
    }
    this.#march();
  }

  /** The surface. No more planes can be added. */
  finish(): Mesh {
    this.#above.values.fill(Number.NaN);
    this.#above.inner.fill(0);
    this.#march();
    return { positions: this.#positions.numbers(), triangles: this.#triangles.numbers() };
  }

  /** Passes the layer of cells between the last plane and the new one. */
  #march(): void {
    this.#z++;
    const [below, above] = [this.#below, this.#above];
    const row = this.#width;
    for (let y = 0; y < this.#height; y++) {
      for (let at = y * row, end = at + row; at < end; at++) this.#cut(below, above, at, y);
    }
    for (let y = 0; y < this.#height - 1; y++) {
      const start = y * row;
      let left = this.#cornersOf(below, above, start);
      for (let at = start; at < start + row - 1; at++) {
        const right = this.#cornersOf(below, above, at + 1);
        const inner = left | (right << 1);
        left = right;
        if (inner !== 0 && inner !== 255) this.#emit(below, above, at, inner);
      }
    }
    this.#below = above;
    this.#above = below;
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
  #cut(below: Plane, above: Plane, at: number, y: number): void {
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
      this.#alongZ[at] = this.#corner(x - 1, y - 1, z - 1 + this.#place(below.values[at], values[at]));
    }
  }

  /** Where the level lies between two values, from 0 to 1. Beside a voxel without a value: in the middle. */
  #place(from = 0, to = 0): number {
    const place = (this.#level - from) / (to - from);
    if (!(place >= 0 && place <= 1)) return 0.5;
    return Math.min(Math.max(place, margin), 1 - margin);
  }

  #corner(x: number, y: number, z: number): number {
    const number = this.#positions.length / 3;
    this.#positions.push(x, y, z);
    return number;
  }

  #emit(below: Plane, above: Plane, at: number, inner: number): void {
    const edges = cubeCases[inner] as readonly number[];
    for (let index = 0; index < edges.length; index += 3) {
      this.#triangles.push(
        this.#cornerOn(below, above, at, edges[index] as number),
        this.#cornerOn(below, above, at, edges[index + 1] as number),
        this.#cornerOn(below, above, at, edges[index + 2] as number),
      );
    }
  }

  #cornerOn(below: Plane, above: Plane, at: number, edge: number): number {
    const { corner, axis } = cellEdges[edge] as { corner: number; axis: number };
    const place = at + (corner & 1) + ((corner >> 1) & 1) * this.#width;
    if (axis === 2) return this.#alongZ[place] as number;
    const plane = corner >> 2 === 0 ? below : above;
    return (axis === 0 ? plane.alongX : plane.alongY)[place] as number;
  }
}
