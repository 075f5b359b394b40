import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChunkBox } from '../chunks/backend.ts';
import { gatherChunk } from '../chunks/boxes.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { sharedBytes } from '../shared/shared-bytes.ts';
import type { Dims3 } from '../shared/volume.ts';
import { only } from '../stream/engine-testing.ts';
import { ChunkMemory, maxMemoryBytes } from './chunk-memory.ts';
import type { DecodeTask } from './cpu-task.ts';
import { CpuDesk, encodeChunk, runCpuTask } from './cpu-task-run.ts';
import { RowMemory } from './decode-row.ts';

const untouched = 0xa5;

/** A row of chunks somewhere in a box, each of another codec or none, and the box with these voxels. */
const rows = fc
  .record({
    elementBytes: fc.constantFrom<CodecElementBytes>(1, 2, 4),
    widths: fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(64, 100, 300)), { minLength: 1, maxLength: 4 }),
    height: fc.integer({ min: 1, max: 6 }),
    depth: fc.integer({ min: 1, max: 3 }),
    margins: fc.constantFrom([0, 0], [1, 0], [0, 3], [5, 2]),
    offset: fc.nat(9),
    seed: fc.nat(1e6),
  })
  .map(({ elementBytes, widths, height, depth, margins: [left = 0, right = 0], offset, seed }) => {
    const width = widths.reduce((sum, each) => sum + each, 0);
    const dims: Dims3 = [left + width + right, height + 1, depth + 1];
    const origin: Dims3 = [left, 1, 1];
    const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * elementBytes).fill(untouched);
    const box = { bytes, dims, elementBytes };
    let [x, state] = [left, seed];
    const boxes = widths.map((each): ChunkBox => {
      x += each;
      return { origin: [x - each, 1, 1], shape: [each, height, depth] };
    });
    const chunks = boxes.map(({ origin, shape }, index) => {
      for (let z = 0; z < depth; z++) {
        for (let y = 0; y < height; y++) {
          const start = (((origin[2] + z) * dims[1] + origin[1] + y) * dims[0] + origin[0]) * elementBytes;
          for (let at = 0; at < shape[0] * elementBytes; at++) {
            state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
            bytes[start + at] = index === 2 ? 7 : (state >>> 20) % 5;
          }
        }
      }
      const codec = (['rice', 'rle', 'labels', 'huffman'] as const)[index % 4] as 'rice';
      return encodeChunk({ bytes: gatherChunk(box, { origin, shape }), shape, elementBytes }, only(codec));
    });
    return { box, origin, chunks, shapes: boxes.map(({ shape }) => shape), offset };
  });

test('a row of chunks goes to its place in a box, and nothing beside it changes', () => {
  const desks = [new CpuDesk(new ChunkMemory()), new CpuDesk()];
  fc.assert(
    fc.property(rows, ({ box, origin, chunks, shapes, offset }) => {
      const { dims, elementBytes } = box;
      const width = shapes.reduce((sum, [x]) => sum + x, 0);
      const whole: ChunkBox = { origin, shape: [width, dims[1] - 1, dims[2] - 1] };
      const task: DecodeTask = { kind: 'decode', chunks, shapes, elementBytes, checksPayload: true };
      expect(new RowMemory().decode(task)).toBeDefined();
      for (const desk of desks) {
        expect(runCpuTask(task, desk)).toEqual({ kind: 'decode', voxels: gatherChunk(box, whole), faults: [] });
        for (const memory of [sharedBytes, (length: number) => new Uint8Array(length)]) {
          const target = memory(offset + box.bytes.byteLength).fill(untouched);
          const into = { box: { ...box, bytes: target.subarray(offset) }, origin };
          expect(runCpuTask({ ...task, into }, desk)).toEqual({ kind: 'decode', voxels: undefined, faults: [] });
          expect(Buffer.compare(target.slice(offset), box.bytes)).toBe(0);
          expect(target.slice(0, offset).every((byte) => byte === untouched)).toBe(true);
        }
      }
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

test('a damaged chunk is a fault of its own, and the others are decoded', () => {
  const shape: Dims3 = [16, 8, 4];
  const bytesOf = (salt: number) => Uint8Array.from({ length: 512 }, (_, at) => (at * at * salt) >> 5);
  const chunks = [1, 2, 3, 4].map((salt) => encodeChunk({ bytes: bytesOf(salt), shape, elementBytes: 1 }, only('rice')));
  const damage = (index: number, change: object) =>
    chunks.map((chunk, at) => (at === index ? ({ ...chunk, ...change } as EncodedChunk) : chunk));
  const wrong = { sum: 1, cross: 2 };
  for (const [index, change, checksPayload] of [
    [1, { decodedChecksum: wrong }, false],
    [2, { encodedChecksum: wrong }, true],
    [0, { payload: new Uint8Array(3) }, false],
    [3, { kind: 'constant', element: new Uint8Array(2), decodedChecksum: wrong }, false],
  ] as const) {
    const shapes = chunks.map(() => shape);
    const task: DecodeTask = { kind: 'decode', chunks: damage(index, change), shapes, elementBytes: 1, checksPayload };
    for (const desk of [new CpuDesk(new ChunkMemory()), new CpuDesk()]) {
      const result = runCpuTask(task, desk);
      if (result.kind !== 'decode' || !result.voxels) throw new Error('not the result of a decode task');
      expect(result.faults).toMatchObject([{ index, fault: { tag: 'corrupt' } }]);
      const row = { bytes: result.voxels, dims: [64, 8, 4] as const, elementBytes: 1 as const };
      for (const other of [0, 1, 2, 3].filter((at) => at !== index)) {
        expect(gatherChunk(row, { origin: [16 * other, 0, 0], shape })).toEqual(bytesOf(other + 1));
      }
    }
  }
});

test('a row that is too large for the memory is decoded chunk by chunk', () => {
  const shape: Dims3 = [1024, 1024, 8];
  const bytes = new Uint8Array(2 ** 23).fill(3);
  const chunk = encodeChunk({ bytes, shape, elementBytes: 1 }, only('raw'));
  const shapes = [shape, shape, shape];
  expect(shapes.length * bytes.byteLength).toBeGreaterThan(maxMemoryBytes);
  const task: DecodeTask = { kind: 'decode', chunks: [chunk, chunk, chunk], shapes, elementBytes: 1 };
  const result = runCpuTask(task, new CpuDesk(new ChunkMemory()));
  expect(result.kind === 'decode' && result.voxels?.every((byte) => byte === 3)).toBe(true);
});

test('rows so narrow that they would take several times their bytes are not put side by side', () => {
  const shape: Dims3 = [1, 4096, 2048];
  const chunk = encodeChunk({ bytes: new Uint8Array(4096 * 2048), shape, elementBytes: 1 }, only('rle'));
  const box = { bytes: new Uint8Array(8 * 4096 * 2048), dims: [8, 4096, 2048] as Dims3, elementBytes: 1 as const };
  const task: DecodeTask = { kind: 'decode', chunks: [chunk], shapes: [shape], elementBytes: 1, checksPayload: true };
  expect(new RowMemory().decode({ ...task, into: { box, origin: [3, 0, 0] } })).toBeUndefined();
});
