import { chunkBytes } from '../codec/batch.ts';
import type { ChunkGeometry, ChunkStatistics, ChunkSurvey, CodecDefinition, CodecOptions, Preference } from '../codec/codec.ts';
import { chainName, codecs } from '../codecs/registry.ts';
import type { ChosenChain } from './chosen-codec.ts';
import { rawCodec } from './raw-codec.ts';

/** The second stage for codecs that expect to gain from one: the registry's first codec that can follow another. */
const entropyCoder: CodecDefinition | undefined = codecs.find(({ decodedLength }) => decodedLength !== undefined);

/**
 * The value of speed. The cost of a chunk is the bytes that its codec makes, plus surcharges for the time that it takes.
 * - `weight` is relative to the encoded bytes: a codec that encodes `weight` GB/s is charged twice its bytes, one ten times as
 *   fast a tenth more, but never more than `most` of its bytes. So 'balanced' gives up at most 4.5 % to take `rice` instead of
 *   `predict+huffman`, and at most an eighth for any speed.
 * - `decodeWeight` is the same for decoding, without a limit, and only for codecs that decode slowly: every later opening pays
 *   for them, most of all on a processor. So 'balanced' takes `wave` only where it saves about a quarter.
 * - `linkGigabytesPerSecond` is absolute: encoding costs as many bytes as a link of that speed moves in the same time. The cost
 *   of 'speed' is therefore the time to encode a chunk and to move it over such a link. In 'balanced' it decides between codecs
 *   that make next to nothing of a chunk.
 */
const speedWeights: Readonly<
  Record<
    Preference,
    {
      readonly weight: number;
      readonly most: number;
      readonly decodeWeight: number;
      readonly linkGigabytesPerSecond: number;
    }
  >
> = {
  size: { weight: 0, most: 0, decodeWeight: 0, linkGigabytesPerSecond: 0 },
  balanced: { weight: 5, most: 0.13, decodeWeight: 5, linkGigabytesPerSecond: 0.02 },
  speed: { weight: 0, most: 0, decodeWeight: Number.POSITIVE_INFINITY, linkGigabytesPerSecond: 4 },
};

/** A codec that is not yet in use is taken only if it halves the chunk: a GPU has to compile its kernels, and to make its scratch memory. */
const newCodecCost = 2;

/** A way to encode a chunk, with its estimates. */
export interface Candidate extends ChosenChain {
  /** Estimated size in bytes. */
  readonly bytes: number;
  /** The bytes, plus surcharges for slowness. */
  readonly cost: number;
}

/**
 * With maximum effort, a chunk is encoded in this many ways, those with the smallest estimates, and the smallest result is kept. On
 * 16 scans and pictures the smallest of all ways was always among them.
 */
const waysToTry = 5;

/**
 * The ways in which a chunk is encoded, of which the one with the smallest result is kept: several with maximum effort, unless
 * speed is the goal. GPU and CPU both use this on equal statistics, so they choose alike.
 */
export function waysToEncode(
  surveyed: ChunkStatistics & ChunkSurvey,
  chunk: ChunkGeometry,
  options: CodecOptions,
): readonly ChosenChain[] {
  if (options.effort === 'max' && options.prefer !== 'speed') {
    // Raw follows whenever none of the others makes the chunk smaller.
    return rank(surveyed, chunk, options)
      .filter(({ codec }) => codec !== rawCodec)
      .slice(0, waysToTry);
  }
  const best = cheapest(surveyed, chunk, options);
  return best ? [best] : [];
}

/** The best of every codec that takes such elements, alone and with the entropy coder after it; of equal ones the registry's first. */
function cheapest(surveyed: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry, options: CodecOptions): Candidate | undefined {
  let best: Candidate | undefined;
  for (const one of candidates(surveyed, chunk, options)) if (!best || one.cost < best.cost) best = one;
  return best;
}

/** All candidates of `cheapest` by rising cost. */
export function rank(surveyed: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry, options: CodecOptions): Candidate[] {
  return candidates(surveyed, chunk, options).sort((a, b) => a.cost - b.cost);
}

/** In the registry's order. */
function candidates(surveyed: ChunkStatistics & ChunkSurvey, chunk: ChunkGeometry, options: CodecOptions): Candidate[] {
  const voxelBytes = chunkBytes(chunk);
  const prefer = options.prefer ?? 'balanced';
  // Maximum effort implies a preference for size.
  const { weight, most, decodeWeight, linkGigabytesPerSecond } =
    speedWeights[prefer === 'balanced' && options.effort === 'max' ? 'size' : prefer];
  const { inUse } = options;
  const weighsUse = prefer !== 'size' && options.effort !== 'max';
  const found: Candidate[] = [];
  // Loops and plain literals, because a file has thousands of chunks, and a GPU waits for their ranking.
  const add = ({ codec, parameters, second }: ChosenChain, estimate: number, slowness: number) => {
    const bytes = Math.min(Math.ceil(estimate), voxelBytes);
    const { decodeGigabytesPerSecond } = codec;
    const forDecoding = decodeGigabytesPerSecond === undefined ? 0 : decodeWeight / decodeGigabytesPerSecond;
    if (forDecoding === Number.POSITIVE_INFINITY) return;
    const cost = bytes * (1 + Math.min(most, weight * slowness) + forDecoding) + linkGigabytesPerSecond * voxelBytes * slowness;
    const isNew = inUse && weighsUse && !inUse.includes(chainName(second ? [codec, second] : [codec]));
    found.push({ codec, parameters, second, bytes, cost: isNew ? newCodecCost * cost : cost });
  };
  for (const codec of codecs) {
    if (!codec.elementBytes.includes(chunk.elementBytes)) continue;
    const parameters = codec.choose(surveyed, chunk, options);
    const estimate = codec.estimate(surveyed, chunk, parameters);
    const slowness = 1 / codec.gigabytesPerSecond;
    if (!codec.preparesEntropy) add({ codec, parameters }, estimate, slowness);
    const left = codec.estimateWithEntropy?.(surveyed, chunk, parameters);
    if (left === undefined || !entropyCoder) continue;
    // The second stage has only the payload of the first to encode.
    const share = Math.min(1, estimate / voxelBytes);
    add({ codec, parameters, second: entropyCoder }, left, slowness + share / entropyCoder.gigabytesPerSecond);
  }
  return found;
}
