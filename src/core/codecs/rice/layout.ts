import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import type { ChunkGeometry, CodecElementBytes, CodecParameters } from '../codec.ts';

/** How a chunk is cut: SPEC.md, 'Bricks, blocks and groups'. Every brick has 64 groups of 64 elements where nothing clips it. */
export interface BrickGeometry {
  /** Coded by itself: found through the directory, decoded by one workgroup. */
  readonly brick: Dims3;
  /** What one predictor is chosen for. */
  readonly block: Dims3;
  /** What one code is chosen for. */
  readonly group: Dims3;
}

export const volumeGeometry: BrickGeometry = { brick: [16, 16, 16], block: [16, 16, 16], group: [4, 4, 4] };
export const pictureGeometry: BrickGeometry = { brick: [64, 64, 1], block: [32, 32, 1], group: [8, 8, 1] };

/** SPEC.md: 'one byte, the geometry: 0 is volume, 1 is picture.' @throws StriaError `corrupt` */
export function parseGeometry(parameters: CodecParameters): BrickGeometry {
  if (parameters.byteLength === 1 && parameters[0] === 0) return volumeGeometry;
  if (parameters.byteLength === 1 && parameters[0] === 1) return pictureGeometry;
  throw new StriaError('corrupt', `rice takes one parameter byte, 0 or 1; found [${[...parameters].join(', ')}]`);
}

/** Blocks in a brick that nothing clips: 1 in a volume, 4 in a picture. */
export function blocksPerBrick({ brick, block }: BrickGeometry): number {
  return (brick[0] / block[0]) * (brick[1] / block[1]) * (brick[2] / block[2]);
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

/** `whole` cut into parts of `shape`, clipped at its edges; x fastest, then y, then z. */
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

/** Indices of a part's elements in a box of `whole`, x fastest. */
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

/** Where a brick's blocks and groups have their elements. */
export interface BrickLayout {
  readonly count: number;
  readonly blocks: readonly BlockLayout[];
  /** For each group, its elements' indices in the brick. */
  readonly groups: readonly Uint32Array[];
}

interface BlockLayout {
  readonly extent: Dims3;
  /** Its elements' indices in the brick. */
  readonly indices: Uint32Array;
  /** For each of its groups, its elements' indices in the block. */
  readonly groups: readonly Uint32Array[];
}

/** Lays bricks out by their extents, each extent once: a chunk has eight at most. */
export function brickLayouts({ block, group }: BrickGeometry): (extent: Dims3) => BrickLayout {
  const known = new Map<string, BrickLayout>();
  const groupsOf = (extent: Dims3) => cut(extent, group).map((part) => indicesOf(part, extent));
  return (extent) => {
    const key = extent.join();
    const layout = known.get(key) ?? {
      count: extent[0] * extent[1] * extent[2],
      blocks: cut(extent, block).map((part) => ({
        extent: part.extent,
        indices: indicesOf(part, extent),
        groups: groupsOf(part.extent),
      })),
      groups: groupsOf(extent),
    };
    known.set(key, layout);
    return layout;
  };
}
