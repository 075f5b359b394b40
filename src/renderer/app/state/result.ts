import type { ChunkShare } from '../../../core/chunks/chunk-tally.ts';
import type { CompressReport } from '../../../core/stream/compress.ts';
import type { KernelTimes, StageSpan } from '../../../core/stream/stage-times.ts';

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
  /** When each stage went on, by names for people. */
  readonly timeline: readonly StageSpan[];
  /** GPU memory of the volume as voxels, and as compressed bytes; undefined where it was never wholly in GPU memory. */
  readonly gpuBytes: { readonly before: number; readonly after: number } | undefined;
}

const stageNames = {
  read: 'Read',
  upload: 'Upload',
  analyze: 'Analyse',
  encode: 'Encode',
  readback: 'Read back',
  write: 'Write',
  save: 'Save',
} as const;

/** Of a volume that was compressed from its file: the GPU held none of it for long. */
export function streamedResult({ bytesIn, bytesOut, voxelBytes, chunks, timesMs, timeline }: CompressReport): CompressionResult {
  return {
    bytesIn,
    bytesOut,
    voxelBytes,
    shares: chunks,
    encode: { ms: timesMs.encode, clock: 'wall' },
    decode: undefined,
    isExact: undefined,
    timeline: timeline.map((span) => ({ ...span, stage: stageNames[span.stage] })),
    gpuBytes: undefined,
  };
}

export function ratioOf(sizes: Pick<CompressionResult, 'bytesIn' | 'bytesOut'>): number {
  return sizes.bytesOut === 0 ? 0 : sizes.bytesIn / sizes.bytesOut;
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
