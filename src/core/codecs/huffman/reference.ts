import type { ChunkGeometry, CodecParameters, ReferenceCodec } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import { codeLengths, packLengths, unpackLengths } from './code.ts';
import {
  corrupt,
  headerBytes,
  huffmanChunkBytes,
  kinds,
  parseHeader,
  type Section,
  type SectionHead,
  sectionsOf,
  tileSymbols,
} from './layout.ts';
import { tileDecoder, tileEncoder } from './tile.ts';

/** SPEC.md: 'None (0 bytes).' */
export function checkParameters(parameters: CodecParameters): void {
  if (parameters.byteLength !== 0) throw corrupt(`codec takes no parameters, but found ${parameters.byteLength} bytes of them`);
}

export const reference: ReferenceCodec = {
  encode(chunk, parameters) {
    checkParameters(parameters);
    const { bytes, elementBytes } = chunk;
    const length = huffmanChunkBytes(chunk);
    if (bytes.byteLength !== length) throw new StriaError('internal', `a chunk of ${length} bytes was given ${bytes.byteLength}`);
    const sections = sectionsOf(chunk, chunk.sections).map((section) => encodeSection(symbolsOf(bytes, elementBytes, section)));
    return joined([headerBytes(sections), ...sections.map(({ body }) => body)]);
  },

  decode(payload, chunk, parameters) {
    checkParameters(parameters);
    const bytes = new Uint8Array(huffmanChunkBytes(chunk));
    const { sections, end } = parseHeader(payload);
    const places = sectionPlaces(sections, chunk);
    let at = end;
    sections.forEach((head, number) => {
      const { symbols, read } = decodeSection(payload.subarray(at), head);
      at += read;
      const { plane, firstElement } = places[number] as Section;
      if (chunk.elementBytes === 1) bytes.set(symbols, firstElement);
      else for (let i = 0; i < symbols.length; i++) bytes[i * chunk.elementBytes + plane] = symbols[i] as number;
    });
    if (at !== payload.byteLength) throw corrupt(`payload has ${payload.byteLength} bytes; its sections end at ${at}`);
    return bytes;
  },
};

/** The places of a header's sections. @throws StriaError `corrupt` if they do not fit the chunk */
function sectionPlaces(sections: readonly SectionHead[], chunk: ChunkGeometry): Section[] {
  const lengths = sections.map(({ length }) => length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const bytes = huffmanChunkBytes(chunk);
  const places = total === bytes ? sectionsOf(chunk, lengths) : [];
  if (places.length !== lengths.length || places.some(({ length }, i) => length !== lengths[i])) {
    throw corrupt(`sections of ${lengths.join(', ')} symbols do not add up to a chunk of ${bytes} bytes`);
  }
  return places;
}

function symbolsOf(bytes: Uint8Array, elementBytes: number, { plane, firstElement, length }: Section): Uint8Array {
  if (elementBytes === 1) return bytes.subarray(firstElement, firstElement + length);
  return Uint8Array.from({ length }, (_, i) => bytes[i * elementBytes + plane] as number);
}

function encodeSection(symbols: Uint8Array): SectionHead & { readonly body: Uint8Array } {
  const { length } = symbols;
  const counts = new Uint32Array(256);
  for (let i = 0; i < length; i++) counts[symbols[i] as number] = (counts[symbols[i] as number] as number) + 1;
  if (counts[symbols[0] as number] === length) return { kind: kinds.single, length, body: symbols.slice(0, 1) };

  // The table's length in bytes, the table, the tiles' lengths in 2 bytes each, the tiles.
  const lengths = codeLengths(counts);
  const table = packLengths(lengths);
  const encodeTile = tileEncoder(lengths);
  const tiles: Uint8Array[] = [];
  for (let start = 0; start < length; start += tileSymbols) tiles.push(encodeTile(symbols.subarray(start, start + tileSymbols)));
  const directory = Uint8Array.from(tiles.flatMap(({ byteLength }) => [byteLength & 255, byteLength >> 8]));
  const body = joined([Uint8Array.of(table.byteLength), table, directory, ...tiles]);
  // 'Else coded, if that body is shorter than the plain one.'
  return body.byteLength < length ? { kind: kinds.coded, length, body } : { kind: kinds.plain, length, body: symbols };
}

/** @param payload from the section's body on */
function decodeSection(payload: Uint8Array, { kind, length }: SectionHead): { symbols: Uint8Array; read: number } {
  const need = (bytes: number) => {
    if (payload.byteLength < bytes) throw corrupt(`payload ends inside a section, ${bytes - payload.byteLength} bytes too early`);
    return bytes;
  };
  if (kind === kinds.plain) return { symbols: payload.subarray(0, need(length)), read: length };
  if (kind === kinds.single) {
    need(1);
    return { symbols: new Uint8Array(length).fill(payload[0] as number), read: 1 };
  }
  const directoryStart = need(1) + (payload[0] as number);
  const tileCount = Math.ceil(length / tileSymbols);
  let at = need(directoryStart + 2 * tileCount);
  const decodeTile = tileDecoder(unpackLengths(payload.subarray(1, directoryStart)));
  const symbols = new Uint8Array(length);
  for (let tile = 0; tile < tileCount; tile++) {
    const entry = directoryStart + 2 * tile;
    const end = need(at + (payload[entry] as number) + 256 * (payload[entry + 1] as number));
    decodeTile(payload.subarray(at, end), symbols.subarray(tile * tileSymbols, (tile + 1) * tileSymbols));
    at = end;
  }
  return { symbols, read: at };
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}
