import type { GpuVoxels } from '../../codec/codec.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { laneLimit, planeType } from './layout.ts';
import type { PartPlace } from './part-table.ts';

export function elementsOf({ extent }: PartPlace): number {
  return extent[0] * extent[1] * extent[2];
}

/** A row has a margin of two words on each side. */
export function scratchWordsOf({ extent }: PartPlace): number {
  return (extent[0] + 4) * extent[1] * extent[2];
}

export function slotWordsOf({ extent }: PartPlace, elementBytes: GpuVoxels['elementBytes']): number {
  return Math.ceil(laneLimit(extent, planeType(elementBytes).bits) / 4);
}

/** What a group of chunks needs while it is encoded: a word for each element, and for each stand-in beside a row. */
export interface Scratch {
  readonly values: GPUBuffer;
  readonly predictions: GPUBuffer;
  /** Values with residuals. Lanes replace them, and never need more words. */
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
