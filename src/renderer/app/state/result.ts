import type { ChunkShare } from '../../../core/chunks/chunk-tally.ts';
import type { CompressReport } from '../../../core/stream/compress/compress-contract.ts';
import type { KernelTimes, StageSpan } from '../../../core/stream/stage-times.ts';

/** The duration of a stage, and the clock that timed it. */
export interface StageClock {
  readonly ms: number;
  readonly clock: 'GPU' | 'wall';
}

/** What the result card shows. Sizes in bytes. */
export interface CompressionResult {
  /** The uncompressed source: its voxels and headers. */
  readonly bytesIn: number;
  readonly voxelBytes: number;
  /** The .stria file. */
  readonly bytesOut: number;
  readonly shares: readonly ChunkShare[];
  readonly encode: StageClock | undefined;
  readonly decode: StageClock | undefined;
  /** Whether every chunk was decoded again on the GPU and compared bit by bit. Undefined if that was not done. */
  readonly isExact: boolean | undefined;
  /** When each stage ran, with display names. */
  readonly timeline: readonly StageSpan[];
  /**
   * GPU memory of the volume as voxels, and as these compressed bytes; undefined if it was never entirely in GPU memory, or if
   * GPU memory would use other codecs.
   */
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

/** The result for a volume that was compressed from its file, because it was only partly in GPU memory. */
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
 * The sum of the times of some kernels, or the wall-clock time if the device's clock is too coarse to see any of them.
 * @param counts whether a kernel's time counts, by its name
 * @param wallMs time of the same work on the host's clock, including copies to and from the GPU
 */
export function stageClock(times: KernelTimes | undefined, counts: (name: string) => boolean, wallMs: number): StageClock {
  const ms = Object.entries(times?.ms ?? {}).reduce((sum, [name, each]) => (counts(name) ? sum + each : sum), 0);
  return times?.clock === 'GPU' && ms > 0 ? { ms, clock: 'GPU' } : { ms: wallMs, clock: 'wall' };
}
