import { chunkBytes } from '../codec/batch.ts';
import type { ChunkGeometry, ChunkStatistics, ChunkSurvey, CodecDefinition, CodecOptions } from '../codec/codec.ts';
import { codecById } from '../codecs/registry.ts';
import type { Checksum } from '../format/checksum.ts';
import { checksum } from '../format/checksum.ts';
import type { CodedChunk } from '../format/chunk.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, StriaError } from '../shared/errors.ts';
import { rank } from './auto.ts';
import type { EncodeChoice } from './backend.ts';
import type { ChosenChain, ChosenCodec, DecodedBy } from './chosen-codec.ts';

/** What a chunk becomes that its codec does not make smaller. */
export const rawCodec: CodecDefinition = codecById(1);

export function isConstant({ changes }: ChunkStatistics): boolean {
  return changes.every((count) => count === 0);
}

/**
 * The codec for a chunk: the one asked for, or with 'auto' the one that promises most (auto.ts). GPU and CPU both choose by
 * this, so both write the same bytes.
 * @param survey is called only for 'auto'
 * @throws StriaError `unsupported` when the codec asked for does not take elements of this width
 */
export function chooseCodec(
  statistics: ChunkStatistics,
  chunk: ChunkGeometry,
  choice: EncodeChoice,
  survey: () => ChunkSurvey,
): ChosenChain {
  const { options } = choice;
  if (choice.codec !== 'auto') {
    const [codec, second] = choice.codec;
    if (!codec.elementBytes.includes(chunk.elementBytes)) {
      const widths = codec.elementBytes.join(', ');
      throw new StriaError('unsupported', `${codec.name} takes elements of ${widths} bytes, not of ${chunk.elementBytes}`);
    }
    return { codec, parameters: codec.choose(statistics, chunk, options), second };
  }
  const [best] = rank({ ...statistics, ...survey() }, chunk, options);
  if (!best) throw new StriaError('internal', `no codec takes elements of ${chunk.elementBytes} bytes`);
  return best;
}

/** What becomes of a chunk that its codec does not make smaller: the second codec is tried alone, and at last it stays raw. */
export function fallback(
  { second }: ChosenChain,
  statistics: ChunkStatistics,
  chunk: ChunkGeometry,
  options: CodecOptions,
): ChosenChain {
  const codec = second?.elementBytes.includes(chunk.elementBytes) ? second : rawCodec;
  return { codec, parameters: codec.choose(statistics, chunk, options) };
}

/** A payload of `byteLength` bytes as a chunk for the second codec, with the parameters for it. Nothing is known of its bytes. */
export function payloadChunk(codec: CodecDefinition, byteLength: number, options: CodecOptions) {
  const geometry = { shape: [byteLength, 1, 1] as const, elementBytes: 1 as const };
  return { ...geometry, parameters: codec.choose({ changes: [byteLength - 1, 0, 0] }, geometry, options) };
}

/** A payload with what the container keeps beside it. */
export function codedChunk(stages: readonly ChosenCodec[], payload: Uint8Array, decodedChecksum: Checksum): CodedChunk {
  return {
    kind: 'coded',
    stages: stages.map(({ codec, parameters }) => ({ codecId: codec.id, parameters })),
    payload,
    encodedChecksum: checksum(payload),
    decodedChecksum,
  };
}

/**
 * The codec or the two codecs of a coded chunk, and the bounds of their payloads checked.
 * @throws StriaError `unsupported` for a codec or a chain of codecs that this version does not know; `corrupt`
 */
export function codecOfChunk({ stages, payload }: CodedChunk, geometry: ChunkGeometry): DecodedBy {
  const [stage, next, ...others] = stages;
  if (!stage || others.length > 0) {
    throw new StriaError('unsupported', `${stages.length} codecs one after the other are not known to this version of Stria`);
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
    throw new StriaError('unsupported', `${second.name} behind ${codec.name} is not known to this version of Stria`);
  }
  const decodedLength = second.decodedLength(payload);
  assertBound(decodedLength, codec, geometry);
  assertBound(payload.byteLength, second, { shape: [decodedLength, 1, 1], elementBytes: 1 });
  return { codec, parameters, second: { codec: second, parameters: next.parameters, decodedLength } };
}

function assertBound(byteLength: number, codec: CodecDefinition, geometry: ChunkGeometry): void {
  const bound = codec.encodedBound(geometry);
  if (byteLength <= bound) return;
  throw new StriaError('corrupt', `its ${byteLength} bytes are more than ${codec.name} makes of it, ${bound}`);
}

/** Whether an encoding is no smaller than the voxels themselves, which are then kept raw. */
export function isNoGain(encodedLength: number, geometry: ChunkGeometry): boolean {
  return encodedLength >= chunkBytes(geometry);
}

export function mismatch(): StriaError {
  return new StriaError('corrupt', 'its voxels do not match their checksum: the file is damaged');
}

/** The fault of chunk `number` as whoever decodes wants it: handed over, or thrown. An abort or a lost device is always thrown. */
export function reportDamage(
  number: number,
  error: unknown,
  onDamage: ((chunk: number, fault: StriaError) => void) | undefined,
): void {
  const fault = inContext(chunkName(number), error);
  if (!onDamage || (fault.tag !== 'corrupt' && fault.tag !== 'unsupported')) throw fault;
  onDamage(number, fault);
}
