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

/** What a group of chunks needs while it is encoded. The first three have a word for each element, and for each stand-in beside a row. */
export interface Scratch {
  readonly values: GPUBuffer;
  readonly predictions: GPUBuffer;
  /** Values with residuals. */
  readonly elements: GPUBuffer;
  readonly slots: GPUBuffer;
}

export function scratchFor(
  groups: readonly (readonly PartPlace[])[],
  elementBytes: GpuVoxels['elementBytes'],
  scope: GpuScope,
): Scratch {
  const most = (wordsOf: (part: PartPlace) => number) =>
    4 * Math.max(...groups.map((parts) => parts.reduce((sum, part) => sum + wordsOf(part), 0)));
  const words = most(scratchWordsOf);
  return {
    values: scope.reused('values', words),
    predictions: scope.reused('predictions', words),
    elements: scope.reused('elements', words),
    slots: scope.reused(
      'slots',
      most((part) => slotWordsOf(part, elementBytes) * part.extent[1]),
    ),
  };
}
