import { StriaError } from '../../shared/errors.ts';

/** 256 codes, then their 256 lengths in bits, as kernels read them. Symbols that never occur have length 0. */
export type CodeTable = Uint32Array<ArrayBuffer>;

interface Node {
  readonly count: number;
  readonly symbols: readonly number[];
}

const mostBits = 32;

/** Huffman's minimum-redundancy code (1952), canonical: ordered by length, then by symbol. */
export function huffmanCodes(counts: readonly number[]): CodeTable {
  const lengths = new Array<number>(256).fill(0);
  let nodes: Node[] = counts.flatMap((count, symbol) => (count > 0 ? [{ count, symbols: [symbol] }] : []));
  const [only] = nodes;
  if (only && nodes.length === 1) lengths[only.symbols[0] as number] = 1;
  while (nodes.length > 1) {
    nodes.sort((a, b) => a.count - b.count);
    const [first, second, ...rest] = nodes as [Node, Node, ...Node[]];
    const symbols = [...first.symbols, ...second.symbols];
    for (const symbol of symbols) lengths[symbol] = (lengths[symbol] as number) + 1;
    nodes = [...rest, { count: first.count + second.count, symbols }];
  }
  if (Math.max(...lengths) > mostBits) throw new StriaError('internal', `a code is longer than ${mostBits} bits`);
  const table = new Uint32Array(512);
  const order = lengths.flatMap((length, symbol) => (length > 0 ? [{ length, symbol }] : []));
  order.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  let code = 0;
  let before = order[0]?.length ?? 0;
  for (const { length, symbol } of order) {
    code *= 2 ** (length - before);
    before = length;
    table[symbol] = code++;
    table[256 + symbol] = length;
  }
  return table;
}

export function countBytes(bytes: Uint8Array): number[] {
  const counts = new Uint32Array(256);
  for (let index = 0; index < bytes.length; index++) (counts[bytes[index] as number] as number)++;
  return [...counts];
}

/** The number of bits of the encoded bytes. @param counts how often each byte occurs */
export function codedBits(counts: readonly number[], table: CodeTable): number {
  return counts.reduce((bits, count, symbol) => bits + count * (table[256 + symbol] as number), 0);
}

/**
 * The CPU encoder. Writes codes consecutively, from the highest bit of each word down. Reads the highest byte of each input
 * word first, as CUVLE does.
 * @param output at least one word longer than the codes
 */
export function encodeCodes(words: Uint32Array, table: CodeTable, output: Uint32Array): void {
  let place = 0;
  let held = 0;
  let filled = 0;
  for (let index = 0; index < words.length; index++) {
    const symbols = words[index] as number;
    for (let shift = 24; shift >= 0; shift -= 8) {
      const symbol = (symbols >>> shift) & 255;
      const code = table[symbol] as number;
      const bits = table[256 + symbol] as number;
      const room = 32 - filled;
      if (bits < room) {
        held |= code << (room - bits);
        filled += bits;
        continue;
      }
      output[place++] = held | (code >>> (bits - room));
      filled = bits - room;
      held = filled > 0 ? code << (32 - filled) : 0;
    }
  }
  if (filled > 0) output[place] = held;
}

/** Decodes bit by bit, from the table alone. For tests. @throws StriaError `corrupt` */
export function decodeCodes(stream: Uint32Array, table: CodeTable, wordCount: number): Uint32Array {
  const symbolOf = new Map<string, number>();
  for (let symbol = 0; symbol < 256; symbol++) {
    const length = table[256 + symbol] as number;
    if (length > 0) symbolOf.set((table[symbol] as number).toString(2).padStart(length, '0'), symbol);
  }
  const words = new Uint32Array(wordCount);
  let position = 0;
  for (let index = 0; index < 4 * wordCount; index++) {
    let code = '';
    while (!symbolOf.has(code)) {
      if (code.length > mostBits) throw new StriaError('corrupt', 'bits that form no code');
      code += ((stream[position >>> 5] as number) >>> (31 - (position & 31))) & 1;
      position++;
    }
    const word = index >>> 2;
    words[word] = ((words[word] as number) << 8) | (symbolOf.get(code) as number);
  }
  return words;
}
