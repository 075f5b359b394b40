/** Tests for every codec's kernels: they give the reference's bytes and change nothing outside their chunks. */

import { describe, expect, test } from 'vitest';
import { chunkBytes, placePayloads } from '../codec/batch.ts';
import {
  firstDifference,
  makeChunk,
  poisonedBox,
  putChunk,
  type TestBox,
  takeChunk,
  testPatterns,
  testRandom,
  testShapes,
} from '../codec/chunk-testing.ts';
import type { ChunkVoxels, CodecDefinition, CodecElementBytes, GpuChunk, GpuPayloads, GpuVoxels } from '../codec/codec.ts';
import { chunksToDamage, differentParameters, parametersFor, testAxes } from '../codec/codec-testing.ts';
import { decodeChunks } from '../codec/decode-chunks.ts';
import type { CommandTimes } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { spreadDispatches } from '../gpu/spread-testing.ts';
import type { Dims3 } from '../shared/volume.ts';
import { describeVerdictOnGpu } from './gpu-verdict-testing.ts';
import { createKernels } from './kernels.ts';

export interface DescribeOptions {
  /** Leaves out most shapes and patterns, for a second run of the same kernels. */
  readonly isBrief?: boolean;
  /** Limits the sides along y and z, for codecs that take a step for each row: a software GPU is slow at many steps. */
  readonly longestSide?: number;
  /** The patterns of many chunks with elements of more than one byte, whose kernels differ only in constants. Default: all. */
  readonly widerPatterns?: readonly string[];
  /** The shape of the largest chunk whose payloads are damaged. Default: a whole brick. */
  readonly largestDamaged?: Dims3;
  /** Whether to call `spreadDispatches`. */
  readonly isSpread?: boolean;
}

/**
 * @param gpu from `openTestGpu`, which checks it after each test
 * @param name what is special about this run: 'effort max'
 */
export function describeCodecOnGpu(definition: CodecDefinition, gpu: Gpu, name: string, options: DescribeOptions = {}): void {
  // These two shapes have as many elements as the longest ones, in fewer bricks.
  const allShapes = options.isBrief ? testShapes.filter((_, i) => i === 3 || i === 10) : testShapes;
  const { longestSide = Number.POSITIVE_INFINITY } = options;
  const shapes = allShapes.map(([x, y, z]): Dims3 => [x, Math.min(y, longestSide), Math.min(z, longestSide)]);
  // The widest elements take the most workgroup memory.
  const widths = options.isBrief ? definition.elementBytes.slice(-1) : definition.elementBytes;
  /** For tests that need only one width: one whose kernels are compiled anyway. */
  const someWidth = widths[0] as CodecElementBytes;
  const patterns = options.isBrief ? ['sparse', 'blobs'] : Object.keys(testPatterns);
  const kernels = createKernels(definition, gpu);

  function upload(scope: GpuScope, { bytes, dims, elementBytes }: TestBox): GpuVoxels {
    return { buffer: scope.storage('test.box', bytes.byteLength, bytes), dims, elementBytes };
  }

  function uploadPayloads(scope: GpuScope, payloads: readonly Uint8Array[]): GpuPayloads {
    const byteLengths = payloads.map((payload) => payload.byteLength);
    const { byteOffsets, totalBytes } = placePayloads(byteLengths);
    const joined = new Uint8Array(totalBytes);
    for (const [i, payload] of payloads.entries()) joined.set(payload, byteOffsets[i]);
    const buffer = totalBytes === 0 ? undefined : scope.storage('test.payloads', totalBytes, joined);
    return { buffer, byteOffsets, byteLengths };
  }

  const known = new WeakMap<GpuChunk, Uint8Array>();
  /** The reference's payload of a chunk. Tests encode and decode the same chunks, whose voxels never change. */
  function referencePayload(box: TestBox, chunk: GpuChunk): Uint8Array {
    const { origin, shape, parameters } = chunk;
    const payload = known.get(chunk) ?? definition.reference.encode(takeChunk(box, origin, shape), parameters);
    known.set(chunk, payload);
    return payload;
  }

  /** The reference's payload; empty if the contract lets an encoder skip the chunk. */
  function expectedPayload(box: TestBox, chunk: GpuChunk): Uint8Array {
    const payload = referencePayload(box, chunk);
    const isShorter = payload.byteLength < chunkBytes({ shape: chunk.shape, elementBytes: box.elementBytes });
    return isShorter || definition.name === 'raw' ? payload : new Uint8Array(0);
  }

  /** Encodes chunks of a box and compares every byte of the result with the reference's. */
  async function expectEncoding(box: TestBox, chunks: readonly GpuChunk[], what: string): Promise<void> {
    using scope = gpu.scope('test');
    const result = await kernels.encode(upload(scope, box), chunks, { scope });
    const expected = chunks.map((chunk) => expectedPayload(box, chunk));
    expect(result.byteLengths, what).toEqual(expected.map((payload) => payload.byteLength));
    // The bytes between payloads are 0.
    const places = placePayloads(result.byteLengths);
    const bytes = result.buffer ? await gpu.read(result.buffer, 0, places.totalBytes) : new Uint8Array(0);
    const joined = new Uint8Array(places.totalBytes);
    for (const [i, payload] of expected.entries()) joined.set(payload, places.byteOffsets[i]);
    expect(result.byteOffsets, what).toEqual(places.byteOffsets);
    expect(firstDifference(bytes, joined), what).toBe(undefined);
  }

  /** Decodes the reference's payloads into a poisoned box. The chunks must be exact, everything else unchanged. */
  async function expectDecoding(box: TestBox, chunks: readonly GpuChunk[], what: string): Promise<void> {
    using scope = gpu.scope('test');
    const expected = poisonedBox(box.dims, box.elementBytes);
    const target = upload(scope, expected);
    const payloads = chunks.map((chunk) => {
      putChunk(expected, chunk.origin, takeChunk(box, chunk.origin, chunk.shape));
      return referencePayload(box, chunk);
    });
    await decodeChunks(gpu, `${definition.name}.decode`, kernels, uploadPayloads(scope, payloads), chunks, target, { scope });
    expect(firstDifference(await gpu.read(target.buffer), expected.bytes), what).toBe(undefined);
  }

  async function expectBoth({ box, chunks }: { box: TestBox; chunks: readonly GpuChunk[] }, what: string): Promise<void> {
    await expectEncoding(box, chunks, what);
    await expectDecoding(box, chunks, what);
  }

  /** Chunks of one shape stacked along z, with `gap` planes between them. */
  function stacked(
    given: readonly { readonly voxels: ChunkVoxels; readonly parameters: Uint8Array }[],
    gap: number,
  ): { box: TestBox; chunks: GpuChunk[] } {
    const { shape, elementBytes } = (given[0] as (typeof given)[number]).voxels;
    const box = poisonedBox([shape[0], shape[1], given.length * (shape[2] + gap)], elementBytes);
    const chunks = given.map(({ voxels, parameters }, i) => {
      const origin: Dims3 = [0, 0, i * (shape[2] + gap)];
      putChunk(box, origin, voxels);
      return { origin, shape, parameters };
    });
    return { box, chunks };
  }

  /** A box cut into chunks of `chunkShape`, clipped at its edges, each with the next axis. */
  function cut({ dims, elementBytes }: TestBox, chunkShape: Dims3): GpuChunk[] {
    const chunks: GpuChunk[] = [];
    for (let z = 0; z < dims[2]; z += chunkShape[2]) {
      for (let y = 0; y < dims[1]; y += chunkShape[1]) {
        for (let x = 0; x < dims[0]; x += chunkShape[0]) {
          const shape: Dims3 = [
            Math.min(chunkShape[0], dims[0] - x),
            Math.min(chunkShape[1], dims[1] - y),
            Math.min(chunkShape[2], dims[2] - z),
          ];
          const axis = testAxes[chunks.length % 3] as (typeof testAxes)[number];
          const parameters = definition.choose({ changes: [1, 1, 1] }, { shape, elementBytes }, { axis });
          chunks.push({ origin: [x, y, z], shape, parameters });
        }
      }
    }
    return chunks;
  }

  function patternedBox(dims: Dims3, elementBytes: CodecElementBytes, pattern: string): TestBox {
    const box = poisonedBox(dims, elementBytes, 0);
    putChunk(box, [0, 0, 0], makeChunk(dims, elementBytes, testPatterns[pattern] as (typeof testPatterns)[string]));
    return box;
  }

  describe(`${definition.name} on the GPU, ${name}`, () => {
    if (options.isSpread) spreadDispatches(gpu);
    for (const elementBytes of widths) {
      // Kernels for different widths differ only in constants, so every other shape is enough for the wider elements.
      const ownShapes = shapes.filter((_, i) => elementBytes === 1 || i % 2 === 1 || options.isBrief);
      test.each(ownShapes.map((shape) => ({ shape, title: shape.join('×') })))(
        `one chunk of $title, ${elementBytes}-byte elements`,
        async ({ shape }) => {
          const chunksOf = (pattern: string) => {
            const voxels = makeChunk(shape, elementBytes, testPatterns[pattern] as (typeof testPatterns)[string]);
            const ways = differentParameters(testAxes, (axis) => parametersFor(definition, voxels, axis));
            return ways.map((parameters) => ({ voxels, parameters }));
          };
          // Chunks of many bricks are slow on a software GPU, so they get fewer patterns.
          const isLarge = Math.max(...shape) >= 200;
          const all = patterns.filter((one) => !isLarge || one === 'random' || one === 'sparse').flatMap(chunksOf);
          // First one chunk that fills its box, then all chunks in one batch, with a plane of the box between them.
          await expectBoth(stacked(all.slice(0, 1), 0), 'alone');
          await expectBoth(stacked(all, 1), 'stacked');
        },
      );

      const ownPatterns = elementBytes === 1 ? patterns : (options.widerPatterns ?? patterns);
      test.each(ownPatterns)(`many chunks of mixed axes, ${elementBytes}-byte elements, %s`, async (pattern) => {
        const box = patternedBox([61, 37, 43], elementBytes, pattern);
        const chunks = cut(box, [24, 20, 33]);
        await expectEncoding(box, chunks, 'all chunks');
        await expectDecoding(box, chunks, 'all chunks');
        if (pattern !== 'sparse' && pattern !== 'random') return;
        // Every other chunk, in reverse order. The chunks between them must stay unchanged.
        const some = chunks.filter((_, i) => i % 2 === 1).reverse();
        await expectEncoding(box, some, 'some chunks');
        await expectDecoding(box, some, 'some chunks');
      });
    }

    if (!options.isBrief) {
      test('chunks of the default shape, and a larger one', async () => {
        const box = patternedBox([136, 72, 64], 1, 'sparse');
        const chunks = cut(box, [64, 64, 64]);
        await expectEncoding(box, chunks, '64×64×64');
        await expectDecoding(box, chunks, '64×64×64');
        const ways = new Map(chunks.map(({ parameters }) => [parameters.join(), parameters]));
        for (const parameters of ways.values()) {
          const whole = [{ origin: [0, 0, 0] as const, shape: box.dims, parameters }];
          await expectEncoding(box, whole, 'one chunk');
          await expectDecoding(box, whole, 'one chunk');
        }
      });
    }

    test('a batch without chunks does nothing', async () => {
      using scope = gpu.scope('test');
      const voxels = upload(scope, poisonedBox([4, 4, 4], someWidth));
      const result = await kernels.encode(voxels, [], { scope });
      expect(result).toEqual({ buffer: undefined, byteOffsets: [], byteLengths: [] });
      await decodeChunks(gpu, `${definition.name}.decode`, kernels, result, [], voxels, { scope });
    });

    test('an abort is reported as such, and leaves no buffers behind', async () => {
      using scope = gpu.scope('test');
      const box = poisonedBox([4, 4, 4], 1);
      const voxels = upload(scope, box);
      const chunks = cut(box, [4, 4, 4]);
      const call = { scope, signal: AbortSignal.abort() };
      await expect(kernels.encode(voxels, chunks, call)).rejects.toMatchObject({ tag: 'aborted' });
      const payloads = { buffer: undefined, byteOffsets: [0], byteLengths: [0] };
      await expect(decodeChunks(gpu, `${definition.name}.decode`, kernels, payloads, chunks, voxels, call)).rejects.toMatchObject(
        { tag: 'aborted' },
      );
    });

    test('chunks outside the box and payloads outside their buffer are refused', async () => {
      using scope = gpu.scope('test');
      const box = poisonedBox([8, 4, 4], 1);
      const voxels = upload(scope, box);
      const parameters = cut(box, [4, 4, 4])[0]?.parameters as Uint8Array;
      for (const origin of [
        [5, 0, 0],
        [2, 0, 0],
        [0, 1, 0],
        [0, 0, -1],
      ] as const) {
        const chunks = [{ origin, shape: [4, 4, 4] as const, parameters }];
        await expect(kernels.encode(voxels, chunks, { scope })).rejects.toMatchObject({ tag: 'internal' });
        const payloads = { buffer: undefined, byteOffsets: [0], byteLengths: [0] };
        await expect(
          decodeChunks(gpu, `${definition.name}.decode`, kernels, payloads, chunks, voxels, { scope }),
        ).rejects.toMatchObject({ tag: 'internal' });
      }
      const chunks = cut(box, [8, 4, 4]);
      const payloads = { buffer: voxels.buffer, byteOffsets: [120], byteLengths: [9] };
      await expect(
        decodeChunks(gpu, `${definition.name}.decode`, kernels, payloads, chunks, voxels, { scope }),
      ).rejects.toMatchObject({ tag: 'internal' });
    });

    test('parameters of another codec are corrupt', async () => {
      using scope = gpu.scope('test');
      const voxels = upload(scope, poisonedBox([4, 4, 4], 1));
      const chunks = [{ origin: [0, 0, 0] as const, shape: [4, 4, 4] as const, parameters: Uint8Array.of(3) }];
      await expect(kernels.encode(voxels, chunks, { scope })).rejects.toMatchObject({ tag: 'corrupt' });
      const payloads = { buffer: voxels.buffer, byteOffsets: [0], byteLengths: [64] };
      await expect(
        decodeChunks(gpu, `${definition.name}.decode`, kernels, payloads, chunks, voxels, { scope }),
      ).rejects.toMatchObject({ tag: 'corrupt' });
    });

    test('a decode plan can run repeatedly', async () => {
      using scope = gpu.scope('test');
      const shape: Dims3 = [20, 17, 9];
      const box = patternedBox(shape, someWidth, 'blobs');
      const chunks = cut(box, shape);
      const chunk = takeChunk(box, [0, 0, 0], shape);
      const payload = definition.reference.encode(chunk, (chunks[0] as GpuChunk).parameters);
      const target = upload(scope, poisonedBox(shape, someWidth));
      const plan = kernels.prepareDecode(uploadPayloads(scope, [payload]), chunks, target, scope);
      for (const poison of [0x5a, 0, 0xff]) {
        gpu.device.queue.writeBuffer(target.buffer, 0, new Uint8Array(target.buffer.size).fill(poison));
        const commands = gpu.commands('test');
        plan(commands);
        await commands.submit();
        expect(firstDifference(await gpu.read(target.buffer), box.bytes)).toBe(undefined);
      }
    });

    test('times are reported for each stage', async () => {
      using scope = gpu.scope('test');
      const box = patternedBox([64, 64, 4], someWidth, 'sparse');
      const times: CommandTimes[] = [];
      await kernels.encode(upload(scope, box), cut(box, [64, 64, 4]), { scope, onTimes: (time) => times.push(time) });
      const stages = times.flatMap((time) => time.stages);
      expect(stages.map((stage) => stage.label)).toContain('write');
      if (gpu.hasTimestamps) expect(stages.every((stage) => (stage.gpuMs ?? -1) >= 0)).toBe(true);
    });

    // 2-byte elements take the same path as the planes of 4-byte elements.
    if (!options.isSpread)
      describeVerdictOnGpu(
        definition,
        gpu,
        widths.filter((width) => width !== 2),
        options.largestDamaged,
      );

    if (options.isBrief) return;
    test('damaged payloads write nothing outside their chunks, raise no error and lose no device', async () => {
      for (const chunk of chunksToDamage(definition)) {
        const parameters = parametersFor(definition, chunk, 'y');
        const payloads = damagedPayloads(definition.reference.encode(chunk, parameters));
        // Each payload's chunk gets its own place, with a gap before the next one.
        const pitch = Math.ceil((chunk.shape[0] + 3) / 4) * 4;
        const box = poisonedBox(
          [pitch * 16, chunk.shape[1], chunk.shape[2] * Math.ceil(payloads.length / 16)],
          chunk.elementBytes,
        );
        const chunks = payloads.map((_, i) => ({
          origin: [(i % 16) * pitch, 0, Math.floor(i / 16) * chunk.shape[2]] as const,
          shape: chunk.shape,
          parameters,
        }));
        using scope = gpu.scope('test');
        const target = upload(scope, box);
        await decodeChunks(gpu, `${definition.name}.decode`, kernels, uploadPayloads(scope, payloads), chunks, target, { scope });
        const actual = { ...box, bytes: await gpu.read(target.buffer) };
        const exact = takeChunk(actual, (chunks[0] as GpuChunk).origin, chunk.shape);
        expect(firstDifference(exact.bytes, chunk.bytes)).toBe(undefined);
        for (const { origin, shape } of chunks)
          putChunk(actual, origin, { ...chunk, bytes: chunk.bytes.slice().fill(0xa5), shape });
        expect(firstDifference(actual.bytes, box.bytes)).toBe(undefined);
      }
    });
  });
}

/** The payload itself, then copies: truncated, with flipped bytes (every byte of the head), random, all ones. */
function damagedPayloads(payload: Uint8Array): Uint8Array[] {
  const random = testRandom(payload.length);
  const flipped = (at: number, flip: number) => payload.map((byte, i) => (i === at ? byte ^ flip : byte));
  const indices = [...payload.keys()].filter((at) => at < 40 || (at < 200 && at % 5 === 0));
  return [
    payload,
    ...indices.map((length) => payload.slice(0, length)),
    ...indices.flatMap((at) => [flipped(at, 0xff), flipped(at, 1 << (at % 8))]),
    ...Array.from({ length: 30 }, () => payload.map(() => random())),
    payload.map(() => 0xff),
  ];
}
