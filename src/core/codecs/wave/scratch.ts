import type { GpuVoxels } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { fitSums, sampleCount, tokenCosts } from './choose.ts';
import { laneCount, laneLimit, planeType } from './layout.ts';
import { signCells } from './model.ts';
import { type PartPlace, tableBuffer } from './part-table.ts';
import { levelCount, phaseCount, tokenCount } from './tables.ts';

/** Words for each part, as the shaders declare them. */
const perPart = {
  samples: 4 + sampleCount / 2,
  sums: 2 * 2 * fitSums,
  weights: 40,
  counts: 2 * signCells ** 2 + levelCount * phaseCount * tokenCount,
  codings: 88,
  lengths: laneCount,
  finished: 4 + 64 + laneCount,
} as const;

/** The number of words for a part's elements in rows with a margin of at least two words on each side, in whole quads. */
export function scratchWordsOf({ extent }: PartPlace): number {
  return 4 * Math.ceil((extent[0] + 4) / 4) * extent[1] * extent[2];
}

export function slotWordsOf({ extent }: PartPlace, elementBytes: GpuVoxels['elementBytes']): number {
  return Math.ceil(laneLimit(extent, planeType(elementBytes).bits) / 4);
}

/** The number of parts whose counts fit one binding. */
export function mostCounted({ maxBindingBytes }: Pick<Gpu, 'maxBindingBytes'>): number {
  return Math.floor(maxBindingBytes / (4 * perPart.counts));
}

/** Memory for encoding a group of chunks. */
export interface Scratch extends Readonly<Record<keyof typeof perPart, GPUBuffer>> {
  /** These three have a word for each element, and for each stand-in at the sides of rows. */
  readonly values: GPUBuffer;
  readonly predictions: GPUBuffer;
  /** Values with residuals. Later, lanes replace them, and never need more words. */
  readonly elements: GPUBuffer;
  readonly tables: GPUBuffer;
  readonly costs: GPUBuffer;
}

/** Memory for the largest of several groups, which use it one after another. */
export function scratchFor(
  gpu: Pick<Gpu, 'maxBindingBytes'>,
  groups: readonly { readonly parts: readonly PartPlace[] }[],
  scope: GpuScope,
): Scratch {
  let [words, count] = [0, 0];
  for (const { parts } of groups) {
    words = Math.max(
      words,
      parts.reduce((sum, part) => sum + scratchWordsOf(part), 0),
    );
    count = Math.max(count, parts.length);
  }
  const own = (name: keyof typeof perPart) => scope.reused(name, 4 * perPart[name] * count);
  const costs = Uint32Array.from(tokenCosts);
  return {
    values: scope.reused('values', 4 * words),
    predictions: scope.reused('predictions', 4 * words),
    elements: scope.reused('elements', 4 * words),
    samples: own('samples'),
    sums: own('sums'),
    weights: own('weights'),
    counts: scope.reused('counts', 4 * perPart.counts * Math.min(count, mostCounted(gpu))),
    codings: own('codings'),
    lengths: own('lengths'),
    finished: own('finished'),
    tables: tableBuffer(scope),
    costs: scope.storage('costs', costs.byteLength, costs),
  };
}
