import { BitReader, BitWriter } from '../../codec/bits.ts';
import { type CodeLengths, canonicalCodes, decodeTable, maxCodeBits } from './code.ts';
import { corrupt, segmentSymbols } from './layout.ts';

/** SPEC.md, 'Tiles': the widths in bits of the base and of the width field. */
const baseBits = 12;
const widthBits = 4;

/** 'segment j has the groups j, j + L, j + 2L and so on' */
function forEachSymbol(count: number, segment: number, segments: number, visit: (index: number) => void): void {
  for (let group = 4 * segment; group < count; group += 4 * segments) {
    const end = Math.min(group + 4, count);
    for (let index = group; index < end; index++) visit(index);
  }
}

/** @returns an encoder of tiles with this code */
export function tileEncoder(lengths: CodeLengths): (symbols: Uint8Array) => Uint8Array {
  const codes = canonicalCodes(lengths);
  return (symbols) => {
    const segments = Math.ceil(symbols.length / segmentSymbols);
    const segmentBits = Array.from({ length: segments }, (_, segment) => {
      let bits = 0;
      forEachSymbol(symbols.length, segment, segments, (i) => {
        bits += lengths[symbols[i] as number] as number;
      });
      return bits;
    });
    const writer = new BitWriter(symbols.length);
    if (segments > 1) {
      const listed = segmentBits.slice(0, -1);
      const base = Math.min(...listed);
      const width = 32 - Math.clz32(Math.max(...listed) - base);
      writer.write(base, baseBits);
      writer.write(width, widthBits);
      for (const bits of listed) writer.write(bits - base, width);
    }
    for (let segment = 0; segment < segments; segment++) {
      forEachSymbol(symbols.length, segment, segments, (i) => {
        const symbol = symbols[i] as number;
        writer.write(codes[symbol] as number, lengths[symbol] as number);
      });
    }
    return writer.toBytes();
  };
}

/** @returns a decoder of tiles with this code. It fills all of `symbols`, and throws StriaError `corrupt` */
export function tileDecoder(lengths: CodeLengths): (bytes: Uint8Array, symbols: Uint8Array) => void {
  const table = decodeTable(lengths);
  const mask = 2 ** maxCodeBits - 1;
  return (bytes, symbols) => {
    const segments = Math.ceil(symbols.length / segmentSymbols);
    const reader = new BitReader(bytes);
    const listed: number[] = [];
    if (segments > 1) {
      const base = reader.read(baseBits);
      const width = reader.read(widthBits);
      for (let segment = 0; segment < segments - 1; segment++) listed.push(base + reader.read(width));
    }
    for (let segment = 0; segment < segments; segment++) {
      const start = reader.position;
      forEachSymbol(symbols.length, segment, segments, (i) => {
        const entry = table[reader.peek() & mask] as number;
        reader.skip(entry >> 8);
        symbols[i] = entry;
      });
      const bits = reader.position - start;
      if (segment < listed.length && bits !== listed[segment]) {
        throw corrupt(`segment ${segment} has ${bits} bits instead of the stated ${listed[segment]}`);
      }
    }
    const rest = 8 * bytes.length - reader.position;
    if (rest >= 8 || reader.read(rest) !== 0) throw corrupt(`tile has ${bytes.length} bytes; it ends at bit ${reader.position}`);
  };
}
