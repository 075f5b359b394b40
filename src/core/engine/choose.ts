import type { ChunkGeometry, ChunkStatistics, CodecDefinition, CodecParameters } from '../codecs/codec.ts';
import { codecById, codecs } from '../codecs/registry.ts';
import type { Checksum } from '../format/checksum.ts';
import { checksum } from '../format/checksum.ts';
import type { CodedChunk, EncodedChunk } from '../format/chunk.ts';
import { inContext, StriaError } from '../shared/errors.ts';
import { chunkBytes } from './analyze.ts';
import type { EncodeChoice } from './backend.ts';

/** A chunk's codec and its parameters. */
export interface ChosenCodec {
  readonly codec: CodecDefinition;
  readonly parameters: CodecParameters;
}

/** What a chunk becomes that its codec does not make smaller. */
export const rawCodec: CodecDefinition = codecById(1);

export function isConstant({ changes }: ChunkStatistics): boolean {
  return changes.every((count) => count === 0);
}

/**
 * The codec for a chunk: the one asked for, or with 'auto' the one whose estimate is least, on a tie the first in the
 * registry. GPU and CPU both choose by this, so both write the same bytes.
 * @throws StriaError `unsupported` when the codec asked for does not take elements of this width
 */
export function chooseCodec(statistics: ChunkStatistics, chunk: ChunkGeometry, choice: EncodeChoice): ChosenCodec {
  const { codec, options } = choice;
  if (codec !== 'auto') {
    if (!codec.elementBytes.includes(chunk.elementBytes)) {
      const widths = codec.elementBytes.join(', ');
      throw new StriaError('unsupported', `${codec.name} takes elements of ${widths} bytes, not of ${chunk.elementBytes}`);
    }
    return { codec, parameters: codec.choose(statistics, chunk, options) };
  }
  let best: ChosenCodec = { codec: rawCodec, parameters: rawCodec.choose(statistics, chunk, options) };
  let least = Number.POSITIVE_INFINITY;
  for (const one of codecs) {
    if (!one.elementBytes.includes(chunk.elementBytes)) continue;
    const parameters = one.choose(statistics, chunk, options);
    const estimate = one.estimate(statistics, chunk, parameters);
    if (estimate < least) {
      best = { codec: one, parameters };
      least = estimate;
    }
  }
  return best;
}

/** A payload with what the container keeps beside it. */
export function codedChunk({ codec, parameters }: ChosenCodec, payload: Uint8Array, decodedChecksum: Checksum): CodedChunk {
  return {
    kind: 'coded',
    stages: [{ codecId: codec.id, parameters }],
    payload,
    encodedChecksum: checksum(payload),
    decodedChecksum,
  };
}

/**
 * The codec of a coded chunk, and the bounds of its payload checked.
 * @throws StriaError `unsupported` for a codec or a chain of codecs that this version does not know; `corrupt`
 */
export function codecOfChunk(chunk: CodedChunk, geometry: ChunkGeometry): ChosenCodec {
  const [stage, ...others] = chunk.stages;
  if (!stage || others.length > 0) {
    throw new StriaError(
      'unsupported',
      `${chunk.stages.length} codecs one after the other are not known to this version of Stria`,
    );
  }
  const codec = codecById(stage.codecId);
  if (!codec.elementBytes.includes(geometry.elementBytes)) {
    throw new StriaError('corrupt', `${codec.name} does not take elements of ${geometry.elementBytes} bytes`);
  }
  const bound = codec.encodedBound(geometry);
  if (chunk.payload.byteLength > bound) {
    throw new StriaError('corrupt', `its ${chunk.payload.byteLength} bytes are more than ${codec.name} makes of it, ${bound}`);
  }
  return { codec, parameters: stage.parameters };
}

/** Whether an encoding is no smaller than the voxels themselves, which are then kept raw. */
export function isNoGain(encodedLength: number, geometry: ChunkGeometry): boolean {
  return encodedLength >= chunkBytes(geometry);
}

export function mismatch(): StriaError {
  return new StriaError('corrupt', 'its voxels do not match their checksum: the file is damaged');
}

/** The element of a constant chunk, checked. @throws StriaError `corrupt` */
export function constantElement(chunk: Exclude<EncodedChunk, CodedChunk>, { elementBytes }: ChunkGeometry): Uint8Array {
  if (chunk.element.byteLength === elementBytes) return chunk.element;
  throw new StriaError('corrupt', `its element has ${chunk.element.byteLength} bytes; the volume's have ${elementBytes}`);
}

/** The fault of chunk `number` as whoever decodes wants it: handed over, or thrown. An abort or a lost device is always thrown. */
export function reportDamage(
  number: number,
  error: unknown,
  onDamage: ((chunk: number, fault: StriaError) => void) | undefined,
): void {
  const fault = inContext(`chunk ${number}`, error);
  if (!onDamage || (fault.tag !== 'corrupt' && fault.tag !== 'unsupported')) throw fault;
  onDamage(number, fault);
}
