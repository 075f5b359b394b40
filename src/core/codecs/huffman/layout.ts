import { chunkBytes } from '../../codec/batch.ts';
import type { ChunkGeometry } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';

/** SPEC.md: a tile is 32,768 symbols of a section, a segment 256 symbols of a tile. */
export const segmentSymbols = 256;
export const segmentsPerTile = 128;
export const tileSymbols = segmentSymbols * segmentsPerTile;
/** 'Elements of 1 byte are 1 to 16 consecutive sections' */
export const maxSections = 16;
/** 'together they have less than 2^30 bytes' */
const maxChunkBytes = 2 ** 30 - 1;
/** The maximum length of a varint, in bytes. */
const maxVarintBytes = 5;

/** Kinds: 0 is plain, 1 is single, 2 is coded. */
export const kinds = { plain: 0, single: 1, coded: 2 } as const;
export type SectionKind = (typeof kinds)[keyof typeof kinds];

/** Bytes of a chunk that share one code: byte `plane` of the elements from `firstElement` on. */
export interface Section {
  readonly plane: number;
  readonly firstElement: number;
  /** In symbols. */
  readonly length: number;
}

/** @throws StriaError `unsupported` for chunks of 1 GiB or more; also as `chunkBytes` */
export function huffmanChunkBytes(chunk: ChunkGeometry): number {
  const bytes = chunkBytes(chunk);
  if (bytes > maxChunkBytes)
    throw new StriaError('unsupported', `huffman takes chunks of less than 1 GiB, not of ${bytes} bytes`);
  return bytes;
}

/**
 * SPEC.md, 'Sections': the planes of elements of 2 and 4 bytes, the parts of a first stage's payload, or the whole chunk.
 * @param lengths of those parts; parts after the sixteenth are joined to it
 */
export function sectionsOf(chunk: ChunkGeometry, lengths?: readonly number[]): Section[] {
  const bytes = huffmanChunkBytes(chunk);
  const { elementBytes } = chunk;
  if (elementBytes > 1) {
    return Array.from({ length: elementBytes }, (_, plane) => ({ plane, firstElement: 0, length: bytes / elementBytes }));
  }
  const parts = (lengths ?? [bytes]).filter((length) => length > 0);
  if (parts.reduce((sum, length) => sum + length, 0) !== bytes) {
    throw new StriaError('internal', `sections of ${parts.join(', ')} bytes do not add up to ${bytes} bytes`);
  }
  const joined = parts.slice(0, maxSections);
  for (const length of parts.slice(maxSections)) joined[maxSections - 1] = (joined[maxSections - 1] as number) + length;
  let firstElement = 0;
  return joined.map((length) => {
    const section = { plane: 0, firstElement, length };
    firstElement += length;
    return section;
  });
}

/** A section as the header describes it. */
export interface SectionHead {
  readonly kind: SectionKind;
  readonly length: number;
}

/** 'for each section its length × 4 + its kind, as a varint' */
export function headerBytes(sections: readonly SectionHead[]): Uint8Array {
  const bytes = [sections.length];
  for (const { kind, length } of sections) {
    let rest = 4 * length + kind;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

/** The header's sections, and the offset of its end. @throws StriaError `corrupt` */
export function parseHeader(payload: Uint8Array): { readonly sections: readonly SectionHead[]; readonly end: number } {
  const count = payload[0] ?? 0;
  if (count < 1 || count > maxSections) throw corrupt(`payload has ${count} sections, not 1 to ${maxSections}`);
  let at = 1;
  const sections = Array.from({ length: count }, (_, number): SectionHead => {
    let value = 0;
    let factor = 1;
    for (let taken = 0; ; taken++, factor *= 128) {
      const byte = payload[at++];
      if (byte === undefined || taken === maxVarintBytes) throw corrupt(`payload has no valid length for section ${number}`);
      value += (byte % 128) * factor;
      if (byte >= 128) continue;
      if (byte === 0 && taken > 0) throw corrupt(`payload has a length that ends with a zero byte`);
      break;
    }
    const kind = value % 4;
    const length = Math.floor(value / 4);
    if (kind === 3 || length === 0 || length > maxChunkBytes) {
      throw corrupt(`section ${number} has ${length} symbols and kind ${kind}`);
    }
    return { kind: kind as SectionKind, length };
  });
  return { sections, end: at };
}

export function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the huffman ${what}`);
}
