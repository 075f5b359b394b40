import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze } from '../chunks/analyze.ts';
import type { ChunkBox, VoxelBox } from '../chunks/backend.ts';
import { gatherChunk } from '../chunks/boxes.ts';
import { isConstant } from '../chunks/choose.ts';
import type { ChunkInMemory } from '../codec/chunk-in-memory.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { survey } from '../codec/survey.ts';
import { encodeInMemory } from '../codecs/rle/in-memory.ts';
import { reference } from '../codecs/rle/reference.ts';
import { halveByReference } from '../levels/halve-reference.ts';
import { halvedDims } from '../levels/halved-dims.ts';
import type { HalvingMethod } from '../shared/halving.ts';
import { type Dims3, type ElementType, typedVoxels } from '../shared/volume.ts';
import { analyzeInMemory, ChunkMemory } from './chunk-memory.ts';
import { type RowSource, rowsInMemory } from './row-source.ts';
import { surveyInMemory } from './survey-on-cpu.ts';

/** Adjacent chunks anywhere in a box. How often values repeat varies, so there are long and short runs. */
const short = fc.integer({ min: 1, max: 20 });
const long = fc.integer({ min: 60, max: 140 });
const rows = fc
  .record({
    elementBytes: fc.constantFrom<CodecElementBytes>(1, 2, 4),
    shape: fc.oneof(
      fc.tuple(short, short, short),
      fc.tuple(long, short, short),
      fc.tuple(short, long, short),
      fc.tuple(short, short, long),
      fc.tuple(fc.constant(64), fc.constant(64), fc.integer({ min: 1, max: 4 })),
    ),
    /** Chunks beside the first. */
    others: fc.array(short, { maxLength: 2 }),
    margins: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2)),
    distinct: fc.integer({ min: 1, max: 256 }),
    /** One byte in this many is nonzero. */
    sparseness: fc.constantFrom(1, 3, 50, 1000),
    seed: fc.integer({ min: 1, max: 1e6 }),
  })
  .map(({ elementBytes, shape: [first, height, depth], others, margins, distinct, sparseness, seed }) => {
    let left = margins[0];
    const chunks = [first, ...others].map((width): ChunkBox => {
      const origin: Dims3 = [left, margins[1], margins[2]];
      left += width;
      return { origin, shape: [width, height, depth] };
    });
    const dims: Dims3 = [left + margins[0], height + 2 * margins[1], depth + 2 * margins[2]];
    const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * elementBytes);
    let state = seed;
    for (let at = 0; at < bytes.byteLength; at++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      if ((state >>> 12) % sparseness === 0) bytes[at] = (state >>> 16) % distinct;
    }
    return { box: { bytes, dims, elementBytes } satisfies VoxelBox, chunks };
  });

/** Cubes anywhere in a box, with boxes and noise on a background of zeros or ones. */
const cubes = fc
  .record({
    elementBytes: fc.constantFrom<CodecElementBytes>(1, 2, 4),
    count: fc.integer({ min: 1, max: 2 }),
    margins: fc.tuple(fc.constantFrom(0, 8), fc.nat(2), fc.nat(2)),
    background: fc.constantFrom(0, 0, 1),
    /** The number of boxes on the background, the number of different values, and the inverse share of noisy elements. */
    boxes: fc.nat(5),
    distinct: fc.integer({ min: 1, max: 300 }),
    sparseness: fc.constantFrom(2, 300, 1e5),
    seed: fc.integer({ min: 1, max: 1e6 }),
  })
  .map(({ elementBytes, count, margins, background, boxes, distinct, sparseness, seed }) => {
    const dims: Dims3 = [count * 64 + margins[0], 64 + 2 * margins[1], 64 + 2 * margins[2]];
    const elements = new { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[elementBytes](dims[0] * dims[1] * dims[2]);
    elements.fill(background);
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state >>> 8) % below;
    };
    for (let box = 0; box < boxes; box++) {
      const value = random(distinct);
      const [x0 = 0, y0 = 0, z0 = 0] = dims.map((length) => random(length + 1));
      const [x1 = 0, y1 = 0, z1 = 0] = dims.map((length) => random(length + 1));
      for (let z = z0; z < z1; z++) {
        for (let y = y0; y < y1; y++) {
          if (x0 < x1) elements.fill(value, (z * dims[1] + y) * dims[0] + x0, (z * dims[1] + y) * dims[0] + x1);
        }
      }
    }
    for (let at = random(sparseness); at < elements.length; at += 1 + random(2 * sparseness)) elements[at] = random(distinct);
    const box = { bytes: new Uint8Array(elements.buffer), dims, elementBytes } satisfies VoxelBox;
    const chunks = Array.from({ length: count }, (_, number): ChunkBox => {
      return { origin: [margins[0] + 64 * number, margins[1], margins[2]], shape: [64, 64, 64] };
    });
    return { box, chunks };
  });

test.each([
  ['rows of chunks', rows, 200],
  ['cubes', cubes, 25],
] as const)(
  '%s in memory: analysis, survey and run-length encoding match the references along every axis',
  (_name, some, numRuns) => {
    const memory = new ChunkMemory();
    fc.assert(
      fc.property(some, ({ box, chunks }) => {
        const loaded = memory.load(rowsInMemory(box), chunks);
        for (const [index, { shape }] of chunks.entries()) {
          const voxels = { bytes: gatherChunk(box, chunks[index] as ChunkBox), shape, elementBytes: box.elementBytes };
          const chunk = loaded?.[index];
          if (!chunk) throw new Error('the chunks were not loaded');
          const copy = new Uint8Array(voxels.bytes.byteLength);
          memory.copyOut(chunk, copy);
          expect(Buffer.compare(copy, voxels.bytes)).toBe(0);
          expect(analyzeInMemory(chunk)).toEqual(analyze(voxels));
          expect(surveyInMemory(chunk)).toEqual(survey(voxels));
          for (const axis of [0, 1, 2]) {
            const encoded = encodeInMemory(chunk, Uint8Array.of(axis));
            // `toEqual` would take seconds for this many bytes.
            expect(Buffer.compare(encoded, reference.encode(voxels, Uint8Array.of(axis))), `axis ${axis}`).toBe(0);
          }
        }
      }),
      { numRuns, endOnFailure: true },
    );
  },
);

test.each([
  ['rows of chunks', rows, 200],
  ['cubes', cubes, 25],
] as const)('%s in memory are halved as the reference does it, again and again', (_name, some, numRuns) => {
  const memory = new ChunkMemory();
  const types = { 1: ['u8', 'i8'], 2: ['u16', 'i16'], 4: ['u32', 'i32', 'f32'] } as const;
  const steps = [
    [2, 2, 2],
    [2, 2, 1],
    [1, 2, 2],
  ] as const;
  fc.assert(
    fc.property(some, fc.nat(), fc.constantFrom<HalvingMethod>('mean', 'mode'), ({ box, chunks }, seed, method) => {
      const { elementBytes } = box;
      const [first, second = [2, 2, 2] as const] = [steps[seed % 3] as Dims3, steps[seed % 2]];
      // As where the volume is halved: only the last chunk may be odd.
      const evenWidths = chunks.slice(0, -1).every(({ shape }) => shape[0] % first[0] === 0);
      const row = evenWidths ? chunks : chunks.slice(0, 1);
      const type = types[elementBytes][seed % types[elementBytes].length] as ElementType;
      const loaded = memory.load(rowsInMemory(box), row) as readonly ChunkInMemory[];
      const areConstant = loaded.map((chunk) => isConstant(analyzeInMemory(chunk)));
      const wish = { steps: first, further: [second], method: type === 'f32' ? 'mean' : method, type } as const;
      const found = memory.halve(wish, areConstant).map(({ bytes }) => bytes.slice());
      const { origin, shape } = row[0] as ChunkBox;
      let dims: Dims3 = [row.reduce((sum, chunk) => sum + chunk.shape[0], 0), shape[1], shape[2]];
      let voxels = typedVoxels(type, gatherChunk(box, { origin, shape: dims }));
      for (const [index, step] of [first, second].entries()) {
        voxels = halveByReference(voxels, type, dims, step, 1, wish.method);
        dims = halvedDims(dims, step);
        const expected = new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength);
        expect(Buffer.compare(found[index] as Uint8Array, expected), `halving ${index}`).toBe(0);
      }
    }),
    { numRuns, endOnFailure: true },
  );
});

test('the memory refuses rows beyond its limit', () => {
  const memory = new ChunkMemory();
  const boxOf = (dims: Dims3): [RowSource, ChunkBox[]] => [
    rowsInMemory({ bytes: new Uint8Array(dims[0] * dims[1] * dims[2]), dims, elementBytes: 1 }),
    [{ origin: [0, 0, 0], shape: dims }],
  ];
  expect(memory.load(...boxOf([64, 512, 513]))).toBeUndefined();
  expect(memory.load(...boxOf([64, 512, 512]))).toHaveLength(1);
});
