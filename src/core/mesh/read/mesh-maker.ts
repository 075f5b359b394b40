import { StriaError } from '../../shared/errors.ts';
import { determinantOf, type Transform } from '../../transforms/transform.ts';
import { GrowingList, type Mesh } from '../mesh.ts';
import { mostTriangles } from './mesh-file.ts';

/** Collects what a file says about one mesh. Memory follows what is there, not what a header promises. */
export class MeshMaker {
  readonly #positions = new GrowingList((length) => new Float32Array(length));
  readonly #triangles = new GrowingList((length) => new Uint32Array(length));

  get cornerCount(): number {
    return this.#positions.length / 3;
  }

  get triangleCount(): number {
    return this.#triangles.length / 3;
  }

  /** @throws StriaError `corrupt` for what is not finite as a 32-bit float, `unsupported` for too many */
  addCorner(x: number, y: number, z: number): void {
    if (!(Math.abs(Math.fround(x) + Math.fround(y) + Math.fround(z)) < Number.POSITIVE_INFINITY))
      checkNumbers(x, y, z, this.cornerCount);
    if (this.cornerCount >= mostTriangles) throw tooLarge('corners');
    this.#positions.push(x, y, z);
  }

  /** Numbers of corners, which may come later. @throws StriaError `unsupported` for too many */
  addTriangle(a: number, b: number, c: number): void {
    if (this.triangleCount >= mostTriangles) throw tooLarge('triangles');
    const most = 0xffffffff;
    // Kept as 32-bit numbers, in which another number might be valid again.
    this.#triangles.push(a >= 0 && a <= most ? a : most, b >= 0 && b <= most ? b : most, c >= 0 && c <= most ? c : most);
  }

  /** A polygon as a fan of triangles. */
  addPolygon(corners: ArrayLike<number>): void {
    for (let at = 2; at < corners.length; at++)
      this.addTriangle(corners[0] as number, corners[at - 1] as number, corners[at] as number);
  }

  /** @param move where positions go @throws StriaError `corrupt` for a triangle that names a corner which is not there */
  finish(move?: Transform): Mesh {
    const positions = this.#positions.numbers();
    const triangles = this.#triangles.numbers();
    const count = this.cornerCount;
    for (let at = 0; at < triangles.length; at++) {
      if ((triangles[at] as number) >= count)
        throw new StriaError(
          'corrupt',
          `triangle ${Math.floor(at / 3) + 1} names a corner that the file lacks: it has ${count}. The file is damaged`,
        );
    }
    return move ? movedMesh({ positions, triangles }, move) : { positions, triangles };
  }
}

/** A fault for a file with more of something than `mostTriangles`. */
export function tooLarge(what: string): StriaError {
  return new StriaError(
    'unsupported',
    `the file has more than ${mostTriangles} ${what}. Reduce the mesh, for example with MeshLab`,
  );
}

function checkNumbers(x: number, y: number, z: number, corner: number): void {
  if ([x, y, z].every((value) => Number.isFinite(Math.fround(value)))) return;
  throw new StriaError(
    'corrupt',
    `corner ${corner + 1} has a coordinate that is not a number, or too large: the file is damaged`,
  );
}

/** A mesh at another place. What mirrors it turns its triangles, so that their outside stays outside. */
export function movedMesh({ positions, triangles }: Mesh, move: Transform): Mesh {
  const there = new Float32Array(positions.length);
  const part = (at: number): number => move[at] as number;
  for (let at = 0; at < positions.length; at += 3) {
    const [x, y, z] = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    for (let row = 0; row < 3; row++) {
      const value = part(4 * row) * x + part(4 * row + 1) * y + part(4 * row + 2) * z + part(4 * row + 3);
      there[at + row] = value;
      if (!Number.isFinite(there[at + row]))
        throw new StriaError('corrupt', 'the file moves a corner to a place that is not a number: it is damaged');
    }
  }
  if (determinantOf(move) >= 0) return { positions: there, triangles };
  const turned = triangles.slice();
  for (let at = 0; at < turned.length; at += 3) {
    turned[at + 1] = triangles[at + 2] as number;
    turned[at + 2] = triangles[at + 1] as number;
  }
  return { positions: there, triangles: turned };
}

/** Finds equal corners in files that repeat them for each triangle. */
export class SharedCorners {
  readonly #maker: MeshMaker;
  readonly #floats = new Float32Array(3);
  readonly #bits = new Uint32Array(this.#floats.buffer);
  #table = new Int32Array(1024).fill(-1);
  #known = new Uint32Array(3 * 512);

  constructor(maker: MeshMaker) {
    this.#maker = maker;
  }

  /** @returns the number of the corner */
  add(x: number, y: number, z: number): number {
    // Adding 0 turns −0 into 0.
    this.#floats[0] = x + 0;
    this.#floats[1] = y + 0;
    this.#floats[2] = z + 0;
    const [a, b, c] = this.#bits as unknown as [number, number, number];
    const count = this.#maker.cornerCount;
    if (2 * count >= this.#table.length) this.#grow();
    let slot = this.#slotOf(a, b, c);
    for (let found = this.#table[slot] as number; found >= 0; found = this.#table[slot] as number) {
      const at = 3 * found;
      if (this.#known[at] === a && this.#known[at + 1] === b && this.#known[at + 2] === c) return found;
      slot = (slot + 1) & (this.#table.length - 1);
    }
    this.#maker.addCorner(x, y, z);
    this.#known.set(this.#bits, 3 * count);
    this.#table[slot] = count;
    return count;
  }

  #slotOf(a: number, b: number, c: number): number {
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) & (this.#table.length - 1);
  }

  #grow(): void {
    const known = new Uint32Array(this.#known.length * 2);
    known.set(this.#known);
    this.#known = known;
    this.#table = new Int32Array(this.#table.length * 2).fill(-1);
    for (let corner = 0; corner < this.#maker.cornerCount; corner++) {
      const [a, b, c] = [known[3 * corner] as number, known[3 * corner + 1] as number, known[3 * corner + 2] as number];
      let slot = this.#slotOf(a, b, c);
      while ((this.#table[slot] as number) >= 0) slot = (slot + 1) & (this.#table.length - 1);
      this.#table[slot] = corner;
    }
  }
}
