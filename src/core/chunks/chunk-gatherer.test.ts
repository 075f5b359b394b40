import { expect, test } from 'vitest';
import type { Dims3 } from '../shared/volume.ts';
import type { ChunkBox, VoxelBox } from './backend.ts';
import { scatterChunk } from './boxes.ts';
import { ChunkGatherer, FreeBytes } from './chunk-gatherer.ts';

/** Every byte of the box differs from its neighbours. */
function makeBox(dims: Dims3, elementBytes: 1 | 2 | 4, shift: number): VoxelBox {
  const length = dims[0] * dims[1] * dims[2] * elementBytes;
  const bytes = new Uint8Array(length + shift).subarray(shift);
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8)) % 251;
  return { bytes, dims, elementBytes };
}

function chunksOf(dims: Dims3, [width, height, depth]: Dims3): ChunkBox[] {
  const chunks: ChunkBox[] = [];
  for (let z = 0; z < dims[2]; z += depth) {
    for (let y = 0; y < dims[1]; y += height) {
      for (let x = 0; x < dims[0]; x += width) {
        const shape: Dims3 = [Math.min(width, dims[0] - x), Math.min(height, dims[1] - y), Math.min(depth, dims[2] - z)];
        chunks.push({ origin: [x, y, z], shape });
      }
    }
  }
  return chunks;
}

/** Gathers by definition, element by element. */
function bytesOf({ bytes, dims, elementBytes }: VoxelBox, { origin, shape }: ChunkBox): number[] {
  const found: number[] = [];
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      const start = (((origin[2] + z) * dims[1] + origin[1] + y) * dims[0] + origin[0]) * elementBytes;
      found.push(...bytes.subarray(start, start + shape[0] * elementBytes));
    }
  }
  return found;
}

test.each([
  ['whole words', [32, 6, 5], [8, 4, 2], 1, 0],
  ['rows that are not whole words', [13, 6, 5], [4, 4, 2], 1, 0],
  ['bytes that do not start at a word', [32, 6, 5], [8, 4, 2], 2, 1],
  ['more adjacent chunks than are gathered together', [160, 3, 2], [8, 2, 2], 4, 0],
  ['chunks as wide as the box', [12, 6, 5], [12, 4, 2], 2, 0],
  ['rows too long to copy word by word', [600, 2, 2], [300, 2, 1], 1, 0],
] as const)('%s: chunks are gathered and scattered unchanged', (_, dims, shape, elementBytes, shift) => {
  const box = makeBox(dims, elementBytes, shift);
  const chunks = chunksOf(dims, shape);
  const back: VoxelBox = { ...box, bytes: new Uint8Array(box.bytes.byteLength + shift).subarray(shift) };
  const free = new FreeBytes();
  const gatherer = new ChunkGatherer(box, chunks, free);
  for (const [index, chunk] of chunks.entries()) {
    const bytes = gatherer.take(index);
    expect([...bytes]).toEqual(bytesOf(box, chunk));
    scatterChunk(bytes, chunk, back);
    // Fills the memory that the next chunks are gathered into.
    free.give(bytes);
  }
  expect(back.bytes).toEqual(box.bytes);
});
