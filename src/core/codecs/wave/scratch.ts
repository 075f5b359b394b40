import type { GpuVoxels } from '../../codec/codec.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { laneLimit, planeType } from './layout.ts';
import type { PartPlace } from './part-table.ts';

export function elementsOf({ extent }: PartPlace): number {
  return extent[0] * extent[1] * extent[2];
}

/** The number of words for a part's elements in rows with a margin of at least two words on each side, in whole quads. */
export function scratchWordsOf({ extent }: PartPlace): number {
  return 4 * Math.ceil((extent[0] + 4) / 4) * extent[1] * extent[2];
}

export function slotWordsOf({ extent }: PartPlace, elementBytes: GpuVoxels['elementBytes']): number {
  return Math.ceil(laneLimit(extent, planeType(elementBytes).bits) / 4);
}

/** Scratch memory for encoding a group of chunks: a word for each element, and for each stand-in at the sides of rows. */
export interface Scratch {
  readonly values: GPUBuffer;
  readonly predictions: GPUBuffer;
  /** Values with residuals. Later, lanes replace them, and never need more words. */
  readonly elements: GPUBuffer;
}

export function scratchFor(groups: readonly (readonly PartPlace[])[], scope: GpuScope): Scratch {
  const bytes = 4 * Math.max(...groups.map((parts) => parts.reduce((sum, part) => sum + scratchWordsOf(part), 0)));
  return {
    values: scope.reused('values', bytes),
    predictions: scope.reused('predictions', bytes),
    elements: scope.reused('elements', bytes),
  };
}
