// SIMD encoder and decoder of `predict`. They produce the same bytes as src/core/codecs/predict/reference.ts, and section names are
// those of src/core/codecs/predict/SPEC.md.
import { blockCount, setChunk } from './brick';
import { classCount } from './classes';
import { decodeChunk, plan } from './decode';
import { encodeChunk } from './encode';
import { medianPredictor } from './residuals';
import { fixedBytes, sectionWords, wordBytes } from './sections';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

/**
 * Encodes a chunk.
 * @param from its voxels, without padding
 * @param isPicture the geometry; `hasMedian` whether the median is tried
 * @param symbols room for the symbols of all groups, in whole vectors for each
 * @param to room for the longest payload
 * @returns the payload's length in bytes
 */
export function encode(
  from: usize,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  isPicture: bool,
  hasMedian: bool,
  symbols: usize,
  to: usize,
): u32 {
  setChunk(x, y, z, elementBytes, isPicture);
  const candidates = candidatesOf(hasMedian);
  return elementBytes === 1 ? encodeChunk<u8>(from, symbols, candidates, to) : encodeChunk<u16>(from, symbols, candidates, to);
}

/**
 * Decodes a chunk.
 * @param from its payload; 256 bytes past its end must be readable
 * @param to room for its voxels
 * @returns false for a payload that SPEC.md refuses
 */
export function decode(
  from: usize,
  length: u32,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  isPicture: bool,
  hasMedian: bool,
  to: usize,
): bool {
  setChunk(x, y, z, elementBytes, isPicture);
  const candidates = candidatesOf(hasMedian);
  return elementBytes === 1 ? decodeChunk<u8>(from, length, candidates, to) : decodeChunk<u16>(from, length, candidates, to);
}

/**
 * The sections of a payload. Parameters as of `decode`.
 * @param to receives their lengths in bytes, at most 16 words
 * @returns their number; 0 for a payload that SPEC.md refuses
 */
export function sections(
  from: usize,
  length: u32,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  isPicture: bool,
  hasMedian: bool,
  to: usize,
): u32 {
  setChunk(x, y, z, elementBytes, isPicture);
  const candidates = candidatesOf(hasMedian);
  const isSound = elementBytes === 1 ? plan<u8>(from, length, candidates) : plan<u16>(from, length, candidates);
  if (!isSound) return 0;
  const fixed = elementBytes === 1 ? fixedBytes<u8>() : fixedBytes<u16>();
  const others: u32 = 2 + (elementBytes === 1 ? classCount<u8>() : classCount<u16>());
  store<u32>(to, wordBytes(blockCount));
  store<u32>(to, fixed - wordBytes(blockCount), 4);
  for (let i: u32 = 0; i < others; i++) store<u32>(to + 4 * i, 4 * load<u32>(sectionWords + 4 * i), 8);
  return 2 + others;
}

function candidatesOf(hasMedian: bool): u32 {
  return medianPredictor + (hasMedian ? 1 : 0);
}
