import { expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { StriaError } from '../../shared/errors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { auto, infoOf, voxelsOf, watchedSink } from '../engine-testing.ts';
import { memoryVolume } from '../memory-volume.ts';
import { makeFittingLevels } from './fitting-levels.ts';
import { levelsToMake, makeLevels } from './make-levels.ts';

const backend = createCpuBackend(inlinePool());
const settings = { backend, choice: auto, timePoint: 0 };
const source = { name: 'a.raw', modifiedMs: 5 };

function plainFile(info: VolumeInfo) {
  const voxels = voxelsOf(info, 'noise');
  const fill = async (bytes: Uint8Array<ArrayBuffer>, at: number) => bytes.set(voxels.subarray(at, at + bytes.byteLength));
  return { ...memoryVolume(info, voxels), fill };
}

test('the levels of a volume of one time point are the file that is kept beside it', async () => {
  const volume = plainFile(infoOf([200, 70, 66, 1], 'u8'));
  const [sink, expected] = [watchedSink(), watchedSink()];
  expect(await makeFittingLevels(volume, source, () => sink, settings)).toEqual({ firstLevel: 1 });
  await makeLevels(volume, source, expected, settings);
  expect(sink.bytes()).toEqual(expected.bytes());
  expect([sink.closed, sink.aborted]).toEqual([1, 0]);
});

test('the caller can pause between pieces and is told how much has been read, and a cancel ends the work', async () => {
  const volume = plainFile(infoOf([300, 300, 200, 1], 'u8'));
  const shares: number[] = [];
  const abort = new AbortController();
  let resume = () => {};
  const sink = watchedSink();
  const beforePiece = (share: number): Promise<void> => {
    shares.push(share);
    return new Promise((resolve) => {
      resume = resolve;
    });
  };
  const making = makeFittingLevels(volume, source, () => sink, { ...settings, beforePiece }, { signal: abort.signal });
  // The first piece is for looking whether the voxels are labels.
  for (const count of [1, 2]) {
    await expect.poll(() => shares.length).toBe(count);
    resume();
  }
  await expect.poll(() => shares.length).toBe(3);
  expect(shares).toEqual([0, 0, 2 ** 22 / (300 * 300 * 200)]);
  abort.abort();
  resume();
  await expect(making).rejects.toMatchObject({ tag: 'aborted' });
  expect([sink.closed, sink.aborted]).toEqual([0, 1]);
});

test('looking for labels pauses, too', async () => {
  const info = infoOf([300, 300, 200, 1], 'u8');
  let planes = 0;
  const fill = async (bytes: Uint8Array) => {
    if (bytes.byteLength === 300 * 300) planes++;
    bytes.fill(0);
  };
  const volume = { ...memoryVolume(info, new Uint8Array(300 * 300 * 200)), fill };
  const beforePiece = () => new Promise<void>(() => {});
  void makeFittingLevels(volume, source, () => watchedSink(), { ...settings, beforePiece }).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(planes).toBe(0);
});

test('levels that fit are looked for from the finest on', async () => {
  const volume = plainFile(infoOf([300, 70, 66, 1], 'u8'));
  expect(levelsToMake(volume.info).length).toBe(3);
  const sinks: ReturnType<typeof watchedSink>[] = [];
  const makeSink = (capacity: number) => () => {
    const sink = watchedSink(capacity, () => new StriaError('limit-too-small', 'full'));
    sinks.push(sink);
    return sink;
  };
  expect(await makeFittingLevels(volume, source, makeSink(60_000), settings)).toEqual({ firstLevel: 2 });
  expect(sinks.map(({ closed, aborted }) => [closed, aborted])).toEqual([
    [0, 1],
    [1, 0],
  ]);
  await expect(makeFittingLevels(volume, source, makeSink(100), settings)).rejects.toMatchObject({ tag: 'limit-too-small' });
  // Other faults are not taken for a lack of memory.
  const broken = { ...volume, fill: async () => Promise.reject(new StriaError('not-readable', 'the disk is away')) };
  await expect(makeFittingLevels(broken, source, makeSink(60_000), settings)).rejects.toMatchObject({ tag: 'not-readable' });
});
