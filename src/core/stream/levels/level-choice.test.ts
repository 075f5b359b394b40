import { expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { Progress } from '../../shared/job.ts';
import { volumeBytes } from '../../shared/volume.ts';
import { compressVolume } from '../compress/compress.ts';
import { auto, infoOf, watchedSink } from '../engine-testing.ts';
import { memoryVolume } from '../memory-volume.ts';
import { mostFileBytes } from './level-choice.ts';

test('a volume that does not compress takes about the bytes that are expected, and its progress ends at those of its voxels', async () => {
  const info = infoOf([192, 192, 192, 1], 'u8');
  const noise = new Uint8Array(volumeBytes(info));
  let state = 1;
  for (let at = 0; at < noise.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    noise[at] = state >>> 11;
  }
  for (const levels of [true, false]) {
    const expected: number[] = [];
    const backend = { ...createCpuBackend(inlinePool()), expect: (bytes: number) => expected.push(bytes) };
    const sink = watchedSink();
    const shares: number[] = [];
    const onProgress = ({ done, total }: Progress) => shares.push(done / Number(total));
    const settings = { backend, choice: auto, levels, chunkShape: [32, 32, 32, 1] as const };
    const { bytesOut } = await compressVolume(memoryVolume(info, noise), sink, settings, { onProgress });
    const most = mostFileBytes(info, levels);
    expect(Math.abs(bytesOut / most - 1)).toBeLessThan(0.02);
    expect(expected).toEqual([most]);
    expect([Math.max(...shares), shares.at(-1)]).toEqual([1, 1]);
  }
});

test('volumes of at most 256 MiB get no levels unless they are wanted', () => {
  const info = infoOf([1024, 1024, 256, 1], 'u8');
  const large = infoOf([1024, 1024, 280, 1], 'u8');
  expect([mostFileBytes(info, undefined), mostFileBytes(info, 'mode')]).toEqual([2 ** 28, Math.ceil(2 ** 31 / 7)]);
  expect([mostFileBytes(large, undefined), mostFileBytes(large, false)]).toEqual([320 * 2 ** 20, 280 * 2 ** 20]);
});
