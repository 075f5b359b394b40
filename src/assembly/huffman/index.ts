// Encoder and decoder of `huffman`. They produce the same bytes as src/core/codecs/huffman/reference.ts.
import { decodeSection, encodeSection, sectionEnd } from './section';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

const maxSections: u32 = 16;
const maxVarintBytes: u32 = 5;

/** Lengths and kinds of the sections of a payload. */
const sectionLengths: usize = memory.data(4 * 16, 16);
const sectionKinds: usize = memory.data(4 * 16, 16);

/**
 * Encodes a chunk.
 * @param from its voxels
 * @param elementBytes 2 or 4: each byte of the elements is a section
 * @param lengths of the sections of elements of 1 byte, `count` words
 * @param scratch room for `elements` bytes
 * @param to room for the longest payload, and a quarter more
 * @returns the payload's length in bytes
 */
export function encode(
  from: usize,
  elements: u32,
  elementBytes: u32,
  lengths: usize,
  count: u32,
  scratch: usize,
  to: usize,
): u32 {
  const sections = elementBytes === 1 ? count : elementBytes;
  let end = to + 1;
  for (let i: u32 = 0; i < sections; i++) end += varintBytes(elementBytes === 1 ? load<u32>(lengths + 4 * i) : elements);
  store<u8>(to, <u8>sections);
  let head = to + 1;
  let symbols = from;
  for (let i: u32 = 0; i < sections; i++) {
    let length = elements;
    let own = scratch;
    if (elementBytes === 1) {
      length = load<u32>(lengths + 4 * i);
      own = symbols;
      symbols += length;
    } else {
      for (let at: u32 = 0; at < elements; at++) store<u8>(scratch + at, load<u8>(from + at * elementBytes + i));
    }
    const kind = encodeSection(own, length, end);
    end = sectionEnd;
    let rest = 4 * length + kind;
    for (; rest >= 128; rest >>= 7) store<u8>(head++, <u8>(rest | 128));
    store<u8>(head++, <u8>rest);
  }
  return <u32>(end - to);
}

/** Bytes of a section's varint, whatever its kind. */
function varintBytes(length: u32): u32 {
  let count: u32 = 1;
  for (let rest = 4 * length + 3; rest >= 128; rest >>= 7) count++;
  return count;
}

/**
 * Decodes a chunk.
 * @param from its payload; 1024 bytes past its end must be readable
 * @param scratch room for `elements` bytes
 * @param to room for its voxels
 * @returns false for a payload that SPEC.md refuses
 */
export function decode(from: usize, length: u32, elements: u32, elementBytes: u32, scratch: usize, to: usize): bool {
  const end = from + length;
  const sections = length > 0 ? <u32>load<u8>(from) : 0;
  if (sections < 1 || sections > maxSections || (elementBytes > 1 && sections !== elementBytes)) return false;
  const at = readHeader(from + 1, end, sections);
  if (at === 0) return false;
  let total: u64 = 0;
  for (let i: u32 = 0; i < sections; i++) {
    const own = load<u32>(sectionLengths + 4 * i);
    if (elementBytes > 1 && own !== elements) return false;
    total += own;
  }
  if (elementBytes === 1 && total !== elements) return false;
  let body = at;
  let symbols = to;
  for (let i: u32 = 0; i < sections; i++) {
    const own = load<u32>(sectionLengths + 4 * i);
    if (!decodeSection(load<u32>(sectionKinds + 4 * i), body, end, elementBytes === 1 ? symbols : scratch, own)) return false;
    body = sectionEnd;
    if (elementBytes === 1) symbols += own;
    else
      for (let element: u32 = 0; element < elements; element++)
        store<u8>(to + element * elementBytes + i, load<u8>(scratch + element));
  }
  return body === end;
}

/** Reads the sections' varints. @returns their end; 0 if SPEC.md refuses them */
function readHeader(from: usize, end: usize, sections: u32): usize {
  let at = from;
  for (let i: u32 = 0; i < sections; i++) {
    let value: u64 = 0;
    let byte: u32 = 128;
    for (let taken: u32 = 0; byte >= 128; taken++) {
      if (at >= end || taken === maxVarintBytes) return 0;
      byte = load<u8>(at++);
      value |= (<u64>(byte & 127)) << (7 * taken);
      if (byte === 0 && taken > 0) return 0;
    }
    const kind = <u32>value & 3;
    const length = value >> 2;
    if (kind === 3 || length === 0 || length > 0x3fffffff) return 0;
    store<u32>(sectionLengths + 4 * i, <u32>length);
    store<u32>(sectionKinds + 4 * i, kind);
  }
  return at;
}
