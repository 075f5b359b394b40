import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { chunkBytes, elementCount, readElement } from '../batch.ts';
import type { ChunkVoxels, CodecElementBytes, ReferenceCodec } from '../codec.ts';
import { type Axis, orderOf, parseAxis } from './order.ts';

type Elements = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** Lengths in bytes of the bitmaps of levels 0, 1, 2, 3: 'n0 = ceil(N / 8), n1 = ceil(n0 / 8), n2 = ceil(n1 / 8), n3 = ceil(n2 / 8)'. */
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
    const axis = parseAxis(parameters);
    const count = elementCount(chunk);
    const ordered = inScanOrder(chunk, axis);
    const { level0, runCount } = runStarts(ordered);
    const level1 = parentLevel(level0);
    const level2 = parentLevel(level1);
    const level3 = parentLevel(level2);

    // 'level 3 whole, then the nonzero bytes of level 2, of level 1 and of level 0, then the value of each run'
    const sections = [level3, nonzeroBytes(level2, level3), nonzeroBytes(level1, level2), nonzeroBytes(level0, level1)];
    const treeLength = sections.reduce((sum, section) => sum + section.byteLength, 0);
    const payload = new Uint8Array(treeLength + runCount * chunk.elementBytes);
    let at = 0;
    for (const section of sections) {
      payload.set(section, at);
      at += section.byteLength;
    }
    forEachBit(level0, count, (i) => {
      const value = ordered[i] as number;
      for (let byte = 0; byte < chunk.elementBytes; byte++) payload[at++] = value >>> (8 * byte);
    });
    return payload;
  },

  decode(payload, chunk, parameters) {
    const axis = parseAxis(parameters);
    const count = elementCount(chunk);
    const { elementBytes } = chunk;
    const lengths = levelLengths(count);
    if (payload.byteLength < lengths[3])
      throw corrupt(`ends after ${payload.byteLength} bytes, inside level 3 (${lengths[3]} bytes)`);

    // Every offset follows from what was read before, and no level is longer than 8 bytes for each byte of its parent.
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
      if (next === value) throw corrupt(`has two runs of the value ${value} side by side, at element ${i}`);
      fillRun(ordered, value, start, i);
      start = i;
      value = next;
    });
    fillRun(ordered, value, start, count);
    return fromScanOrder(ordered, chunk.shape, axis);
  },
};

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the rle payload ${what}`);
}

function newElements(count: number, elementBytes: CodecElementBytes): Elements {
  if (elementBytes === 1) return new Uint8Array(count);
  return elementBytes === 2 ? new Uint16Array(count) : new Uint32Array(count);
}

/** The chunk's elements one column after the other: SPEC.md, 'Scan order'. */
function inScanOrder(chunk: ChunkVoxels, axis: Axis): Elements {
  const { bytes, shape, elementBytes } = chunk;
  const length = chunkBytes(chunk);
  if (bytes.byteLength !== length) throw new StriaError('internal', `a chunk of ${length} bytes came as ${bytes.byteLength}`);
  const memory = newElements(length / elementBytes, elementBytes);
  new Uint8Array(memory.buffer).set(bytes);
  if (axis === 0) return memory;
  const ordered = newElements(memory.length, elementBytes);
  const { xStep, yStep, zStep } = orderOf(shape, axis);
  let source = 0;
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      const end = source + shape[0];
      for (let i = y * yStep + z * zStep; source < end; i += xStep) ordered[i] = memory[source++] as number;
    }
  }
  return ordered;
}

/** The way back, as voxel bytes. */
function fromScanOrder(ordered: Elements, shape: Dims3, axis: Axis): Uint8Array<ArrayBuffer> {
  if (axis === 0) return new Uint8Array(ordered.buffer);
  const memory = newElements(ordered.length, ordered.BYTES_PER_ELEMENT as CodecElementBytes);
  const { xStep, yStep, zStep } = orderOf(shape, axis);
  let target = 0;
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      const end = target + shape[0];
      for (let i = y * yStep + z * zStep; target < end; i += xStep) memory[target++] = ordered[i] as number;
    }
  }
  return new Uint8Array(memory.buffer);
}

/** 'Element i starts a run if i = 0, or if it differs from element i − 1': level 0 and the number of its bits. */
function runStarts(ordered: Elements): { level0: Uint8Array; runCount: number } {
  const level0 = new Uint8Array(Math.ceil(ordered.length / 8));
  let runCount = 0;
  let previous = -1;
  for (let i = 0; i < ordered.length; i++) {
    const element = ordered[i] as number;
    if (element !== previous) {
      level0[i >> 3] = (level0[i >> 3] as number) | (1 << (i & 7));
      runCount++;
      previous = element;
    }
  }
  return { level0, runCount };
}

/** 'Bit j of level k + 1 is 1 where byte j of level k is not 0.' */
function parentLevel(level: Uint8Array): Uint8Array {
  const parent = new Uint8Array(Math.ceil(level.length / 8));
  for (let j = 0; j < level.length; j++) {
    if (level[j] !== 0) parent[j >> 3] = (parent[j >> 3] as number) | (1 << (j & 7));
  }
  return parent;
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

/** 'Bits behind the last byte of the level below (in level 0: behind the last element) are 0.' */
function checkPadding(level: Uint8Array, bitCount: number, number: number): void {
  if (bitCount % 8 !== 0 && (level.at(-1) as number) >> (bitCount % 8) !== 0) {
    throw corrupt(`has bits behind the end of level ${number}`);
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
    let byte = bits[at] as number;
    for (let index = 8 * at; byte !== 0 && index < bitCount; index++, byte >>= 1) {
      if (byte & 1) visit(index);
    }
  }
}

/** Short runs by hand: a call of `fill` costs as much as some twenty elements. */
function fillRun(elements: Elements, value: number, start: number, end: number): void {
  if (end - start > 20) elements.fill(value, start, end);
  else for (let i = start; i < end; i++) elements[i] = value;
}
