import { chunkBytes } from '../codec/batch.ts';
import {
  type ChunkGeometry,
  type ChunkStatistics,
  type ChunkSurvey,
  type CodecDefinition,
  type CodecOptions,
  type CodecParameters,
  noParameters,
} from '../codec/codec.ts';
import { codecById } from '../codecs/registry.ts';
import type { Checksum } from '../format/checksum.ts';
import { checksum } from '../format/checksum.ts';
import type { ChunkStage, CodedChunk } from '../format/chunk.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, StriaError } from '../shared/errors.ts';
import { waysToEncode } from './auto.ts';
import type { EncodeChoice } from './backend.ts';
import type { ChosenChain, ChosenCodec, DecodedBy } from './chosen-codec.ts';
import { rawCodec } from './raw-codec.ts';

export function isConstant({ changes }: ChunkStatistics): boolean {
  return changes[0] === 0 && changes[1] === 0 && changes[2] === 0;
}

/**
 * The codecs to encode a chunk by: the requested one, or for 'auto' those of auto.ts. Of several the one with the smallest result
 * is kept, of equal ones the first. GPU and CPU share this function, so both write the same bytes.
 * @param survey is called only for 'auto'
 * @throws StriaError `unsupported` if the requested codec does not support elements of this size
 */
export function chooseCodecs(
  statistics: ChunkStatistics,
  chunk: ChunkGeometry,
  choice: EncodeChoice,
  survey: () => ChunkSurvey,
): readonly [ChosenChain, ...ChosenChain[]] {
  const { options } = choice;
  if (choice.codec !== 'auto') {
    const [codec, second] = choice.codec;
    if (!codec.elementBytes.includes(chunk.elementBytes)) {
      const widths = codec.elementBytes.join(', ');
      throw new StriaError('unsupported', `${codec.name} takes elements of ${widths} bytes, not of ${chunk.elementBytes}`);
    }
    return [{ codec, parameters: codec.choose(statistics, chunk, options), second }];
  }
  const { sampledElements, riceBits, softBits, steps, spikes } = survey();
  const surveyed = { changes: statistics.changes, sampledElements, riceBits, softBits, steps, spikes };
  const [best, ...others] = waysToEncode(surveyed, chunk, options);
  if (!best) throw new StriaError('internal', `no codec takes elements of ${chunk.elementBytes} bytes`);
  return [best, ...others];
}

/** The next choice for a chunk that its codecs did not make smaller, by the first of them: the second codec alone, and finally raw. */
export function fallback(
  { second }: ChosenChain,
  statistics: ChunkStatistics,
  chunk: ChunkGeometry,
  options: CodecOptions,
): ChosenChain {
  const codec = second?.elementBytes.includes(chunk.elementBytes) ? second : rawCodec;
  return { codec, parameters: codec.choose(statistics, chunk, options) };
}

/**
 * A payload of `byteLength` bytes as a chunk for the second codec, with that codec's parameters. Nothing is known about its
 * bytes.
 */
export function payloadChunk(codec: CodecDefinition, byteLength: number, options: CodecOptions) {
  const geometry = { shape: [byteLength, 1, 1] as const, elementBytes: 1 as const };
  return { ...geometry, parameters: codec.choose({ changes: [byteLength - 1, 0, 0] }, geometry, options) };
}

/** By the parameters of the first and of the last stage. */
const stageLists = new WeakMap<CodecParameters, WeakMap<CodecParameters, (readonly ChunkStage[])[]>>();

/** The stages as a container stores them. Chunks encoded alike share one list, so that a writer encodes it once. */
export function stageList(stages: readonly ChosenCodec[]): readonly ChunkStage[] {
  const [first, last] = [stages[0]?.parameters ?? noParameters, stages.at(-1)?.parameters ?? noParameters];
  const byLast = stageLists.get(first) ?? new WeakMap<CodecParameters, (readonly ChunkStage[])[]>();
  stageLists.set(first, byLast);
  const lists = byLast.get(last) ?? [];
  byLast.set(last, lists);
  const known = lists.find(
    (list) => list.length === stages.length && list.every(({ codecId }, i) => codecId === stages[i]?.codec.id),
  );
  if (known) return known;
  const made = stages.map(({ codec, parameters }) => ({ codecId: codec.id, parameters }));
  lists.push(made);
  return made;
}

/** A payload with the facts that the container stores beside it. */
export function codedChunk(
  stages: readonly ChosenCodec[],
  payload: Uint8Array,
  decodedChecksum: Checksum,
  encodedChecksum: Checksum = checksum(payload),
): CodedChunk {
  return {
    kind: 'coded',
    stages: stageList(stages),
    payload,
    encodedChecksum,
    decodedChecksum,
  };
}

/**
 * The codec or two codecs of a coded chunk, after checking the bounds of their payloads.
 * @throws StriaError `unsupported` for a codec or chain unknown to this version; `corrupt`
 */
export function codecOfChunk({ stages, payload }: CodedChunk, geometry: ChunkGeometry): DecodedBy {
  const [stage, next, ...others] = stages;
  if (!stage || others.length > 0) {
    throw new StriaError('unsupported', `this version of Stria does not know chains of ${stages.length} codecs`);
  }
  const codec = codecById(stage.codecId);
  if (!codec.elementBytes.includes(geometry.elementBytes)) {
    throw new StriaError('corrupt', `${codec.name} does not take elements of ${geometry.elementBytes} bytes`);
  }
  const { parameters } = stage;
  if (!next) {
    assertBound(payload.byteLength, codec, geometry);
    return { codec, parameters };
  }
  const second = codecById(next.codecId);
  if (!second.decodedLength) {
    throw new StriaError('unsupported', `this version of Stria does not know ${second.name} after ${codec.name}`);
  }
  const decodedLength = second.decodedLength(payload);
  assertBound(decodedLength, codec, geometry);
  assertBound(payload.byteLength, second, { shape: [decodedLength, 1, 1], elementBytes: 1 });
  return { codec, parameters, second: { codec: second, parameters: next.parameters, decodedLength } };
}

function assertBound(byteLength: number, codec: CodecDefinition, geometry: ChunkGeometry): void {
  const bound = codec.encodedBound(geometry);
  if (byteLength <= bound) return;
  throw new StriaError('corrupt', `its ${byteLength} bytes exceed the ${bound} that ${codec.name} can produce`);
}

/** Whether an encoding is no smaller than the voxels, which are then stored raw. */
export function isNoGain(encodedLength: number, geometry: ChunkGeometry): boolean {
  return encodedLength >= chunkBytes(geometry);
}

export function mismatch(): StriaError {
  return new StriaError('corrupt', 'its voxels do not match their checksum: the file is damaged');
}

/**
 * Reports the fault of chunk `number` to the callback if the caller gave one, otherwise throws it. An abort or a lost device is
 * always thrown.
 */
export function reportDamage(
  number: number,
  error: unknown,
  onDamage: ((chunk: number, fault: StriaError) => void) | undefined,
): void {
  const fault = inContext(chunkName(number), error);
  if (!onDamage || (fault.tag !== 'corrupt' && fault.tag !== 'unsupported')) throw fault;
  onDamage(number, fault);
}
