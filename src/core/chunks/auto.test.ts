import { expect, test } from 'vitest';
import { makeChunk } from '../codec/chunk-testing.ts';
import type { ChunkVoxels, Preference } from '../codec/codec.ts';
import { survey } from '../codec/survey.ts';
import { chainByName, chainName } from '../codecs/registry.ts';
import { encodeChunk } from '../cpu/cpu-task-run.ts';
import { openSample } from '../samples/sample.ts';
import type { SampleKind } from '../samples/sample-kinds.ts';
import type { Dims3 } from '../shared/volume.ts';
import { analyze } from './analyze.ts';
import { rank } from './auto.ts';
import type { ChosenChain } from './chosen-codec.ts';

const shape: Dims3 = [64, 64, 64];

async function sampleChunk(kind: SampleKind, type: 'u8' | 'u16'): Promise<ChunkVoxels> {
  const pieces: Uint8Array[] = [];
  for await (const piece of openSample({ kind, dims: shape, type, seed: 1 }).voxels()) pieces.push(piece.slice());
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { bytes, shape, elementBytes: type === 'u8' ? 1 : 2 };
}

function ranked(chunk: ChunkVoxels, prefer: Preference) {
  return rank({ ...analyze(chunk), ...survey(chunk) }, chunk, { axis: 'auto', prefer });
}

function nameOf({ codec, second }: ChosenChain): string {
  return chainName(second ? [codec, second] : [codec]);
}

test('by size, the choice is within 10 % of the smallest candidate for every sample', async () => {
  for (const kind of ['potential', 'phantom', 'labels'] as const) {
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

test('smooth volumes that gain little from the soft predictor go to predict+huffman', () => {
  const smooth = makeChunk(shape, 1, (x, y, z) => 120 + 60 * Math.sin(x / 6) + 50 * Math.cos((x * y) / 300) * Math.sin(z / 9));
  expect(nameOf(ranked(smooth, 'balanced')[0] as ChosenChain)).toBe('predict+huffman');
});
