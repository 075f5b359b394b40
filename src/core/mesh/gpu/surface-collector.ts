import { type ElementType, elementBytes } from '../../shared/volume.ts';
import { GrowingList, type Mesh } from '../mesh.ts';
import { placeBetween } from '../surface-builder.ts';

/** How the values of a surface at a level become physical ones. */
export interface LevelScale {
  readonly level: number;
  readonly type: ElementType;
  readonly slope: number;
  readonly intercept: number;
}

/** What the corners of a slab need to be placed. */
export interface SlabPlace {
  /** The number of the slab's first corner. */
  readonly base: number;
  readonly cornerCount: number;
  /** The plane of the volume that is plane 0 of the slab; −1 is outside. */
  readonly planeBelow: number;
}

interface Lists {
  readonly positions: GrowingList<Float32Array>;
  readonly triangles: GrowingList<Uint32Array>;
}

/** The corners of a slab: the surface of each, and its number among those of the surface. */
interface SlabCorners {
  readonly base: number;
  readonly surfaces: Uint16Array;
  readonly numbers: Uint32Array;
}

const noCorners: SlabCorners = { base: 0, surfaces: new Uint16Array(0), numbers: new Uint32Array(0) };

/** Words of a corner besides values. */
const plainWords = 2;

/** Words of a value. */
export function valueWords(type: ElementType): 1 | 2 {
  return elementBytes(type) === 8 ? 2 : 1;
}

/** Words of a corner: see shaders/mesh/corners.wgsl. */
export function cornerWords(scale: LevelScale | undefined): number {
  return plainWords + (scale ? 2 * valueWords(scale.type) : 0);
}

/**
 * Makes meshes of the corners and triangles that the GPU found, slab by slab. Corners and triangles of a surface have the order that
 * `SurfaceBuilder` gives them, and the same positions, bit for bit.
 */
export class SurfaceCollector {
  readonly #dims: readonly [width: number, height: number, depth: number];
  readonly #scale: LevelScale | undefined;
  readonly #surfaces: Lists[] = [];
  #below = noCorners;
  #corners = noCorners;
  #planeBelow = 0;
  #taken = 0;

  /** @param scale of the only surface; undefined: surfaces are those of labels, which lie halfway between voxels */
  constructor(dims: readonly [width: number, height: number, depth: number], scale: LevelScale | undefined) {
    this.#dims = dims;
    this.#scale = scale;
  }

  /** A slab's corners follow, all of them, then its triangles. */
  beginSlab({ base, cornerCount, planeBelow }: SlabPlace): void {
    this.#planeBelow = planeBelow;
    this.#taken = 0;
    if (this.#scale) return;
    this.#below = this.#corners;
    this.#corners = { base, surfaces: new Uint16Array(cornerCount), numbers: new Uint32Array(cornerCount) };
  }

  takeCorners(words: Uint32Array): void {
    const [width, height] = this.#dims;
    // With a voxel outside on each side.
    const [row, rows] = [width + 2, height + 2];
    const values = this.#scale && typedWords(this.#scale.type, words);
    const perCorner = cornerWords(this.#scale);
    for (let at = 0; at < words.length; at += perCorner) {
      const owner = words[at] as number;
      const kind = words[at + 1] as number;
      const surface = (kind >>> 2) - 1;
      const axis = kind & 3;
      const line = Math.floor(owner / row);
      const plane = Math.floor(line / rows);
      const [x, y] = [owner - line * row - 1, line - plane * rows - 1];
      const z = this.#planeBelow + plane - (axis === 2 ? 1 : 0);
      const { positions } = this.#listsOf(surface);
      if (!values) {
        this.#corners.surfaces[this.#taken] = surface;
        this.#corners.numbers[this.#taken] = positions.length / 3;
        this.#taken++;
      }
      const along = axis === 0 ? x : axis === 1 ? y : z;
      const isInside = along >= 0 && along < (this.#dims[axis] as number) - 1;
      // At the ends of the volume there is no value beyond the last voxel.
      const place = values && isInside ? this.#placeAt(values, at) : 0.5;
      positions.push(axis === 0 ? x + place : x, axis === 1 ? y + place : y, axis === 2 ? z + place : z);
    }
  }

  /** @param corners three numbers for each triangle */
  takeTriangles(corners: Uint32Array): void {
    if (this.#scale) {
      this.#listsOf(0).triangles.append(corners);
      return;
    }
    for (let at = 0; at < corners.length; at += 3) {
      const first = corners[at] as number;
      const { base, surfaces } = first >= this.#corners.base ? this.#corners : this.#below;
      const { triangles } = this.#listsOf(surfaces[first - base] as number);
      triangles.push(this.#numberOf(first), this.#numberOf(corners[at + 1] as number), this.#numberOf(corners[at + 2] as number));
    }
  }

  /** The mesh of a surface, in voxels, counted from 0. */
  finish(surface: number): Mesh {
    const { positions, triangles } = this.#listsOf(surface);
    return { positions: positions.numbers(), triangles: triangles.numbers() };
  }

  /** @param at the corner's first word */
  #placeAt(values: ArrayLike<number>, at: number): number {
    const { level, type, slope, intercept } = this.#scale as LevelScale;
    const first = (at + plainWords) / valueWords(type);
    return placeBetween(slope * (values[first] as number) + intercept, slope * (values[first + 1] as number) + intercept, level);
  }

  #numberOf(corner: number): number {
    const { base, numbers } = corner >= this.#corners.base ? this.#corners : this.#below;
    return numbers[corner - base] as number;
  }

  #listsOf(surface: number): Lists {
    const known = this.#surfaces[surface];
    if (known) return known;
    const lists = {
      positions: new GrowingList<Float32Array>((length) => new Float32Array(length)),
      triangles: new GrowingList<Uint32Array>((length) => new Uint32Array(length)),
    };
    this.#surfaces[surface] = lists;
    return lists;
  }
}

/** The words as stored values: integers were extended to 32 bits. */
function typedWords(type: ElementType, { buffer, byteOffset, byteLength }: Uint32Array): ArrayLike<number> {
  if (type === 'f64') return new Float64Array(buffer, byteOffset, byteLength / 8);
  if (type === 'f32') return new Float32Array(buffer, byteOffset, byteLength / 4);
  return type.startsWith('u')
    ? new Uint32Array(buffer, byteOffset, byteLength / 4)
    : new Int32Array(buffer, byteOffset, byteLength / 4);
}
