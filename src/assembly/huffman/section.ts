// SPEC.md, 'Payload' and 'A coded section': symbols are consecutive bytes.
import { assignCodes, chooseLengths, fillDecodeTable, lengths, readTable, writeTable } from './code';
import { decodeTile, encodeTile, tileSymbols } from './tile';

export const plain: u32 = 0;
export const single: u32 = 1;
export const coded: u32 = 2;

/** Four histograms, so that no count waits for the previous one. The first one receives the sum. */
const counts: usize = memory.data(4 * 4 * 256, 16);

function countSymbols(symbols: usize, count: u32): void {
  memory.fill(counts, 0, 4 * 4 * 256);
  let at: u32 = 0;
  for (; at + 4 <= count; at += 4) {
    const four = load<u32>(symbols + at);
    increment(counts + 4 * (four & 255));
    increment(counts + 1024 + 4 * ((four >> 8) & 255));
    increment(counts + 2048 + 4 * ((four >> 16) & 255));
    increment(counts + 3072 + 4 * (four >> 24));
  }
  for (; at < count; at++) increment(counts + 4 * <u32>load<u8>(symbols + at));
  for (let p = counts; p < counts + 1024; p += 16) {
    const front = i32x4.add(v128.load(p), v128.load(p, 1024));
    v128.store(p, i32x4.add(front, i32x4.add(v128.load(p, 2048), v128.load(p, 3072))));
  }
}

function increment(at: usize): void {
  store<u32>(at, load<u32>(at) + 1);
}

/** The end of the last encoded section. */
export let sectionEnd: usize = 0;

/** Writes a section's body. @returns its kind */
export function encodeSection(symbols: usize, count: u32, to: usize): u32 {
  countSymbols(symbols, count);
  if (load<u32>(counts + 4 * <u32>load<u8>(symbols)) === count) {
    store<u8>(to, load<u8>(symbols));
    sectionEnd = to + 1;
    return single;
  }
  chooseLengths(counts);
  const tableBytes = writeTable(to + 1);
  store<u8>(to, <u8>tableBytes);
  let bits: u64 = 0;
  for (let symbol: u32 = 0; symbol < 256; symbol++) {
    bits += <u64>load<u32>(counts + 4 * symbol) * load<u8>(lengths + symbol);
  }
  const tiles = (count + tileSymbols - 1) / tileSymbols;
  let entry = to + 1 + tableBytes;
  let end = entry + 2 * tiles;
  // 'coded, if that body is shorter than the plain one'
  if (<u64>(end - to) + (bits >> 3) < count) {
    assignCodes();
    for (let start: u32 = 0; start < count; start += tileSymbols) {
      const bytes = encodeTile(symbols + start, min(tileSymbols, count - start), end);
      store<u16>(entry, <u16>bytes);
      entry += 2;
      end += bytes;
    }
    if (end < to + count) {
      sectionEnd = end;
      return coded;
    }
  }
  memory.copy(to, symbols, count);
  sectionEnd = to + count;
  return plain;
}

/**
 * Decodes a section.
 * @param from its body; `end` the payload's
 * @param symbols room for `count` symbols
 * @returns whether it is valid. If so, `sectionEnd` is its end
 */
export function decodeSection(kind: u32, from: usize, end: usize, symbols: usize, count: u32): bool {
  const left = <u32>(end - from);
  if (kind === plain) {
    sectionEnd = from + count;
    if (left < count) return false;
    memory.copy(symbols, from, count);
    return true;
  }
  if (left < 1) return false;
  if (kind === single) {
    sectionEnd = from + 1;
    memory.fill(symbols, load<u8>(from), count);
    return true;
  }
  const tableBytes = <u32>load<u8>(from);
  const tiles = (count + tileSymbols - 1) / tileSymbols;
  if (left < 1 + tableBytes + 2 * tiles || !readTable(from + 1, tableBytes)) return false;
  assignCodes();
  fillDecodeTable();
  let entry = from + 1 + tableBytes;
  let at = entry + 2 * tiles;
  for (let start: u32 = 0; start < count; start += tileSymbols) {
    const bytes = <u32>load<u16>(entry);
    entry += 2;
    if (<u32>(end - at) < bytes) return false;
    if (!decodeTile(at, bytes, symbols + start, min(tileSymbols, count - start))) return false;
    at += bytes;
  }
  sectionEnd = at;
  return true;
}
