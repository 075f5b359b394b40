import { scatterChunk } from '../chunks/boxes.ts';
import { decodeUnchecked } from '../chunks/decode-chunk.ts';
import { chunkBytes } from '../codec/batch.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { codecElementBytes, elementsPerVoxel } from '../format/chunk-grid.ts';
import { halve } from '../levels/halve.ts';
import { halvedDims } from '../levels/halved-dims.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext } from '../shared/errors.ts';
import { type Dims3, elementBytes, typedVoxels, type VoxelArray } from '../shared/volume.ts';
import type { HalveBlock, HalveTask } from './cpu-task.ts';

/**
 * The result of a task whose chunks are all constant, which needs no voxels; undefined otherwise. Its checksum is not computed.
 */
export function constantResult({ type, blocks }: HalveTask): EncodedChunk | undefined {
  const [first] = blocks;
  const element = first && constantElement(first, type);
  if (!element || !blocks.every((block) => isSame(constantElement(block, type), element))) return undefined;
  return { kind: 'constant', element, decodedChecksum: { sum: 0, cross: 0 } };
}

/** The voxels of a brick, from the chunks of the volume. @throws StriaError `corrupt`, `unsupported` in the context of a chunk */
export function halvedVoxels({ type, method, halvings, shape, blocks }: HalveTask): Uint8Array<ArrayBuffer> {
  const width = elementBytes(type);
  const perVoxel = elementsPerVoxel(type);
  const box = {
    bytes: new Uint8Array(shape[0] * shape[1] * shape[2] * width),
    dims: [shape[0] * perVoxel, shape[1], shape[2]] as const,
    elementBytes: codecElementBytes(type),
  };
  for (const block of blocks) {
    const element = constantElement(block, type);
    if (element?.every((byte) => byte === 0)) continue;
    let dims = block.shape;
    let voxels: VoxelArray = typedVoxels(type, decodedBlock(block, perVoxel, box.elementBytes));
    for (const steps of halvings) {
      voxels = halve(voxels, type, dims, steps, 1, method);
      dims = halvedDims(dims, steps);
    }
    const bytes = new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength);
    const origin: Dims3 = [block.to[0] * perVoxel, block.to[1], block.to[2]];
    scatterChunk(bytes, { origin, shape: [dims[0] * perVoxel, dims[1], dims[2]] }, box);
  }
  return box.bytes;
}

/** The voxels of a block: valid until the next chunk is decoded. */
function decodedBlock({ shape, parts }: HalveBlock, perVoxel: number, elementBytes: 1 | 2 | 4): Uint8Array {
  const dims: Dims3 = [shape[0] * perVoxel, shape[1], shape[2]];
  const whole = parts.length > 1 ? new Uint8Array(chunkBytes({ shape: dims, elementBytes })) : undefined;
  let decoded: Uint8Array = new Uint8Array(0);
  for (const part of parts) {
    try {
      decoded = decodeUnchecked(part.chunk, { shape: part.shape, elementBytes }, (byteLength) => new Uint8Array(byteLength));
    } catch (error) {
      throw inContext(chunkName(part.number), error);
    }
    if (whole) scatterChunk(decoded, part, { bytes: whole, dims, elementBytes });
  }
  return whole ?? decoded;
}

/**
 * The element of all voxels of a block before and after halving; undefined if they differ. The mean of equal floats need not be the same
 * one: rounding, or the sign of zero, may change it. So of floats only +0 counts.
 */
function constantElement({ parts }: HalveBlock, type: HalveTask['type']): Uint8Array | undefined {
  const chunk = parts[0]?.chunk;
  if (chunk?.kind !== 'constant') return undefined;
  const { element } = chunk;
  if (type.startsWith('f') && element.some((byte) => byte !== 0)) return undefined;
  const isAlike = parts.every((part) => part.chunk.kind === 'constant' && isSame(part.chunk.element, element));
  return isAlike ? element : undefined;
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && one.length === other.length && one.every((byte, at) => byte === other[at]);
}
