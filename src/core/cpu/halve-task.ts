import { scatterChunk } from '../chunks/boxes.ts';
import { decodeUnchecked } from '../chunks/decode-chunk.ts';
import { chunkBytes } from '../codec/batch.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import { constantElement, halvedBlock } from '../left-out/halve-blocks.ts';
import type { HalveTask } from './cpu-task.ts';

/** The voxels of a brick, from the chunks of the volume. @throws StriaError `corrupt`, `unsupported` in the context of a chunk */
export function halvedVoxels(task: HalveTask): Uint8Array<ArrayBuffer> {
  const { type, shape, blocks } = task;
  const elementBytes = codecElementBytes(type);
  const box = { bytes: new Uint8Array(chunkBytes({ shape, elementBytes })), dims: shape, elementBytes };
  for (const block of blocks) {
    const element = constantElement(block, type);
    if (element?.every((byte) => byte === 0)) continue;
    // Payloads have been compared with their checksums, as those of bricks that the GPU decodes.
    const voxels = halvedBlock(task, block, (chunk, geometry) => {
      return decodeUnchecked(chunk, geometry, (byteLength) => new Uint8Array(byteLength));
    });
    scatterChunk(voxels, block.to, box);
  }
  return box.bytes;
}
