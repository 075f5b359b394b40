import { assertInBox, firstWordOf } from '../../codec/batch.ts';
import type { GpuChunk, GpuVoxels } from '../../codec/codec.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { blocksOf, checkParameters, planesOf } from './layout.ts';
import { packedTables } from './tables.ts';

/** The number of words of a `Part` in layout.wgsl. */
export const partWords = 20;

export interface PartPlace {
  readonly chunk: number;
  readonly extent: readonly [number, number, number];
  readonly firstWord: number;
  readonly plane: number;
  readonly number: number;
  readonly partCount: number;
}

/** The parts of all chunks, in order: chunk by chunk, block by block, plane by plane. */
export function partsOf(chunks: readonly GpuChunk[], box: GpuVoxels): PartPlace[] {
  return chunks.flatMap((chunk, index) => {
    assertInBox(chunk, box);
    checkParameters(chunk.parameters);
    const planes = planesOf(box.elementBytes);
    const blocks = blocksOf(chunk);
    return blocks.flatMap(({ origin, extent }, block) => {
      const at = chunk.origin.map((start, axis) => start + (origin[axis] as number)) as [number, number, number];
      const firstWord = firstWordOf(box, at);
      return Array.from({ length: planes }, (_, plane) => {
        return { chunk: index, extent, firstWord, plane, number: block * planes + plane, partCount: blocks.length * planes };
      });
    });
  });
}

export function tableBuffer(scope: GpuScope): GPUBuffer {
  const words = packedTables();
  return scope.storage('tables', words.byteLength, words);
}
