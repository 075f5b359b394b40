import { corrupt } from './layout.ts';

/** SPEC.md: No code is longer than 12 bits. */
export const maxCodeBits = 12;
/** The maximum length of a table, in bytes: a nibble for each symbol. */
export const maxTableBytes = 128;

/** For each symbol the length of its code in bits; 0 if it has none. */
export type CodeLengths = Uint8Array;

/**
 * SPEC.md, 'The encoder's choice': a Huffman code, limited to 12 bits.
 * @param counts how often each of the 256 symbols occurs; at least two of them must
 */
export function codeLengths(counts: Uint32Array): CodeLengths {
  // 'The symbols that occur are sorted, the rarest first, on a tie the lower one'
  const sorted = [...counts.keys()].filter((symbol) => (counts[symbol] as number) > 0);
  sorted.sort((a, b) => (counts[a] as number) - (counts[b] as number) || a - b);
  const numbers = limitDepths(depthsOfLeaves(sorted.map((symbol) => counts[symbol] as number)));
  // 'The most frequent symbols get the shortest codes'
  const lengths = new Uint8Array(256);
  let next = sorted.length;
  numbers.forEach((number, length) => {
    for (let i = 0; i < number; i++) lengths[sorted[--next] as number] = length;
  });
  return lengths;
}

/**
 * The number of leaves at each depth of the Huffman tree; index 12 also counts deeper leaves. Moffat and Katajainen,
 * "In-place calculation of minimum-redundancy codes" (1995). A leaf precedes an inner node of the same weight.
 * @param weights in rising order, at least two
 */
function depthsOfLeaves(weights: number[]): number[] {
  const count = weights.length;
  const at = (index: number) => weights[index] as number;
  // Each pair of the lightest nodes gets a parent. The parent's index then replaces the weight of an inner node.
  let leaf = 0;
  let root = 0;
  for (let parent = 0; parent < count - 1; parent++) {
    let sum = 0;
    for (let child = 0; child < 2; child++) {
      if (leaf >= count || (root < parent && at(root) < at(leaf))) {
        sum += at(root);
        weights[root++] = parent;
      } else {
        sum += at(leaf++);
      }
    }
    weights[parent] = sum;
  }
  // Each node's own depth replaces the index of its parent.
  weights[count - 2] = 0;
  for (let node = count - 3; node >= 0; node--) weights[node] = at(at(node)) + 1;
  // At each depth, nodes that are not inner nodes are leaves.
  const numbers = new Array<number>(maxCodeBits + 1).fill(0);
  let node = count - 2;
  for (let depth = 0, nodes = 1; nodes > 0; depth++) {
    let inner = 0;
    for (; node >= 0 && at(node) === depth; node--) inner++;
    const level = Math.min(depth, maxCodeBits);
    numbers[level] = (numbers[level] as number) + nodes - inner;
    nodes = 2 * inner;
  }
  return numbers;
}

/** Until the codes fit into the code space: joins a 12-bit leaf with the deepest shorter leaf, one level below that leaf. */
function limitDepths(numbers: number[]): number[] {
  const at = (length: number) => numbers[length] as number;
  let taken = numbers.reduce((sum, number, length) => sum + number * 2 ** (maxCodeBits - length), 0);
  for (; taken > 2 ** maxCodeBits; taken--) {
    let length = maxCodeBits - 1;
    while (at(length) === 0) length--;
    numbers[maxCodeBits] = at(maxCodeBits) - 1;
    numbers[length] = at(length) - 1;
    numbers[length + 1] = at(length + 1) + 2;
  }
  return numbers;
}

/**
 * 'codes rise, as numbers, with their length, and among those of one length with the symbol'. Each code's first bit is its
 * lowest.
 */
export function canonicalCodes(lengths: CodeLengths): Uint16Array {
  const codes = new Uint16Array(256);
  let next = 0;
  for (let length = 1; length <= maxCodeBits; length++) {
    next *= 2;
    for (let symbol = 0; symbol < 256; symbol++) {
      if (lengths[symbol] !== length) continue;
      for (let bit = 0; bit < length; bit++) {
        if ((next >> bit) & 1) codes[symbol] = (codes[symbol] as number) | (1 << (length - 1 - bit));
      }
      next++;
    }
  }
  return codes;
}

/** Indexed by the next 12 bits of a stream, lowest first: the symbol, plus 256 × the length of its code. */
export function decodeTable(lengths: CodeLengths): Uint16Array {
  const table = new Uint16Array(2 ** maxCodeBits);
  const codes = canonicalCodes(lengths);
  lengths.forEach((length, symbol) => {
    if (length === 0) return;
    for (let index = codes[symbol] as number; index < table.length; index += 2 ** length) table[index] = symbol + 256 * length;
  });
  return table;
}

const tokens = { zeros: 13, manyZeros: 14, repeat: 15 } as const;

/** SPEC.md, 'Table': the lengths in nibbles. */
export function packLengths(lengths: CodeLengths): Uint8Array {
  const nibbles: number[] = [];
  const runFrom = (start: number, limit: number) => {
    let end = start;
    while (end < 256 && end - start < limit && lengths[end] === lengths[start]) end++;
    return end - start;
  };
  for (let symbol = 0; symbol < 256; ) {
    const length = lengths[symbol] as number;
    const run = runFrom(symbol, 256);
    if (length === 0) {
      if (symbol + run === 256) break;
      if (run === 1) nibbles.push(0);
      else if (run <= 17) nibbles.push(tokens.zeros, run - 2);
      else nibbles.push(tokens.manyZeros, (run - 18) & 15, (run - 18) >> 4);
      symbol += run;
      continue;
    }
    nibbles.push(length);
    symbol++;
    for (let repeats = runFrom(symbol - 1, 18) - 1; repeats >= 2; repeats = runFrom(symbol - 1, 18) - 1) {
      nibbles.push(tokens.repeat, repeats - 2);
      symbol += repeats;
    }
  }
  const bytes = new Uint8Array(Math.ceil(nibbles.length / 2));
  nibbles.forEach((nibble, i) => {
    bytes[i >> 1] = (bytes[i >> 1] as number) | (nibble << (4 * (i & 1)));
  });
  return bytes;
}

/** @throws StriaError `corrupt` unless the lengths are those of a complete code */
export function unpackLengths(bytes: Uint8Array): CodeLengths {
  const lengths = new Uint8Array(256);
  let symbol = 0;
  let at = 0;
  const nibble = () => {
    const value = at < 2 * bytes.length ? ((bytes[at >> 1] as number) >> (4 * (at & 1))) & 15 : 0;
    at++;
    return value;
  };
  while (at < 2 * bytes.length) {
    const token = nibble();
    let count = 1;
    let length = token;
    if (token === tokens.zeros) {
      count = 2 + nibble();
      length = 0;
    } else if (token === tokens.manyZeros) {
      count = 18 + nibble();
      count += 16 * nibble();
      length = 0;
    } else if (token === tokens.repeat) {
      count = 2 + nibble();
      length = symbol > 0 ? (lengths[symbol - 1] as number) : 0;
    }
    // The last nibble may be padding.
    if (symbol + count > 256 && !(length === 0 && at === 2 * bytes.length)) throw corrupt('table has more than 256 symbols');
    lengths.fill(length, symbol, symbol + count);
    symbol += count;
  }
  const taken = lengths.reduce((sum, length) => sum + (length === 0 ? 0 : 2 ** (maxCodeBits - length)), 0);
  if (taken !== 2 ** maxCodeBits) throw corrupt(`table uses ${taken} of ${2 ** maxCodeBits} code words`);
  return lengths;
}
