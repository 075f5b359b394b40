import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkBytes } from '../codec/batch.ts';
import type { ChunkVoxels, CodecElementBytes } from '../codec/codec.ts';
import { ChunkMemory } from '../cpu/chunk-memory.ts';
import { CpuDesk, encodeChunk, runCpuTask } from '../cpu/cpu-task-run.ts';
import type { Dims3 } from '../shared/volume.ts';
import { auto, only } from '../stream/engine-testing.ts';
import { decodeChunk } from './decode-chunk.ts';
import { fillRamp, findRamp, headBytes, mayBeRamp, type Ramp } from './ramp.ts';
import { notableRamps, rampByDefinition } from './ramp-testing.ts';

const length = fc.integer({ min: 1, max: 7 });
const anyShape: fc.Arbitrary<Dims3> = fc.tuple(fc.oneof(length, fc.integer({ min: 8, max: 40 })), length, length);
const anyRamp = fc.constantFrom<CodecElementBytes>(1, 2, 4).chain((elementBytes) => {
  const wrap = 2 ** (8 * elementBytes);
  const modulus = fc.oneof(fc.constant(0), fc.integer({ min: 2, max: 300 }), fc.integer({ min: 2, max: 65_536 }));
  return modulus
    .map((one) => (one < wrap ? one : 0))
    .chain((modulus) => {
      const below = fc.nat((modulus || wrap) - 1);
      const step = fc.oneof(fc.constant(0), fc.constantFrom(1, (modulus || wrap) - 1), below);
      const ramp = fc.record({ first: below, steps: fc.tuple(step, step, step), modulus: fc.constant(modulus) });
      return fc.record({ elementBytes: fc.constant(elementBytes), shape: anyShape, ramp });
    });
});

/** Encodes, decodes (which checks the checksum) and returns how the chunk was stored. */
function roundTrip(chunk: ChunkVoxels, choice = auto): string {
  const encoded = encodeChunk(chunk, choice);
  const decoded = decodeChunk(encoded, chunk);
  expect(decoded.every((byte, at) => byte === chunk.bytes[at])).toBe(true);
  return encoded.kind;
}

test('every ramp is found with every requested codec, and decodes to its voxels', () => {
  fc.assert(
    fc.property(anyRamp, ({ elementBytes, shape, ramp }) => {
      const chunk = rampByDefinition(shape, elementBytes, ramp);
      const isConstant = shape.every((extent, axis) => extent === 1 || ramp.steps[axis] === 0);
      expect(roundTrip(chunk)).toBe(isConstant ? 'constant' : 'ramp');
      expect(roundTrip(chunk, only('raw'))).toBe(isConstant ? 'constant' : 'ramp');
      const filled = { ...chunk, bytes: new Uint8Array(chunkBytes(chunk)) };
      fillRamp(filled, ramp);
      expect(filled.bytes).toEqual(chunk.bytes);
    }),
    { numRuns: 400 },
  );
});

test('no false ramps among chunks of few values, many of them nearly ramps', () => {
  const few = fc.constantFrom<CodecElementBytes>(1, 2, 4).chain((elementBytes) =>
    fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 })).chain((shape) => {
      const elements = shape[0] * shape[1] * shape[2];
      const bytes = fc.uint8Array({ minLength: elements * elementBytes, maxLength: elements * elementBytes, max: 2 });
      return bytes.map((one) => ({ bytes: one, shape: shape as Dims3, elementBytes }));
    }),
  );
  const kinds = new Set<string>();
  fc.assert(
    fc.property(few, (chunk) => void kinds.add(roundTrip(chunk))),
    { numRuns: 1000 },
  );
  expect([...kinds].sort()).toEqual(['coded', 'constant', 'ramp']);
});

test.each([1, 2, 4] as const)('a single wrong element anywhere prevents a ramp (elements of %i bytes)', (elementBytes) => {
  for (const ramp of notableRamps[elementBytes]) {
    const chunk = rampByDefinition([16, 3, 3], elementBytes, ramp);
    // Except the first element: if only that one wraps, the chunk is a ramp by another modulus.
    const taken = [...chunk.bytes.keys()].slice(elementBytes).filter((at) => {
      return findRamp({ ...chunk, bytes: chunk.bytes.with(at, (chunk.bytes[at] as number) ^ 1) }) !== undefined;
    });
    expect(findRamp(chunk)).toBeDefined();
    expect(taken, JSON.stringify(ramp)).toEqual([]);
  }
});

test('rules are the simplest possible: no modulus if nothing wraps', () => {
  const chunk = (ramp: Ramp) => rampByDefinition([8, 4, 4], 2, ramp);
  expect(findRamp(chunk({ first: 0, steps: [1, 8, 32], modulus: 255 }))).toEqual({ steps: [1, 8, 32], modulus: 0 });
  expect(findRamp(chunk({ first: 200, steps: [1, 8, 32], modulus: 255 }))).toEqual({ steps: [1, 8, 32], modulus: 255 });
  expect(findRamp(chunk({ first: 1, steps: [254, 0, 0], modulus: 255 }))).toEqual({ steps: [254, 0, 0], modulus: 255 });
});

test('a chunk whose first elements are no ramp is not examined further', () => {
  const shape: Dims3 = [64, 2, 1];
  const changes = [63 * 2, 64, 0] as const;
  const floats = new Uint8Array(Float32Array.from({ length: 3 }, (_, at) => 1 + Math.sin(at)).buffer);
  expect(floats.byteLength).toBe(headBytes);
  expect(mayBeRamp({ changes }, { shape, elementBytes: 4 }, () => floats)).toBe(false);
  const bytes = Uint8Array.of(0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 2);
  expect(mayBeRamp({ changes }, { shape, elementBytes: 1 }, () => bytes.with(11, 1))).toBe(true);
  expect(mayBeRamp({ changes }, { shape, elementBytes: 1 }, () => bytes)).toBe(false);
  expect(mayBeRamp({ changes: [63 * 2, 63, 0] }, { shape, elementBytes: 1 }, () => bytes.with(11, 1))).toBe(false);
});

test('ramps in WebAssembly memory give the same results, including one with a fault, and cubes', () => {
  for (const elementBytes of [1, 2, 4] as const) {
    for (const [at, ramp] of notableRamps[elementBytes].entries()) {
      const dims: Dims3 = at === 0 ? [128, 64, 64] : [64, 5, 4];
      const { bytes } = rampByDefinition(dims, elementBytes, ramp);
      bytes[bytes.byteLength - 1] = (bytes.at(-1) as number) ^ 1;
      const box = { bytes: bytes as Uint8Array<ArrayBuffer>, dims, elementBytes };
      const shape: Dims3 = [dims[0] / 2, dims[1], dims[2]];
      const chunks = [0, dims[0] / 2].map((x) => ({ origin: [x, 0, 0] as const, shape }));
      const task = { kind: 'encode', box, chunks, firstChunk: 0, codec: 'auto', options: auto.options } as const;
      const [here, there] = [new CpuDesk(new ChunkMemory()), new CpuDesk()].map((desk) => runCpuTask(task, desk));
      if (here?.kind !== 'encode' || there?.kind !== 'encode') throw new Error('a task failed');
      expect(here.chunks).toEqual(there.chunks);
      expect(here.chunks.map(({ kind }) => kind)).toEqual(['ramp', 'coded']);
    }
  }
});

test('a rule that no encoder writes is refused', () => {
  const chunk = encodeChunk(rampByDefinition([4, 3, 1], 1, { first: 254, steps: [1, 4, 0], modulus: 255 }), auto);
  if (chunk.kind !== 'ramp') throw new Error('no ramp');
  const geometry = { shape: [4, 3, 1], elementBytes: 1 } as const;
  for (const damage of [{ modulus: 1 }, { modulus: 256 }, { steps: [1, 255, 0] as const }, { element: Uint8Array.of(1, 0) }]) {
    expect(() => decodeChunk({ ...chunk, ...damage }, geometry)).toThrow(/ramp|element/);
  }
  expect(() => decodeChunk({ ...chunk, modulus: 0 }, geometry)).toThrow(/checksum/);
});
