import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkGrid } from '../format/chunk-grid.ts';
import { cross } from '../shared/vectors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { chunksOnPlane, type PlanePart } from './plane-chunks.ts';

const dims: Dims3 = [40, 27, 33];
const grid = new ChunkGrid([...dims, 2], [8, 8, 8]);
const part = fc.double({ min: -1.2, max: 1.2, noNaN: true });
const vector = fc.tuple(part, part, part);

/** The chunks of all voxels that are interpolated for a pixel anywhere in the part. */
function chunksRead({ origin, right, down, width, height }: PlanePart): Set<number> {
  const read = new Set<number>();
  for (let y = 0.25; y < height; y += 0.5) {
    for (let x = 0.25; x < width; x += 0.5) {
      const at = ([0, 1, 2] as const).map((axis) => origin[axis] + right[axis] * x + down[axis] * y) as [number, number, number];
      if (at.some((place, axis) => place < 0 || place >= (dims[axis] as number))) continue;
      for (let corner = 0; corner < 8; corner++) {
        const [i, j, k] = at.map((place, axis) => {
          const voxel = Math.floor(place - 0.5) + ((corner >> axis) & 1);
          return Math.min((dims[axis] as number) - 1, Math.max(0, voxel));
        }) as [number, number, number];
        read.add(grid.numberAt([i, j, k, 0]));
      }
    }
  }
  return read;
}

test('every chunk that a plane reads is found, wherever the plane lies', () => {
  fc.assert(
    fc.property(
      fc.tuple(fc.double({ min: -5, max: 45, noNaN: true }), fc.double({ min: -5, max: 30, noNaN: true }), part),
      vector,
      vector,
      (origin, right, down) => {
        const plane: PlanePart = { origin, right, down, width: 30, height: 20 };
        const found = new Set(chunksOnPlane(grid, 1, plane));
        const [a, b] = [Math.hypot(...right), Math.hypot(...down)];
        // Parallel steps do not span a plane, and then no chunks are found.
        fc.pre(a > 0.05 && b > 0.05 && Math.hypot(...cross(right, down)) > 1e-3 * a * b);
        for (const number of chunksRead(plane)) expect(found).toContain(number);
      },
    ),
    { numRuns: 60 },
  );
});

test('few unnecessary chunks are found: one layer for a plane across z, one chunk for a small part of it', () => {
  const across: PlanePart = { origin: [0, 0, 12], right: [1, 0, 0], down: [0, 1, 0], width: 40, height: 27 };
  const layer = Array.from({ length: 20 }, (_, at) => 20 + at);
  expect(chunksOnPlane(grid, 1, across)).toEqual(layer);
  // If its voxels are interpolated with those of the layer before, that layer is read, too.
  expect(chunksOnPlane(grid, 1, { ...across, origin: [0, 0, 8.3] })).toEqual([...layer.map((number) => number - 20), ...layer]);
  expect(chunksOnPlane(grid, 1, { ...across, origin: [11, 12, 12], width: 2, height: 2 })).toEqual([26]);
  expect(chunksOnPlane(grid, 1, { ...across, origin: [0, 0, 60] })).toEqual([]);
  expect(chunksOnPlane(grid, 1, { ...across, down: [2, 0, 0] })).toEqual([]);
});

test('with two elements per voxel, chunks have half as many voxels along x', () => {
  const wide = new ChunkGrid([80, 27, 33, 1], [16, 8, 8]);
  const plane: PlanePart = { origin: [3, 2, 30], right: [0.9, 0.1, -0.5], down: [0.2, 0.8, -0.1], width: 34, height: 25 };
  expect(chunksOnPlane(wide, 2, plane)).toEqual(chunksOnPlane(grid, 1, plane));
});
