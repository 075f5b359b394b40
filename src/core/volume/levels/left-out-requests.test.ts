import { expect, test } from 'vitest';
import { ServedFile, served } from '../../../testing/web-server-testing.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { leftOutLevels } from '../../left-out/left-out-levels.ts';
import { openAddressFile } from '../../remote/open-address.ts';
import type { Dims3, Dims4 } from '../../shared/volume.ts';
import { testInfo } from '../resident-testing.ts';
import { withAllLevels, withoutFinest } from './left-out-testing.ts';
import { leveledContainer } from './leveled-container.ts';

const dims: Dims4 = [2048, 128, 32, 1];

/** A volume that hardly compresses: a row of chunks along x takes a block of a remote file. */
async function noisy(): Promise<Uint8Array<ArrayBuffer>> {
  const voxels = new Uint8Array(dims[0] * dims[1] * dims[2]);
  let state = 1;
  for (let at = 0; at < voxels.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    voxels[at] = state >>> 24;
  }
  return withAllLevels(testInfo(dims, 'u8'), voxels, [16, 16, 16]);
}

/** The requests for boxes of a file on a server, after it was opened. */
async function requestsFor(bytes: Uint8Array<ArrayBuffer>, boxes: readonly { level: number; first: Dims3; size: Dims3 }[]) {
  const file = new ServedFile(bytes);
  const counts: number[] = [];
  await served(file.listener, async (address) => {
    const reader = await ContainerReader.open(await openAddressFile(`${address}/a.stria`, { retryMs: 1 }));
    const levels = await reader.levels();
    const voxels = leveledContainer(reader, levels, { leftOut: leftOutLevels(reader.header, levels[0]?.level) });
    for (const box of boxes) {
      const before = file.seen.length;
      await voxels.read({ ...box, timePoint: 0 });
      counts.push(file.seen.length - before);
    }
    voxels.close?.();
  });
  return counts;
}

const slices = [
  { level: 1, first: [0, 0, 2], size: [1024, 64, 1] },
  { level: 1, first: [0, 0, 3], size: [1024, 64, 1] },
  { level: 2, first: [0, 0, 1], size: [512, 32, 1] },
] as const;

test('a slice of a level that is left out takes few requests, and none if a neighbour or another level has read its chunks', async () => {
  const whole = await noisy();
  const lean = await withoutFinest(whole, 2);
  // The volume has eight times the chunks, and a slice needs four times as many of them.
  expect(await requestsFor(whole, slices)).toEqual([1, 0, 0]);
  expect(await requestsFor(lean, slices)).toEqual([4, 0, 0]);
});
