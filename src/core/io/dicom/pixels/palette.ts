import { StriaError } from '../../../shared/errors.ts';
import type { DataSet } from '../parse/elements.ts';
import { numbersOf, valueBytes } from '../parse/values.ts';

/** The colours of stored values: entry i belongs to the value `first` + i. Values outside take the nearest entry. */
export interface Palette {
  readonly first: number;
  readonly type: 'u8' | 'u16';
  /** Red, green and blue. */
  readonly tables: readonly Uint16Array[];
}

const channels = [
  { descriptor: 0x00281101, data: 0x00281201, segmented: 0x00281221, name: 'red' },
  { descriptor: 0x00281102, data: 0x00281202, segmented: 0x00281222, name: 'green' },
  { descriptor: 0x00281103, data: 0x00281203, segmented: 0x00281223, name: 'blue' },
];

/** @throws StriaError `corrupt` for tables that are missing or too short */
export function readPalette(set: DataSet): Palette {
  let type: Palette['type'] = 'u8';
  let first = 0;
  const tables = channels.map(({ descriptor, data, segmented, name }) => {
    const [length = 0, start = 0, bits = 16] = numbersOf(set, descriptor);
    // PS3.3, C.7.6.3.1.5: 0 means 65536.
    const count = length === 0 ? 65536 : length & 0xffff;
    if (bits > 8) type = 'u16';
    const isSigned = numbersOf(set, 0x00280103)[0] === 1;
    first = isSigned && start > 0x7fff ? start - 0x10000 : start;
    const words = wordsOf(set, data, count, bits);
    const table = words ?? (set.elements.has(segmented) ? expand(numbersOf(set, segmented), count) : undefined);
    if (table === undefined || table.length < count) {
      throw new StriaError('corrupt', `the palette has fewer than ${count} entries for ${name}`);
    }
    return table;
  });
  // By the standard all three have the same descriptor. If they differ, the shortest decides.
  return { first, type, tables };
}

/** 8-bit entries may be stored in bytes or in words. */
function wordsOf(set: DataSet, tag: number, count: number, bits: number): Uint16Array | undefined {
  const element = set.elements.get(tag);
  if (element === undefined) return undefined;
  const bytes = valueBytes(set, element);
  if (bytes.byteLength < 2 * count && bits <= 8 && bytes.byteLength >= count) {
    // In a big-endian file, the bytes of each word are swapped.
    const isSwapped = !set.encoding.isLittle && element.vr === 'OW';
    return Uint16Array.from({ length: count }, (_, index) => bytes[isSwapped ? index ^ 1 : index] as number);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = Math.min(count, bytes.byteLength >>> 1);
  return Uint16Array.from({ length: entries }, (_, index) => view.getUint16(2 * index, set.encoding.isLittle));
}

/** Segments, PS3.3, C.7.9.2: literal runs, lines between two values, and copies of earlier segments. */
function expand(words: readonly number[], count: number): Uint16Array {
  const table = new Uint16Array(count);
  let filled = 0;
  const put = (value: number) => {
    if (filled < count) table[filled++] = value;
  };
  const segment = (at: number): number => {
    const [kind, length = 0] = words.slice(at, at + 2);
    if (kind === 0) {
      for (const value of words.slice(at + 2, at + 2 + length)) put(value);
      return at + 2 + length;
    }
    if (kind === 1) {
      const from = filled > 0 ? (table[filled - 1] as number) : 0;
      const to = words[at + 2] ?? 0;
      for (let step = 1; step <= length && filled < count; step++) put(Math.round(from + ((to - from) * step) / length));
      return at + 3;
    }
    throw new StriaError('unsupported', 'a palette with segments that refer to each other is not supported');
  };
  for (let at = 0; at < words.length && filled < count; ) at = segment(at);
  return table.subarray(0, filled);
}
