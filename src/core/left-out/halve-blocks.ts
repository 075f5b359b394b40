import { scatterChunk } from '../chunks/boxes.ts';
import { chunkBytes } from '../codec/batch.ts';
import type { ChunkGeometry } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { codecElementBytes, elementsPerVoxel } from '../format/chunk-grid.ts';
import { halve } from '../levels/halve.ts';
import { halvedDims } from '../levels/halved-dims.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext } from '../shared/errors.ts';
import { type Dims3, type ElementType, typedVoxels, type VoxelArray } from '../shared/volume.ts';
import type { LeftOutLevel } from './left-out-levels.ts';
import type { BlockPart } from './level-blocks.ts';

/** A block with its chunks. */
export interface LevelBlock {
  /** In voxels of the volume. */
  readonly shape: Dims3;
  readonly parts: readonly (BlockPart & { readonly chunk: EncodedChunk })[];
}

export type Halving = Pick<LeftOutLevel, 'halvings' | 'method'> & { readonly type: ElementType };

/**
 * The voxels of a block in the level.
 * @param decode its result needs to be valid only until the next call
 * @throws StriaError of `decode`, in the context of the chunk
 */
export function halvedBlock(
  { type, halvings, method }: Halving,
  { shape, parts }: LevelBlock,
  decode: (chunk: EncodedChunk, geometry: ChunkGeometry) => Uint8Array,
): Uint8Array<ArrayBuffer> {
  const elementBytes = codecElementBytes(type);
  let dims: Dims3 = [shape[0] * elementsPerVoxel(type), shape[1], shape[2]];
  const whole = parts.length > 1 ? new Uint8Array(chunkBytes({ shape: dims, elementBytes })) : undefined;
  let decoded: Uint8Array = new Uint8Array(0);
  for (const part of parts) {
    try {
      decoded = decode(part.chunk, { shape: part.shape, elementBytes });
    } catch (error) {
      throw inContext(chunkName(part.number), error);
    }
    if (whole) scatterChunk(decoded, part, { bytes: whole, dims, elementBytes });
  }
  let voxels: VoxelArray = typedVoxels(type, whole ?? decoded);
  dims = shape;
  for (const steps of halvings) {
    voxels = halve(voxels, type, dims, steps, 1, method);
    dims = halvedDims(dims, steps);
  }
  return new Uint8Array(voxels.buffer as ArrayBuffer, voxels.byteOffset, voxels.byteLength);
}

/**
 * The codec element of all voxels of a block, before and after halving; undefined if they differ, or may differ. The mean of equal floats
 * may be another one, by rounding or the sign of zero, so of floats only +0 counts.
 */
export function constantElement({ parts }: LevelBlock, type: ElementType): Uint8Array | undefined {
  const chunk = parts[0]?.chunk;
  if (chunk?.kind !== 'constant') return undefined;
  const { element } = chunk;
  if (type.startsWith('f') && element.some((byte) => byte !== 0)) return undefined;
  const isAlike = parts.every((part) => part.chunk.kind === 'constant' && isSameElement(part.chunk.element, element));
  return isAlike ? element : undefined;
}

export function isSameElement(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && one.length === other.length && one.every((byte, at) => byte === other[at]);
}
