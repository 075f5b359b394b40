import { elementCount, readElement } from '../../codec/batch.ts';
import type { ReferenceCodec } from '../../codec/codec.ts';
import { type Elements, fillRun, fromScanOrder, inScanOrder, newElements, parseAxis } from '../../codec/scan-order.ts';
import { StriaError } from '../../shared/errors.ts';

/** Lengths in bytes of the bitmaps of levels 0, 1, 2, 3: n0 = ceil(N / 8), n1 = ceil(n0 / 8), n2 = ceil(n1 / 8), n3 = ceil(n2 / 8). */
export function levelLengths(count: number): readonly [number, number, number, number] {
  return [Math.ceil(count / 8), Math.ceil(count / 64), Math.ceil(count / 512), Math.ceil(count / 4096)];
}

const popcounts = Uint8Array.from({ length: 256 }, (_, byte) => {
  let bits = 0;
  for (let rest = byte; rest > 0; rest >>= 1) bits += rest & 1;
  return bits;
});

export const reference: ReferenceCodec = {
  encode(chunk, parameters) {
    const axis = parseAxis('rle', parameters);
    const ordered = inScanOrder(chunk, axis);
    const { levels, runCount } = runStarts(ordered);
    const [level0, level1, level2, level3] = levels;

    // All of level 3, then the nonzero bytes of levels 2, 1 and 0, then the value of each run.
    const sections = [level3, nonzeroBytes(level2, level3), nonzeroBytes(level1, level2), nonzeroBytes(level0, level1)];
    const treeLength = sections.reduce((sum, section) => sum + section.byteLength, 0);
    const payload = new Uint8Array(treeLength + runCount * chunk.elementBytes);
    let at = 0;
    for (const section of sections) {
      payload.set(section, at);
      at += section.byteLength;
    }
    forEachBit(level1, level0.length, (j) => {
      forEachBitOf(level0[j] as number, 8 * j, (i) => {
        const value = ordered[i] as number;
        for (let byte = 0; byte < chunk.elementBytes; byte++) payload[at++] = value >>> (8 * byte);
      });
    });
    return payload;
  },

  decode(payload, chunk, parameters) {
    const axis = parseAxis('rle', parameters);
    const count = elementCount(chunk);
    const { elementBytes } = chunk;
    const lengths = levelLengths(count);
    if (payload.byteLength < lengths[3])
      throw corrupt(`ends after ${payload.byteLength} bytes, inside level 3 (${lengths[3]} bytes)`);

    // Every offset follows from earlier parts, and each byte of a level has at most 8 bytes below it.
    let level = payload.subarray(0, lengths[3]);
    checkPadding(level, lengths[2], 3);
    let at = lengths[3];
    for (const child of [2, 1, 0] as const) {
      const expanded = childLevel(level, lengths[child], payload, at, child);
      checkPadding(expanded.level, child === 0 ? count : (lengths[child - 1] as number), child);
      at += expanded.read;
      level = expanded.level;
    }
    if (((level[0] as number) & 1) === 0) throw corrupt('has no run that starts at element 0');
    const runCount = countBits(level);
    const expectedLength = at + runCount * elementBytes;
    if (payload.byteLength !== expectedLength) {
      throw corrupt(`has ${payload.byteLength} bytes; its ${runCount} runs take ${expectedLength}`);
    }

    const ordered = newElements(count, elementBytes);
    let start = 0;
    let value = readElement(payload, at, elementBytes);
    forEachBit(level, count, (i) => {
      if (i === 0) return;
      at += elementBytes;
      const next = readElement(payload, at, elementBytes);
      if (next === value) throw corrupt(`has two adjacent runs of the value ${value}, at element ${i}`);
      fillRun(ordered, value, start, i);
      start = i;
      value = next;
    });
    fillRun(ordered, value, start, count);
    return fromScanOrder(ordered, chunk.shape, axis);
  },

  /** Levels 3, 2, 1 and 0, and the values: 'each part's length is the number of ones in the part before.' */
  sections(payload, chunk) {
    const lengths = [levelLengths(elementCount(chunk))[3]];
    for (let at = 0; lengths.length < 4; ) {
      const length = lengths.at(-1) as number;
      lengths.push(countBits(payload.subarray(at, at + length)));
      at += length;
    }
    return [...lengths, payload.byteLength - lengths.reduce((sum, length) => sum + length, 0)];
  },
};

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the rle payload ${what}`);
}

/**
 * 'Element i starts a run if i = 0, or if it differs from element i − 1': level 0. 'Bit j % 8 of byte floor(j / 8) of level
 * k + 1 is 1 where byte j of level k is not 0': so a run that starts at i sets bit i >> 3k of level k.
 */
function runStarts(ordered: Elements): { levels: readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array]; runCount: number } {
  const [n0, n1, n2, n3] = levelLengths(ordered.length);
  const [level0, level1, level2, level3] = [new Uint8Array(n0), new Uint8Array(n1), new Uint8Array(n2), new Uint8Array(n3)];
  const words = new Int32Array(ordered.buffer, 0, ordered.byteLength >> 2);
  const wordElements = 4 / ordered.BYTES_PER_ELEMENT;
  let runCount = 0;
  let previous = -1;
  for (let i = 0; i < ordered.length; ) {
    const wordEnd = Math.min(i + wordElements, ordered.length);
    for (; i < wordEnd; i++) {
      const element = ordered[i] as number;
      if (element === previous) continue;
      setBit(level0, i);
      setBit(level1, i >> 3);
      setBit(level2, i >> 6);
      setBit(level3, i >> 9);
      runCount++;
      previous = element;
    }
    // No run starts in words whose elements all belong to one run.
    const repeated = Math.imul(previous, repeats[ordered.BYTES_PER_ELEMENT] as number);
    if (i < ordered.length) i = wordElements * endOfRepeats(words, i / wordElements, repeated);
  }
  return { levels: [level0, level1, level2, level3], runCount };
}

function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
}

/** By element width: multiplying an element by this factor repeats it in every lane of a word. */
const repeats: Readonly<Record<number, number>> = { 1: 0x01010101, 2: 0x00010001, 4: 1 };

/** The index of the first word from `start` on that differs from `word`; the number of words if none does. */
function endOfRepeats(words: Int32Array, start: number, word: number): number {
  let at = start;
  while (at < words.length && words[at] === word) at++;
  return at;
}

/** The bytes of a level that are not 0, found by its parent. */
function nonzeroBytes(level: Uint8Array, parent: Uint8Array): Uint8Array {
  const found = new Uint8Array(countBits(parent));
  let at = 0;
  forEachBit(parent, level.length, (j) => {
    found[at++] = level[j] as number;
  });
  return found;
}

/** A level from its parent and its stored bytes, which start at byte `at` of the payload. */
function childLevel(parent: Uint8Array, length: number, payload: Uint8Array, at: number, number: number) {
  const stored = countBits(parent);
  if (at + stored > payload.byteLength) {
    throw corrupt(`ends after ${payload.byteLength} bytes; level ${number} reaches to byte ${at + stored}`);
  }
  const level = new Uint8Array(length);
  let read = 0;
  forEachBit(parent, length, (j) => {
    const byte = payload[at + read++] as number;
    if (byte === 0) throw corrupt(`stores a zero byte in level ${number}`);
    level[j] = byte;
  });
  return { level, read };
}

/** 'Bits after the last byte of the level below (in level 0: after the last element) are 0.' */
function checkPadding(level: Uint8Array, bitCount: number, number: number): void {
  if (bitCount % 8 !== 0 && (level.at(-1) as number) >> (bitCount % 8) !== 0) {
    throw corrupt(`has bits after the end of level ${number}`);
  }
}

function countBits(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) count += popcounts[byte] as number;
  return count;
}

/** Calls `visit` with the index of each bit that is 1, below `bitCount`, in order. */
function forEachBit(bits: Uint8Array, bitCount: number, visit: (index: number) => void): void {
  for (let at = 0; at < bits.length; at++) {
    if (bits[at] !== 0) forEachBitOf(bits[at] as number, 8 * at, visit, bitCount);
  }
}

/** Like `forEachBit`, for one byte whose lowest bit has the index `first`. */
function forEachBitOf(byte: number, first: number, visit: (index: number) => void, bitCount = first + 8): void {
  for (let index = first, rest = byte; rest !== 0 && index < bitCount; index++, rest >>= 1) {
    if (rest & 1) visit(index);
  }
}
