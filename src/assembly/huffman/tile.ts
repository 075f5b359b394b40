// SPEC.md, 'Tiles': 32,768 symbols, in segments that take turns by groups of four symbols.
import { codes, decodeTable } from './code';

export const tileSymbols: u32 = 32768;
const segmentSymbols: u32 = 256;

/** The start of each segment in bits, then the end of the last one. */
const starts: usize = memory.data(4 * 129, 16);
/** A tile's codes, before the length of its directory is known: 12 bits per symbol, and room for the last store. */
const stream: usize = memory.data(49152 + 16, 16);

/** The writer of a tile's codes. Bits that do not fill a byte are pending. */
let streamAt: usize = 0;
let pending: u64 = 0;
let filled: u32 = 0;

function put(code: u64, bits: u32): void {
  pending |= code << filled;
  store<u64>(streamAt, pending);
  filled += bits;
  streamAt += filled >> 3;
  pending >>= filled & ~7;
  filled &= 7;
}

function codeOf(symbol: u32): u32 {
  return load<u32>(codes + 4 * symbol);
}

/** Writes a tile of `count` symbols. @returns its length in bytes */
export function encodeTile(symbols: usize, count: u32, to: usize): u32 {
  const segments = (count + segmentSymbols - 1) / segmentSymbols;
  streamAt = stream;
  pending = 0;
  filled = 0;
  for (let segment: u32 = 0; segment < segments; segment++) {
    store<u32>(starts + 4 * segment, 8 * <u32>(streamAt - stream) + filled);
    putSegment(symbols + 4 * segment, symbols + count, 4 * segments);
  }
  store<u64>(streamAt, pending);
  const streamBits: u32 = 8 * <u32>(streamAt - stream) + filled;
  const directoryBits: u32 = segments > 1 ? writeDirectory(segments, to) : 0;
  const shift = directoryBits & 7;
  const out = to + (directoryBits >> 3);
  let carried: u64 = shift > 0 ? load<u8>(out) : 0;
  let at: u32 = 0;
  for (; at <= streamBits >> 3; at += 8) {
    const word = load<u64>(stream + at);
    store<u64>(out + at, carried | (word << shift));
    carried = shift > 0 ? word >> (64 - shift) : 0;
  }
  store<u64>(out + at, carried);
  return (directoryBits + streamBits + 7) >> 3;
}

/** Writes the codes of the groups at `first`, `first + stride` and so on, up to `end`. */
function putSegment(first: usize, end: usize, stride: u32): void {
  let p = first;
  let at = streamAt;
  let word = pending;
  let fill = filled;
  for (; p + 4 <= end; p += stride) {
    const four = load<u32>(p);
    const a = codeOf(four & 255);
    const b = codeOf((four >> 8) & 255);
    const c = codeOf((four >> 16) & 255);
    const d = codeOf(four >> 24);
    const front = (a & 0xffff) | ((b & 0xffff) << (a >> 16));
    const back = (c & 0xffff) | ((d & 0xffff) << (c >> 16));
    const frontBits = (a >> 16) + (b >> 16);
    word |= (<u64>front | ((<u64>back) << frontBits)) << fill;
    store<u64>(at, word);
    fill += frontBits + (c >> 16) + (d >> 16);
    at += fill >> 3;
    word >>= fill & ~7;
    fill &= 7;
  }
  streamAt = at;
  pending = word;
  filled = fill;
  // The tile's last group may have fewer symbols.
  for (; p < end; p++) {
    const code = codeOf(load<u8>(p));
    put(code & 0xffff, code >> 16);
  }
}

/** Writes the base, the width and the segments' lengths. @returns the number of bits. The padding bits of the last byte are 0 */
function writeDirectory(segments: u32, to: usize): u32 {
  let least: u32 = u32.MAX_VALUE;
  let most: u32 = 0;
  for (let segment: u32 = 0; segment < segments - 1; segment++) {
    const bits = segmentBits(segment);
    least = min(least, bits);
    most = max(most, bits);
  }
  const width = 32 - clz(most - least);
  store<u16>(to, <u16>(least | (width << 12)));
  let out = to + 2;
  let word: u64 = 0;
  let fill: u32 = 0;
  for (let segment: u32 = 0; segment < segments - 1; segment++) {
    word |= (<u64>(segmentBits(segment) - least)) << fill;
    fill += width;
    store<u32>(out, <u32>word);
    out += fill >> 3;
    word >>= fill & ~7;
    fill &= 7;
  }
  store<u8>(out, <u8>word);
  return 16 + width * (segments - 1);
}

function segmentBits(segment: u32): u32 {
  return load<u32>(starts + 4 * segment, 4) - load<u32>(starts + 4 * segment);
}

/**
 * Decodes a tile of `count` symbols.
 * @param from its first byte; 1024 bytes past the payload must be readable
 * @param length in bytes
 * @returns whether it is valid
 */
export function decodeTile(from: usize, length: u32, symbols: usize, count: u32): bool {
  const segments = (count + segmentSymbols - 1) / segmentSymbols;
  const all: u32 = 8 * length;
  if (!readDirectory(from, all, segments)) return false;
  const groups = count >> 2;
  // The number of rounds in which all segments have whole groups.
  const rounds = groups / segments;
  let segment: u32 = 0;
  for (; segment + 4 <= segments; segment += 4) {
    decodeFourSegments(from, symbols + 4 * segment, 4 * segments, rounds, starts + 4 * segment);
    for (let i: u32 = 0; i < 4; i++) if (!endSegment(from, segment + i, segments, rounds, symbols, count)) return false;
  }
  for (; segment < segments; segment++) {
    let at = load<u32>(starts + 4 * segment);
    let to = symbols + 4 * segment;
    for (let round: u32 = 0; round < rounds; round++, to += 4 * segments) {
      const four = decodeGroup(from, at);
      store<u32>(to, <u32>four);
      at = <u32>(four >> 32);
    }
    store<u32>(ends + 4 * (segment & 3), at);
    if (!endSegment(from, segment, segments, rounds, symbols, count)) return false;
  }
  const end = load<u32>(starts + 4 * segments);
  const rest = all - end;
  return end <= all && rest < 8 && (rest === 0 || <u32>load<u8>(from + (end >> 3)) >> (end & 7) === 0);
}

/** The ends of the whole groups of four segments, by segment modulo 4. */
const ends: usize = memory.data(16, 16);

/** Reads the starts of segments, without the end of the last one. */
function readDirectory(from: usize, all: u32, segments: u32): bool {
  store<u32>(starts, 0);
  if (segments === 1) return true;
  if (all < 16) return false;
  const head = <u32>load<u16>(from);
  const base = head & 4095;
  const width = head >> 12;
  const end: u32 = 16 + width * (segments - 1);
  if (end > all) return false;
  let start = end;
  for (let segment: u32 = 0, at: u32 = 16; segment < segments - 1; segment++, at += width) {
    store<u32>(starts + 4 * segment, start);
    start += base + ((load<u32>(from + (at >> 3)) >> (at & 7)) & ((1 << width) - 1));
  }
  store<u32>(starts + 4 * (segments - 1), start);
  return start <= all;
}

/** Four symbols from bit `at` on, and above them the number of the next bit. */
function decodeGroup(from: usize, at: u32): u64 {
  let bits = load<u64>(from + (at >> 3)) >> (at & 7);
  const a = <u32>load<u16>(decodeTable + 2 * (<u32>bits & 4095));
  bits >>= a >> 8;
  const b = <u32>load<u16>(decodeTable + 2 * (<u32>bits & 4095));
  bits >>= b >> 8;
  const c = <u32>load<u16>(decodeTable + 2 * (<u32>bits & 4095));
  bits >>= c >> 8;
  const d = <u32>load<u16>(decodeTable + 2 * (<u32>bits & 4095));
  const four = (a & 255) | ((b & 255) << 8) | ((c & 255) << 16) | (d << 24);
  return <u64>four | ((<u64>(at + (a >> 8) + (b >> 8) + (c >> 8) + (d >> 8))) << 32);
}

/** Decodes `rounds` groups of each of four adjacent segments, interleaved because each step waits for the previous one. */
function decodeFourSegments(from: usize, to: usize, stride: u32, rounds: u32, start: usize): void {
  let a = load<u32>(start);
  let b = load<u32>(start, 4);
  let c = load<u32>(start, 8);
  let d = load<u32>(start, 12);
  for (let round: u32 = 0; round < rounds; round++, to += stride) {
    const first = decodeGroup(from, a);
    const second = decodeGroup(from, b);
    const third = decodeGroup(from, c);
    const fourth = decodeGroup(from, d);
    store<u32>(to, <u32>first);
    store<u32>(to, <u32>second, 4);
    store<u32>(to, <u32>third, 8);
    store<u32>(to, <u32>fourth, 12);
    a = <u32>(first >> 32);
    b = <u32>(second >> 32);
    c = <u32>(third >> 32);
    d = <u32>(fourth >> 32);
  }
  store<u32>(ends, a);
  store<u32>(ends, b, 4);
  store<u32>(ends, c, 8);
  store<u32>(ends, d, 12);
}

/** Decodes the rest of a segment after the rounds. @returns whether it ends where the next one starts */
function endSegment(from: usize, segment: u32, segments: u32, rounds: u32, symbols: usize, count: u32): bool {
  let at = load<u32>(ends + 4 * (segment & 3));
  const first = 4 * (rounds * segments + segment);
  // At most one group, because a tile has at most one round in which not all groups are whole.
  const end = min(first + 4, count);
  for (let index = first; index < end; index++) {
    const entry = <u32>load<u16>(decodeTable + 2 * ((load<u32>(from + (at >> 3)) >> (at & 7)) & 4095));
    store<u8>(symbols + index, <u8>entry);
    at += entry >> 8;
  }
  if (segment === segments - 1) {
    store<u32>(starts + 4 * segments, at);
    return true;
  }
  return at === load<u32>(starts + 4 * segment, 4);
}
