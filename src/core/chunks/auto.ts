import { chunkBytes } from '../codec/batch.ts';
import type { ChunkGeometry, ChunkStatistics, ChunkSurvey, CodecDefinition, CodecOptions, Preference } from '../codec/codec.ts';
import { codecs } from '../codecs/registry.ts';
import type { ChosenChain } from './chosen-codec.ts';

/** Stands behind codecs that expect to gain by it: the registry's first codec that may be second in a chain. */
const entropyCoder: CodecDefinition | undefined = codecs.find(({ decodedLength }) => decodedLength !== undefined);

/**
 * What speed is worth, in GB/s: a codec that is so fast counts as if it made twice the bytes, one ten times as fast a tenth
 * more; but never more than `most` of its bytes. With 'size' bytes alone count. 'balanced' gives up to 4.5 % for `rice` in the place
 * of `predict+huffman`, and an eighth, no more, for any speed.
 */
const speedWeights: Readonly<Record<Preference, { readonly weight: number; readonly most: number }>> = {
  size: { weight: 0, most: 0 },
  balanced: { weight: 5, most: 0.13 },
  speed: { weight: 100, most: Number.POSITIVE_INFINITY },
};

/** A way to encode a chunk, and what it promises. */
export interface Candidate extends ChosenChain {
  /** Estimated size in bytes. */
  readonly bytes: number;
  /** Bytes, and more where it is slow. */
  readonly cost: number;
}

/**
 * Every codec that takes such elements, alone and with the entropy coder behind it, the most promising first; on a tie in
 * the registry's order. GPU and CPU rank alike: they come to the same statistics, and here is the one place that weighs them.
 */
export function rank(surveyed: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry, options: CodecOptions): Candidate[] {
  const voxelBytes = chunkBytes(chunk);
  const prefer = options.prefer ?? 'balanced';
  // Who asks for most effort asks for size.
  const { weight, most } = speedWeights[prefer === 'balanced' && options.effort === 'max' ? 'size' : prefer];
  const candidate = (chain: ChosenChain, estimate: number): Candidate => {
    const bytes = Math.min(Math.ceil(estimate), voxelBytes);
    const { codec, second } = chain;
    const slowness = 1 / codec.gigabytesPerSecond + (second ? 1 / second.gigabytesPerSecond : 0);
    return { ...chain, bytes, cost: bytes * (1 + Math.min(most, weight * slowness)) };
  };
  return codecs
    .filter(({ elementBytes }) => elementBytes.includes(chunk.elementBytes))
    .flatMap((codec) => {
      const parameters = codec.choose(surveyed, chunk, options);
      const alone = codec.preparesEntropy ? [] : [candidate({ codec, parameters }, codec.estimate(surveyed, chunk, parameters))];
      const left = codec.estimateWithEntropy?.(surveyed, chunk, parameters);
      return left === undefined || !entropyCoder
        ? alone
        : [...alone, candidate({ codec, parameters, second: entropyCoder }, left)];
    })
    .sort((a, b) => a.cost - b.cost);
}
