import type { ChunkShare } from '../../core/engine/chunk-tally.ts';
import type { KernelTimes } from '../../core/engine/stage-times.ts';
import { thinSpace } from './units.ts';

/** How long a stage took, and by which clock. */
export interface StageClock {
  readonly ms: number;
  readonly clock: 'GPU' | 'wall';
}

/** What the result card shows. Sizes in bytes. */
export interface CompressionResult {
  /** The source uncompressed: its voxels, and its headers. */
  readonly bytesIn: number;
  readonly voxelBytes: number;
  /** The .stria file. */
  readonly bytesOut: number;
  readonly shares: readonly ChunkShare[];
  readonly encode: StageClock | undefined;
  readonly decode: StageClock | undefined;
  /** Every chunk was decoded again on the GPU and every bit compared. Undefined: that was not done. */
  readonly isExact: boolean | undefined;
  /** GPU memory of the volume as voxels, and as compressed bytes; undefined where it was never wholly in GPU memory. */
  readonly gpuBytes: { readonly before: number; readonly after: number } | undefined;
}

export function ratioOf(sizes: Pick<CompressionResult, 'bytesIn' | 'bytesOut'>): number {
  return sizes.bytesOut === 0 ? 0 : sizes.bytesIn / sizes.bytesOut;
}

const noBreak = '\u00a0';

/** `rle along z 87 %, constant 13 %`: what chunks became, most used first. */
export function describeShares(shares: readonly ChunkShare[]): string {
  const total = shares.reduce((sum, share) => sum + share.count, 0);
  return [...shares]
    .sort((a, b) => b.count - a.count)
    .map(({ codec, axis, count }) => {
      const way = axis ? `${codec}${noBreak}along${noBreak}${axis}` : codec;
      if (count === total) return way;
      const percent = (100 * count) / total;
      return `${way}${noBreak}${percent < 1 ? `<${thinSpace}1` : Math.round(percent)}${thinSpace}%`;
    })
    .join(', ');
}

/**
 * The sum of some kernels' times. Where the device's clock is too coarse to see any of them, the wall's.
 * @param counts whether a kernel's time is a part of it, by its name
 * @param wallMs the same work on the host's clock, copies to and from the GPU included
 */
export function stageClock(times: KernelTimes | undefined, counts: (name: string) => boolean, wallMs: number): StageClock {
  const ms = Object.entries(times?.ms ?? {}).reduce((sum, [name, each]) => (counts(name) ? sum + each : sum), 0);
  return times?.clock === 'GPU' && ms > 0 ? { ms, clock: 'GPU' } : { ms: wallMs, clock: 'wall' };
}
