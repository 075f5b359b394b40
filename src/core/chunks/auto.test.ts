import { expect, test } from 'vitest';
import { halfInterpolated, makeChunk } from '../codec/chunk-testing.ts';
import { type ChunkVoxels, type CodecOptions, type Preference, preferences } from '../codec/codec.ts';
import { survey } from '../codec/survey.ts';
import { chainByName, chainName } from '../codecs/registry.ts';
import { encodeChunk } from '../cpu/cpu-task-run.ts';
import { surveyInWasm } from '../cpu/survey-on-cpu.ts';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { halve } from '../levels/halve.ts';
import { openSample } from '../samples/sample.ts';
import type { SampleKind } from '../samples/sample-kinds.ts';
import type { Dims3 } from '../shared/volume.ts';
import { analyze } from './analyze.ts';
import { type Candidate, rank, waysToEncode } from './auto.ts';
import { gatherChunk } from './boxes.ts';
import type { ChosenChain } from './chosen-codec.ts';

const shape: Dims3 = [64, 64, 64];

/**
 * Like an MR scan: a head in air, with noise that the scanner's reconstruction has spread over neighbouring voxels. The samples
 * have noise that is independent from voxel to voxel.
 */
function scan(type: 'u8' | 'u16', dims: Dims3): ChunkVoxels {
  const [width, rows, slices] = dims;
  const noise = Float64Array.from({ length: width * rows * slices }, uniform(7));
  for (const step of [1, width, width * rows]) {
    const before = noise.slice();
    for (let i = step; i < noise.length - step; i++) {
      noise[i] = (before[i] as number) + ((before[i - step] as number) + (before[i + step] as number)) / 2;
    }
  }
  const unit = type === 'u8' ? 1 : 12;
  return makeChunk(dims, type === 'u8' ? 1 : 2, (x, y, z) => {
    const radius = Math.hypot(x - width / 2, y - rows / 2, z - slices / 2);
    const tissue = radius > 34 ? 10 : 70 + 40 * Math.cos(radius / 8) + 20 * Math.sin(x / 5 + y / 9);
    return Math.max(0, unit * (tissue + 6 * (noise[(z * rows + y) * width + x] as number)));
  });
}

/** Numbers from -1 to 1 in an order that only depends on the seed. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

type Kind = SampleKind | 'scan';

/** A volume, cut into chunks of at most 64³. */
async function sampleChunks(kind: Kind, type: 'u8' | 'u16', dims: Dims3): Promise<ChunkVoxels[]> {
  const elementBytes = type === 'u8' ? 1 : 2;
  const bytes = kind === 'scan' ? new Uint8Array(scan(type, dims).bytes) : await sampleBytes(kind, type, dims);
  const grid = new ChunkGrid([...dims, 1], [...shape, 1]);
  return Array.from({ length: grid.count }, (_, number) => {
    const box = grid.box(number);
    return { bytes: gatherChunk({ bytes, dims, elementBytes }, box), shape: box.shape, elementBytes };
  });
}

async function sampleBytes(kind: SampleKind, type: 'u8' | 'u16', dims: Dims3): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of openSample({ kind, dims, type, seed: 1 }).voxels()) pieces.push(piece.slice());
  return new Uint8Array(Buffer.concat(pieces));
}

async function sampleChunk(kind: Kind, type: 'u8' | 'u16'): Promise<ChunkVoxels> {
  return (await sampleChunks(kind, type, shape))[0] as ChunkVoxels;
}

type Statistics = Parameters<typeof rank>[0];
const known = new WeakMap<ChunkVoxels, Statistics>();

/** The statistics of a chunk, computed once. WebAssembly gives the same survey as the reference, many times as fast. */
function statisticsOf(chunk: ChunkVoxels): Statistics {
  const statistics = known.get(chunk) ?? { ...analyze(chunk), ...(surveyInWasm(chunk) ?? survey(chunk)) };
  known.set(chunk, statistics);
  return statistics;
}

function ranked(chunk: ChunkVoxels, prefer: Preference) {
  return rank(statisticsOf(chunk), chunk, { axis: 'auto', prefer });
}

function nameOf({ codec, second }: ChosenChain): string {
  return chainName(second ? [codec, second] : [codec]);
}

test('by size, the choice is within 10 % of the smallest candidate for every sample', async () => {
  for (const kind of ['potential', 'phantom', 'labels', 'scan'] as const) {
    for (const type of ['u8', 'u16'] as const) {
      const chunk = await sampleChunk(kind, type);
      const all = ranked(chunk, 'size').map((candidate) => {
        const encoded = encodeChunk(chunk, { codec: chainByName(nameOf(candidate)), options: { axis: 'auto' } });
        return { ...candidate, length: encoded.kind === 'coded' ? encoded.payload.byteLength : 0 };
      });
      const [chosen] = all;
      const least = Math.min(...all.map(({ length }) => length));
      expect((chosen?.length ?? 0) / least, `${kind} ${type}`).toBeLessThanOrEqual(1.1);
      // The accuracy of the estimate itself.
      expect((chosen?.bytes ?? 0) / (chosen?.length ?? 1)).toBeGreaterThan(0.6);
    }
  }
}, 600_000);

test('the choice for a level of a sparse volume is within 10 % of the smallest of the codecs that decode fast', async () => {
  const whole = await sampleBytes('potential', 'u8', [128, 128, 128]);
  const level = halve(whole, 'u8', [128, 128, 128], [2, 2, 2], 1, 'mean');
  const chunk: ChunkVoxels = { bytes: new Uint8Array(level.buffer as ArrayBuffer), shape, elementBytes: 1 };
  const fast = ranked(chunk, 'balanced').filter(({ codec }) => codec.decodeGigabytesPerSecond === undefined);
  const lengths = fast.map((candidate) => {
    const encoded = encodeChunk(chunk, { codec: chainByName(nameOf(candidate)), options: { axis: 'auto' } });
    return encoded.kind === 'coded' ? encoded.payload.byteLength : Number.POSITIVE_INFINITY;
  });
  expect((lengths[0] as number) / Math.min(...lengths)).toBeLessThanOrEqual(1.1);
});

test('a codec that is not in use wins only if it halves the chunk or only size counts', async () => {
  const sparse = await sampleChunk('potential', 'u8');
  const scanned = await sampleChunk('scan', 'u8');
  const best = (chunk: ChunkVoxels, options: Partial<CodecOptions>) =>
    nameOf(rank({ ...analyze(chunk), ...survey(chunk) }, chunk, { axis: 'auto', ...options })[0] as ChosenChain);
  expect(best(sparse, {})).toBe('rle+huffman');
  expect(best(sparse, { inUse: ['rice'] })).toBe('rle+huffman');
  expect(best(scanned, {})).toBe('rice');
  expect(best(scanned, { inUse: ['predict+huffman'] })).toBe('predict+huffman');
  expect(best(scanned, { inUse: ['predict+huffman'], prefer: 'size' })).toBe('wave');
  expect(best(scanned, { inUse: ['predict+huffman'], effort: 'max' })).toBe('wave');
});

test('candidates are sorted by cost; by size that is their bytes, never more than the voxels', async () => {
  const chunk = await sampleChunk('phantom', 'u8');
  for (const prefer of ['size', 'balanced', 'speed'] as const) {
    const costs = ranked(chunk, prefer).map(({ cost }) => cost);
    expect(costs).toEqual([...costs].sort((a, b) => a - b));
  }
  for (const { bytes, cost } of ranked(chunk, 'size')) {
    expect(cost).toBe(bytes);
    expect(bytes).toBeLessThanOrEqual(64 ** 3);
  }
});

test('the faster codec wins if it costs little size, unless only size counts', async () => {
  for (const type of ['u8', 'u16'] as const) {
    const cloud = await sampleChunk('phantom', type);
    const names = (['size', 'balanced', 'speed'] as const).map((prefer) => nameOf(ranked(cloud, prefer)[0] as ChosenChain));
    expect(names).toEqual(['predict+huffman', 'rice', 'rice']);
  }
});

test.each(['u8', 'u16'] as const)('by size a scan goes to wave, which is the smallest; otherwise to rice: %s', async (type) => {
  const chunks = await sampleChunks('scan', type, [96, 80, 64]);
  for (const chunk of chunks) {
    const names = preferences.map((prefer) => nameOf(ranked(chunk, prefer)[0] as ChosenChain));
    expect(names, chunk.shape.join('×')).toEqual(['wave', 'rice', 'rice']);
    const lengths = ranked(chunk, 'size').map((candidate) => {
      const encoded = encodeChunk(chunk, { codec: chainByName(nameOf(candidate)), options: { axis: 'auto' } });
      return encoded.kind === 'coded' ? encoded.payload.byteLength : Number.POSITIVE_INFINITY;
    });
    expect(lengths[0]).toBe(Math.min(...lengths));
  }
});

test('speed never takes a codec that decodes slowly', async () => {
  for (const kind of ['potential', 'phantom', 'labels', 'scan'] as const) {
    const [best] = ranked(await sampleChunk(kind, 'u8'), 'speed');
    expect(best?.codec.decodeGigabytesPerSecond, kind).toBeUndefined();
  }
});

test('smooth volumes that gain little from the soft predictor go to predict+huffman', () => {
  const smooth = makeChunk(shape, 1, (x, y, z) => 120 + 60 * Math.sin(x / 6) + 50 * Math.cos((x * y) / 300) * Math.sin(z / 9));
  expect(nameOf(ranked(smooth, 'balanced')[0] as ChosenChain)).toBe('predict+huffman');
});

/** Bytes of each chunk by every codec and chain that auto weighs, alone and as auto's preferences choose. */
async function encodings(kind: Kind, type: 'u8' | 'u16') {
  const chunks = await sampleChunks(kind, type, [96, 80, 64]);
  const ways = chunks.map((chunk) => {
    const bySize = ranked(chunk, 'size');
    const bytes = new Map(
      bySize.map((candidate) => {
        const name = nameOf(candidate);
        const encoded = encodeChunk(chunk, { codec: chainByName(name), options: { axis: 'auto' } });
        return [name, encoded.kind === 'coded' ? encoded.payload.byteLength : 0];
      }),
    );
    const chosen = (prefer: Preference) => nameOf(ranked(chunk, prefer)[0] as ChosenChain);
    return { bytes, voxels: chunk.bytes.byteLength, chosen };
  });
  const sums = (nameFor: (way: (typeof ways)[number]) => string) => ({
    bytes: ways.reduce((sum, way) => sum + (way.bytes.get(nameFor(way)) as number), 0),
    time: ways.reduce((sum, way) => sum + encodingTime(nameFor(way), way), 0),
  });
  return {
    preferences: preferences.map((prefer) => ({ name: prefer, ...sums((way) => way.chosen(prefer)) })),
    singles: [...(ways[0]?.bytes.keys() ?? [])].map((name) => ({ name, ...sums(() => name) })),
  };
}

/** By the codecs' speeds. A second stage encodes the payload of the first, which auto does not weigh alone if it is `predict`. */
function encodingTime(name: string, { bytes, voxels }: { readonly bytes: ReadonlyMap<string, number>; readonly voxels: number }) {
  const [first, second] = chainByName(name);
  const payload = bytes.get(first.name) ?? voxels;
  return voxels / first.gigabytesPerSecond + (second ? payload / second.gigabytesPerSecond : 0);
}

test.each([
  ['potential', 'u8'],
  ['potential', 'u16'],
  ['labels', 'u8'],
  ['labels', 'u16'],
  ['phantom', 'u8'],
  ['phantom', 'u16'],
  ['scan', 'u8'],
  ['scan', 'u16'],
] as const)('no preference is beaten in size and in speed by another or by a single codec: %s %s', async (kind, type) => {
  const { preferences: own, singles } = await encodings(kind, type);
  for (const one of own) {
    const better = [...own, ...singles].filter(({ bytes, time }) => bytes < 0.98 * one.bytes && time < 0.98 * one.time);
    expect(better, one.name).toEqual([]);
  }
  const [size, balanced, speed] = own as [(typeof own)[number], (typeof own)[number], (typeof own)[number]];
  expect(size.bytes).toBeLessThanOrEqual(1.02 * balanced.bytes);
  expect(balanced.bytes).toBeLessThanOrEqual(1.02 * speed.bytes);
  expect(speed.time).toBeLessThanOrEqual(1.02 * balanced.time);
});

/** `wave`'s estimate of a chunk's size, and its size. */
function waveSizes(chunk: ChunkVoxels) {
  const candidate = ranked(chunk, 'size').find(({ codec }) => codec.name === 'wave') as Candidate;
  const encoded = encodeChunk(chunk, { codec: chainByName('wave'), options: { axis: 'auto' } });
  if (encoded.kind !== 'coded') throw new Error('the chunk is constant');
  return { estimated: candidate.bytes, real: encoded.payload.byteLength };
}

test.each([
  ['scan', 'u8', [96, 80, 64], 1, 1.12],
  ['scan', 'u16', [96, 80, 64], 1, 1.12],
  ['scan', 'u8', [200, 150, 1], 1, 1.1],
  ['scan', 'u16', [200, 150, 1], 1, 1.1],
  ['phantom', 'u8', [96, 80, 64], 0.95, 1.05],
  ['phantom', 'u16', [96, 80, 64], 1, 1.13],
  ['phantom', 'u8', [200, 150, 1], 0.94, 1.05],
  ['phantom', 'u16', [200, 150, 1], 1, 1.1],
  // Other codecs suit these better, so an estimate that is too high does no harm.
  ['labels', 'u8', [96, 80, 64], 1, 1.4],
  ['labels', 'u16', [96, 80, 64], 1, 1.4],
  ['potential', 'u8', [96, 80, 64], 1, 5],
  ['potential', 'u16', [96, 80, 64], 1, 8],
] as const)('wave is estimated near its size: %s %s, %j', async (kind, type, dims, least, most) => {
  const sizes = (await sampleChunks(kind, type, dims)).map(waveSizes);
  const sum = (of: (one: (typeof sizes)[number]) => number) => sizes.reduce((total, one) => total + of(one), 0);
  const share = sum(({ estimated }) => estimated) / sum(({ real }) => real);
  expect(share).toBeGreaterThanOrEqual(least);
  expect(share).toBeLessThanOrEqual(most);
  for (const { estimated, real } of sizes) expect(estimated / real).toBeGreaterThan(0.83);
});

test.each([
  [1, [64, 64, 64]],
  [2, [64, 64, 64]],
  [4, [64, 64, 64]],
  [1, [33, 7, 20]],
  [1, [300, 60, 1]],
  [2, [130, 64, 1]],
] as const)('where next to nothing is left to code, the estimate of wave is its headers: %i bytes, %j', (elementBytes, dims) => {
  // No sampled row differs.
  const chunk = makeChunk(dims, elementBytes, (x, y, z) => (x + y + z === 0 ? 70000 : 0));
  const { estimated, real } = waveSizes(chunk);
  expect(estimated).toBeGreaterThanOrEqual(real);
  expect(estimated).toBeLessThan(1.2 * real);
});

const thorough = { axis: 'auto', effort: 'max' } as const;

test('with maximum effort the smallest of several results is kept, whatever their estimates', async () => {
  const chunks = [halfInterpolated([96, 96, 1])];
  for (const kind of ['potential', 'phantom', 'labels', 'scan'] as const) chunks.push(await sampleChunk(kind, 'u8'));
  const ranks = chunks.map((chunk) => {
    const lengths = rank(statisticsOf(chunk), chunk, thorough).map((candidate) => {
      const encoded = encodeChunk(chunk, { codec: chainByName(nameOf(candidate)), options: thorough });
      return encoded.kind === 'coded' ? encoded.payload.byteLength : Number.POSITIVE_INFINITY;
    });
    const kept = encodeChunk(chunk, { codec: 'auto', options: thorough });
    const least = Math.min(...lengths);
    expect(kept).toMatchObject({ kind: 'coded', payload: { byteLength: least } });
    return lengths.indexOf(least);
  });
  expect(ranks[0], 'the smallest is estimated to be the smallest').toBeGreaterThan(0);
  expect(Math.max(...ranks)).toBeLessThan(5);
});

test('noise is stored raw also with maximum effort, and speed tries one codec', () => {
  const next = uniform(3);
  const noise = makeChunk([40, 30, 10], 1, () => 128 + 128 * next());
  expect(encodeChunk(noise, { codec: 'auto', options: thorough })).toMatchObject({ stages: [{ codecId: 1 }] });
  const picture = halfInterpolated([96, 96, 1]);
  const surveyed = statisticsOf(picture);
  expect(waysToEncode(surveyed, picture, { ...thorough, prefer: 'speed' })).toHaveLength(1);
  expect(waysToEncode(surveyed, picture, { axis: 'auto', prefer: 'size' })).toHaveLength(1);
  expect(waysToEncode(surveyed, picture, thorough)).toHaveLength(5);
});
