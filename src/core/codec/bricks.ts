import type { Dims3 } from '../shared/volume.ts';
import type { ChunkGeometry, CodecElementBytes } from './codec.ts';

/** How a codec cuts a plane of a chunk: its SPEC.md, 'Bricks, blocks and groups'. */
export interface BrickGeometry {
  /** The unit that decodes independently, in one workgroup. */
  readonly brick: Dims3;
  /** The unit with one predictor. */
  readonly block: Dims3;
  /** The unit with one code. */
  readonly group: Dims3;
}

/** 'Elements of 4 bytes are two planes of 2 bytes: the low halves and the high halves.' */
export function planesOf(elementBytes: CodecElementBytes): { readonly planes: 1 | 2; readonly bits: 8 | 16 } {
  return { planes: elementBytes === 4 ? 2 : 1, bits: elementBytes === 1 ? 8 : 16 };
}

/** Bricks in a chunk. */
export function brickCount({ shape }: Pick<ChunkGeometry, 'shape'>, { brick }: BrickGeometry): number {
  return Math.ceil(shape[0] / brick[0]) * Math.ceil(shape[1] / brick[1]) * Math.ceil(shape[2] / brick[2]);
}

/** A box of elements inside another. */
export interface Part {
  readonly origin: Dims3;
  readonly extent: Dims3;
}

/** Cuts `whole` into parts of `shape`, clipped at its edges; x fastest, then y, then z. */
export function cut(whole: Dims3, shape: Dims3): Part[] {
  const parts: Part[] = [];
  for (let z = 0; z < whole[2]; z += shape[2]) {
    for (let y = 0; y < whole[1]; y += shape[1]) {
      for (let x = 0; x < whole[0]; x += shape[0]) {
        const extent: Dims3 = [
          Math.min(shape[0], whole[0] - x),
          Math.min(shape[1], whole[1] - y),
          Math.min(shape[2], whole[2] - z),
        ];
        parts.push({ origin: [x, y, z], extent });
      }
    }
  }
  return parts;
}

/** Indexes of a part's elements in a box of `whole`, x fastest. */
export function indicesOf({ origin, extent }: Part, whole: Dims3): Uint32Array {
  const indices = new Uint32Array(extent[0] * extent[1] * extent[2]);
  let i = 0;
  for (let z = origin[2]; z < origin[2] + extent[2]; z++) {
    for (let y = origin[1]; y < origin[1] + extent[1]; y++) {
      const first = (z * whole[1] + y) * whole[0] + origin[0];
      for (let index = first; index < first + extent[0]; index++) indices[i++] = index;
    }
  }
  return indices;
}
