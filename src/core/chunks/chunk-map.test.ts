import { describe, expect, test } from 'vitest';
import { raw } from '../codecs/raw/index.ts';
import { rle } from '../codecs/rle/index.ts';
import { checksum } from '../format/checksum.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { ChunkMap } from './chunk-map.ts';

const decodedChecksum = checksum(new Uint8Array(4));
const coded = (codec: typeof raw, parameters: readonly number[], bytes: number): EncodedChunk => ({
  kind: 'coded',
  stages: [{ codecId: codec.id, parameters: Uint8Array.from(parameters) }],
  payload: new Uint8Array(bytes),
  encodedChecksum: decodedChecksum,
  decodedChecksum,
});
const constant: EncodedChunk = { kind: 'constant', element: Uint8Array.of(7), decodedChecksum };
const alongY = coded(rle, [1], 5);

describe('a map of chunks', () => {
  // 10×4×2 in chunks of 4×4×1: three along x, the last of them two wide; two layers.
  const chunks = [constant, alongY, coded(raw, [], 8), alongY, alongY, constant];
  const map = new ChunkMap({ dims: [10, 4, 2, 1], type: 'u8' }, [4, 4, 1], chunks);

  test('lists the ways, most used first, with their chunks and bytes', () => {
    expect(map.shares).toEqual([
      { codec: 'rle', axis: 'y', count: 3, bytes: 15 },
      { codec: 'constant', count: 2, bytes: 0 },
      { codec: 'raw', count: 1, bytes: 8 },
    ]);
    expect(chunks.map((_, number) => map.wayOf(number))).toEqual([1, 0, 2, 0, 0, 1]);
  });

  test('finds the chunk that holds a voxel', () => {
    expect(map.chunkAt(3, 3, 0, 0)).toEqual({ number: 0, way: 1, bytes: 0, voxelBytes: 16 });
    expect(map.chunkAt(9, 0, 0, 0)).toEqual({ number: 2, way: 2, bytes: 8, voxelBytes: 8 });
    expect(map.chunkAt(4, 1, 1, 0)).toEqual({ number: 4, way: 0, bytes: 5, voxelBytes: 16 });
    expect(() => map.chunkAt(10, 0, 0, 0)).toThrow(/outside/);
  });

  test('covers each time point of a series, and both halves of doubles', () => {
    const doubles = new ChunkMap({ dims: [4, 1, 1, 2], type: 'f64' }, [4, 1, 1], [constant, alongY, alongY, constant]);
    expect(doubles.chunkAt(1, 0, 0, 0)).toMatchObject({ number: 0, voxelBytes: 16 });
    expect(doubles.chunkAt(2, 0, 0, 1)).toMatchObject({ number: 3, bytes: 0 });
  });

  test('needs all chunks', () => {
    expect(() => new ChunkMap({ dims: [10, 4, 2, 1], type: 'u8' }, [4, 4, 1], [constant])).toThrow(/1 chunks/);
  });
});
