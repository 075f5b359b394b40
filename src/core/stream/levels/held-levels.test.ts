import { expect, test } from 'vitest';
import type { Backend, HeldBox } from '../../chunks/backend.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { chunkGridOf, codecElementBytes } from '../../format/chunk-grid.ts';
import { planLevels } from '../../levels/level-plan.ts';
import { plannedRuns } from '../../levels/level-run.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims4 } from '../../shared/volume.ts';
import type { ReadBox } from '../box-reader.ts';
import { infoOf } from '../engine-testing.ts';
import { boxesOf, slabsOf } from '../slabs.ts';
import { HeldLevels } from './held-levels.ts';

/** A box that counts how often each of its rows is filled. */
interface CountedBox extends HeldBox {
  readonly rows: Uint8Array;
}

const cpu = createCpuBackend(inlinePool());

function holding(maxHeldBytes = 2 ** 27, fails = -1) {
  const held = new Set<CountedBox>();
  let opened = 0;
  const backend: Backend = {
    ...cpu,
    maxHeldBytes,
    async hold({ dims, elementBytes }) {
      if (opened++ === fails) throw new StriaError('out-of-memory', 'no memory for the box');
      const box: CountedBox = {
        dims,
        elementBytes,
        rows: new Uint8Array(dims[1] * dims[2]),
        encode: async () => [],
        release: () => held.delete(box),
      };
      held.add(box);
      return box;
    },
  };
  return { backend, held };
}

function* readBoxes(
  dims: Dims4,
  chunk: readonly [number, number, number],
  slabBytes: number,
  boxBytes: number,
): Generator<ReadBox> {
  const info = infoOf(dims, 'u16');
  const elementBytes = codecElementBytes(info.type);
  for (const slab of slabsOf(chunkGridOf(info, chunk), elementBytes, slabBytes)) {
    for (const { firstChunk, chunks, origin, dims } of boxesOf(slab, elementBytes, boxBytes)) {
      const voxels = { bytes: new Uint8Array(0), dims, elementBytes };
      yield { firstChunk, chunks, voxels, origin, slabDims: slab.dims, isTapped: false, release() {} };
    }
  }
}

test.each<[string, Dims4, number, number]>([
  ['slabs of several layers', [200, 90, 150, 1], 2 ** 21, 2 ** 21],
  ['boxes of some rows of chunks', [200, 90, 150, 1], 2 ** 19, 2 ** 17],
  ['several time points', [140, 60, 48, 5], 2 ** 21, 2 ** 21],
  ['planes in slabs of rows of chunks', [600, 200, 1, 2], 2 ** 16, 2 ** 16],
])('each row of each level is made once, and each run is ready when it is due: %s', async (_, dims, slabBytes, boxBytes) => {
  const info = infoOf(dims, 'u16');
  const chunk = [32, 16, 16] as const;
  const grid = chunkGridOf(info, chunk);
  const { backend, held } = holding();
  const halvings = planLevels(info, chunk);
  const levels = HeldLevels.create('u16', grid, halvings, backend, boxBytes) as HeldLevels;
  const runs: unknown[] = [];
  for (const box of readBoxes(dims, chunk, slabBytes, boxBytes)) {
    for (const part of (await levels.partsOf(box)).flat()) {
      const height = Math.min(part.to.dims[1] - part.row, Math.ceil(box.voxels.dims[1] / (dims[1] / part.to.dims[1])));
      const { rows } = part.to as CountedBox;
      for (let z = part.plane; z < part.plane + part.planes; z++) {
        for (let y = part.row; y < part.row + height; y++)
          rows[z * part.to.dims[1] + y] = (rows[z * part.to.dims[1] + y] ?? 0) + 1;
      }
    }
    await levels.add(box);
    for (const { box: made, ...run } of levels.takeRuns(box.firstChunk + box.chunks.length)) {
      expect((made as CountedBox).rows.every((count) => count === 1)).toBe(true);
      runs.push(run);
      made.release();
    }
  }
  const planned = halvings.flatMap((halving) =>
    halving.level === undefined ? [] : [...plannedRuns('u16', grid, halving, halving.level)],
  );
  expect(runs).toEqual(planned.sort((a, b) => a.due - b.due || a.level - b.level));
  expect(held.size).toBe(0);
});

test('levels are not held in boxes that are too large, or of volumes whose boxes are narrower than they are', () => {
  const info = infoOf([200, 90, 150, 1], 'u16');
  const grid = chunkGridOf(info, [32, 16, 16]);
  const halvings = planLevels(info, [32, 16, 16]);
  const create = (backend: Backend, boxBytes: number) => HeldLevels.create('u16', grid, halvings, backend, boxBytes);
  expect(create(holding().backend, 2 ** 20)).toBeDefined();
  expect(create(holding(2 ** 16).backend, 2 ** 20)).toBeUndefined();
  expect(create(holding().backend, 2 ** 15)).toBeUndefined();
  expect(create({ ...cpu, maxHeldBytes: 0 }, 2 ** 20)).toBeUndefined();
  expect(create(cpu, 2 ** 20)).toBeDefined();
});

test('if there is no memory for a level, that is the error, and the other levels are released', async () => {
  const dims = [600, 200, 64, 1] as const;
  const info = infoOf(dims, 'u16');
  const chunk = [32, 16, 16] as const;
  const { backend, held } = holding(2 ** 27, 1);
  const levels = HeldLevels.create('u16', chunkGridOf(info, chunk), planLevels(info, chunk), backend, 2 ** 24) as HeldLevels;
  const [box] = [...readBoxes(dims, chunk, 2 ** 24, 2 ** 24)] as [ReadBox];
  await expect(levels.partsOf(box)).rejects.toThrow('no memory for the box');
  expect(held.size).toBe(2);
  await levels.close();
  expect(held.size).toBe(0);
});
