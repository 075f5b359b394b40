import { chunkBytes } from '../../codec/batch.ts';
import type { ChunkGeometry, CodecParameters } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { brickEdge } from './walk.ts';

/** The kinds of bricks in the directory: SPEC.md, 'Payload'. */
export const brickKinds = { asBefore: 0, oneLabel: 1, coded: 2, raw: 3 } as const;

/** @throws StriaError `corrupt`: the codec has no parameters */
export function checkParameters(parameters: CodecParameters): void {
  if (parameters.byteLength === 0) return;
  throw new StriaError('corrupt', `labels takes no parameters; found [${[...parameters].join(', ')}]`);
}

/** Number of bricks in a chunk. */
export function brickCount({ shape }: Pick<ChunkGeometry, 'shape'>): number {
  return shape.reduce((count, length) => count * Math.ceil(length / brickEdge), 1);
}

/** Length of the directory in bytes: the width of the lengths, the kinds, and the lengths of coded bricks. */
export function directoryBytes(bricks: number, codedBricks: number, lengthBits: number): number {
  return 1 + Math.ceil(bricks / 4) + Math.ceil((codedBricks * lengthBits) / 8);
}

/** 'w is the number of binary digits of the longest coded brick's length' */
export function lengthBitsOf(longest: number): number {
  return 32 - Math.clz32(longest);
}

/** A coded brick is shorter than its elements, so a payload exceeds the voxels by at most the directory. */
export function payloadBound(chunk: ChunkGeometry): number {
  const bricks = brickCount(chunk);
  return chunkBytes(chunk) + directoryBytes(bricks, bricks, lengthBitsOf(brickEdge ** 3 * chunk.elementBytes - 1));
}

/** Calls `visit` with each brick of a chunk: x fastest, then y, then z. */
export function forEachBrick(shape: Dims3, visit: (origin: Dims3, extent: Dims3, number: number) => void): void {
  let number = 0;
  for (let z = 0; z < shape[2]; z += brickEdge) {
    for (let y = 0; y < shape[1]; y += brickEdge) {
      for (let x = 0; x < shape[0]; x += brickEdge) {
        const extent: Dims3 = [
          Math.min(brickEdge, shape[0] - x),
          Math.min(brickEdge, shape[1] - y),
          Math.min(brickEdge, shape[2] - z),
        ];
        visit([x, y, z], extent, number++);
      }
    }
  }
}
