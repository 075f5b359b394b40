import type { Random } from './random.ts';

// Why not a library: those for JavaScript either instrument a program from outside (Jazzer.js) or generate values from a
// grammar (fast-check). Neither damages given bytes, which takes only the few lines below.

const edgeNumbers = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];

type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;

const mutations: readonly Mutation[] = [
  function flipBits(bytes, random) {
    const copy = bytes.slice();
    for (let left = 1 + random.below(4); left > 0; left--) {
      const bit = random.below(8 * bytes.length);
      copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
    }
    return copy;
  },
  function setByte(bytes, random) {
    const copy = bytes.slice();
    copy[random.below(bytes.length)] = random.oneIn(2) ? random.below(256) : random.pick([0, 1, 127, 128, 255]);
    return copy;
  },
  function setNumber(bytes, random) {
    const width = random.pick([2, 4, 8]);
    if (bytes.length < width) return bytes;
    const copy = bytes.slice();
    const view = new DataView(copy.buffer);
    // Fields are usually aligned.
    const at = random.oneIn(3)
      ? random.below(bytes.length - width + 1)
      : 2 * random.below(Math.floor((bytes.length - width) / 2) + 1);
    const isLittle = random.oneIn(2);
    const value = random.oneIn(3) ? bytes.length + random.below(64) - 32 : random.pick(edgeNumbers);
    if (width === 2) view.setUint16(at, value, isLittle);
    else if (width === 4) view.setUint32(at, value, isLittle);
    else view.setBigUint64(at, BigInt.asUintN(64, BigInt(value) << BigInt(random.pick([0, 0, 21, 32]))), isLittle);
    return copy;
  },
  function truncate(bytes, random) {
    return bytes.slice(0, random.oneIn(2) ? random.below(bytes.length) : Math.max(0, bytes.length - 1 - random.below(16)));
  },
  function append(bytes, random) {
    return joined(bytes, noise(random, 1 + random.below(16)));
  },
  function insert(bytes, random) {
    const at = random.below(bytes.length + 1);
    return joined(bytes.subarray(0, at), noise(random, 1 + random.below(8)), bytes.subarray(at));
  },
  function remove(bytes, random) {
    const at = random.below(bytes.length);
    return joined(bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(8)));
  },
  function repeat(bytes, random) {
    const at = random.below(bytes.length);
    const part = bytes.subarray(at, at + 1 + random.below(64));
    return joined(bytes.subarray(0, at), part, bytes.subarray(at));
  },
  function splice(bytes, random, other) {
    return joined(bytes.subarray(0, random.below(bytes.length + 1)), other.subarray(random.below(other.length + 1)));
  },
  function clear(bytes, random) {
    const copy = bytes.slice();
    const at = random.below(bytes.length);
    return copy.fill(random.pick([0, 255]), at, at + 1 + random.below(32));
  },
];

/** Bytes damaged in one to three ways. @param other sometimes spliced in */
export function mutateBytes(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array {
  let mutant = bytes;
  for (let left = 1 + (random.oneIn(3) ? random.below(3) : 0); left > 0 && mutant.length > 0; left--) {
    mutant = random.pick(mutations)(mutant, random, other);
  }
  return mutant;
}

const words = [
  '0',
  '-1',
  '1e308',
  '1e-320',
  '4294967296',
  '9007199254740993',
  '999999999999',
  'NaN',
  '"NaN"',
  'null',
  '[]',
  '{}',
  '""',
  '1.5',
  'true',
];

/** Text with a number, a word or a line changed, as bytes. */
export function mutateText(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  const tokens = [...text.matchAll(/-?\d+(\.\d+)?|"[^"]*"|\w+/g)];
  if (tokens.length === 0 || random.oneIn(4)) return mutateBytes(bytes, random, other);
  const { index, 0: token } = random.pick(tokens);
  const instead = random.oneIn(4) ? (random.pick(tokens)[0] as string) : random.oneIn(8) ? '' : random.pick(words);
  return new TextEncoder().encode(text.slice(0, index) + instead + text.slice(index + token.length));
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function noise(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}
