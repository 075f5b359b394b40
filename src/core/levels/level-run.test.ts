import { expect, test } from 'vitest';
import { chunkGridOf } from '../format/chunk-grid.ts';
import type { ElementType, VolumeInfo } from '../shared/volume.ts';
import { planLevels } from './level-plan.ts';
import { type LevelRun, RunBuilder } from './level-run.ts';

const chunkShape = [64, 64, 64] as const;

/** The runs of a level, as planes of zeros arrive. */
async function runsOf(
  info: Pick<VolumeInfo, 'dims' | 'type' | 'affine' | 'spacing'>,
  level: number,
): Promise<readonly LevelRun[]> {
  const volume = info as VolumeInfo;
  const halving = planLevels(volume, chunkShape).find((one) => one.level === level);
  if (!halving) throw new Error('there is no such level');
  const runs: LevelRun[] = [];
  const memory = { bytes: { set: () => {} } as unknown as Uint8Array<ArrayBuffer>, release() {} };
  const grid = chunkGridOf(volume, chunkShape);
  const builder = new RunBuilder(
    volume.type,
    grid,
    halving,
    level,
    async () => memory,
    (run) => runs.push(run),
  );
  const [x, y, z, times] = halving.grid.dims;
  const width = { u8: 1, u16: 2 }[volume.type as 'u8' | 'u16'];
  let left = x * y * z * times * width;
  const piece = new Uint8Array(2 ** 24 - 1);
  for (; left > 0; left -= piece.byteLength) await builder.push(piece.subarray(0, Math.min(left, piece.byteLength)));
  return runs;
}

const placesOf = (runs: readonly LevelRun[]) =>
  runs.map(({ firstChunk, chunkCount, dims, due }) => ({ firstChunk, chunkCount, dims, due }));

const affine = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
const infoOf = (dims: VolumeInfo['dims'], type: ElementType) => ({ dims, type, affine, spacing: [1, 1, 1, 1] as const });

test('a run holds 32 MiB of the first level and a quarter of that of the next, and is due when its voxels are known', async () => {
  const info = infoOf([1024, 1024, 1000, 1], 'u8');
  expect(placesOf(await runsOf(info, 1))).toEqual([
    { firstChunk: 0, chunkCount: 128, dims: [512, 512, 128], due: 4 * 256 },
    { firstChunk: 128, chunkCount: 128, dims: [512, 512, 128], due: 8 * 256 },
    { firstChunk: 256, chunkCount: 128, dims: [512, 512, 128], due: 12 * 256 },
    { firstChunk: 384, chunkCount: 128, dims: [512, 512, 116], due: 16 * 256 },
  ]);
  expect(placesOf(await runsOf(info, 2))).toEqual([
    { firstChunk: 0, chunkCount: 32, dims: [256, 256, 128], due: 8 * 256 },
    { firstChunk: 32, chunkCount: 32, dims: [256, 256, 122], due: 16 * 256 },
  ]);
});

test('a run has at least one layer, and holds those of several time points', async () => {
  const wide = await runsOf(infoOf([2048, 2048, 300, 1], 'u16'), 1);
  expect(wide.map(({ dims, due }) => ({ dims, due }))).toEqual([
    { dims: [1024, 1024, 64], due: 2 * 1024 },
    { dims: [1024, 1024, 64], due: 4 * 1024 },
    { dims: [1024, 1024, 22], due: 5 * 1024 },
  ]);
  const series = await runsOf(infoOf([256, 256, 200, 40], 'u8'), 1);
  // Layers of 64 and 36 planes, 2 for each time point.
  expect(series.map(({ dims, due }) => ({ dims, due }))).toEqual([
    { dims: [128, 128, 16 * 100], due: 16 * 4 * 16 },
    { dims: [128, 128, 16 * 100], due: 32 * 4 * 16 },
    { dims: [128, 128, 8 * 100], due: 40 * 4 * 16 },
  ]);
});
