/** How long a stage took, and by which clock. */
export interface StageClock {
  readonly ms: number;
  readonly clock: 'GPU' | 'wall';
}

/** How many chunks took which way. */
export interface ChunkShare {
  /** A codec's name, or 'constant'. */
  readonly codec: string;
  /** The axis of its runs, where the codec has one. */
  readonly axis: 'x' | 'y' | 'z' | undefined;
  readonly count: number;
}

/** What the result card shows. */
export interface CompressionResult {
  /** Uncompressed voxels, in bytes. */
  readonly voxelBytes: number;
  /** The .stria file, in bytes. */
  readonly striaBytes: number;
  readonly shares: readonly ChunkShare[];
  readonly encode: StageClock | undefined;
  readonly decode: StageClock | undefined;
  /** Every chunk was decoded again and compared. */
  readonly exact: boolean;
  /** Where that was done. */
  readonly checkedOn: 'GPU' | 'CPU';
  /** GPU memory of the volume as voxels, and as compressed bytes; undefined where it was never in GPU memory. */
  readonly gpuBytes: { readonly before: number; readonly after: number } | undefined;
}

export function ratioOf(result: Pick<CompressionResult, 'voxelBytes' | 'striaBytes'>): number {
  return result.striaBytes === 0 ? 0 : result.voxelBytes / result.striaBytes;
}

/** `rle along z 87 %, constant 13 %`: the ways, most used first. */
export function describeShares(shares: readonly ChunkShare[]): string {
  const total = shares.reduce((sum, share) => sum + share.count, 0);
  return [...shares]
    .sort((a, b) => b.count - a.count)
    .map(({ codec, axis, count }) => {
      const way = axis ? `${codec} along ${axis}` : codec;
      if (count === total) return way;
      const percent = (100 * count) / total;
      return `${way} ${percent < 1 ? '< 1' : Math.round(percent)}\u202f%`;
    })
    .join(', ');
}
