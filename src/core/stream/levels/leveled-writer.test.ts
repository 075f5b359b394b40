import { describe, expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { ContainerWriter } from '../../format/container-writer.ts';
import type { LevelHeader } from '../../format/level.ts';
import { memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims4, VolumeInfo } from '../../shared/volume.ts';
import { verifyContainer } from '../check/verify.ts';
import { compressVolume } from '../compress/compress.ts';
import type { CompressReport } from '../compress/compress-contract.ts';
import { auto, infoOf, restoreBytes, voxelsOf, type WatchedSink, watchedSink } from '../engine-testing.ts';
import { memoryVolume, rawSource } from '../memory-volume.ts';
import { type EncodedRun, LevelMaker } from './level-maker.ts';
import { allLevels, LeveledWriter, type LevelLimits } from './leveled-writer.ts';
import { rewriteLevels } from './rewrite-levels.ts';

const cpu = createCpuBackend(inlinePool());

/** Single points, of which halving keeps nearly all. */
function points(dims: Dims4): { info: VolumeInfo; voxels: Uint8Array<ArrayBuffer> } {
  const info = infoOf(dims, 'u8');
  const noise = voxelsOf(info, 'noise');
  return { info, voxels: noise.map((byte, at) => (at % 61 === 0 && byte > 200 ? byte : 0)) };
}

async function compressed(
  { info, voxels }: { info: VolumeInfo; voxels: Uint8Array<ArrayBuffer> },
  levelLimits?: LevelLimits,
  sink: WatchedSink = watchedSink(),
  job = {},
): Promise<{ bytes: Uint8Array<ArrayBuffer>; report: CompressReport; reader: ContainerReader }> {
  const chunkShape = [32, 32, 32, 1] as const;
  const settings = { backend: cpu, choice: auto, chunkShape, levels: 'mean', levelLimits } as const;
  const report = await compressVolume(memoryVolume(info, voxels), sink, settings, job);
  const bytes = sink.bytes();
  return { bytes, report, reader: await ContainerReader.open(memorySource('test.stria', bytes)) };
}

/** Factors and chunks of each level. */
const contents = async (reader: ContainerReader) =>
  Promise.all(
    (await reader.levels()).map(async (level) => ({
      factors: level.level?.factors,
      chunks: await level.readChunks(0, level.chunkCount),
    })),
  );

describe('a file', () => {
  test('of a sparse volume goes without its finest levels, so that the others take at most 15 % of it', async () => {
    const volume = points([520, 64, 64, 1]);
    const all = await compressed(volume, allLevels);
    const { bytes, report, reader } = await compressed(volume);
    expect(all.report).toMatchObject({ levelCount: 3, leftOutCount: 0 });
    expect(all.report.levelBytes).toBeGreaterThan(0.15 * all.bytes.length);
    expect(report.leftOutCount).toBeGreaterThan(0);
    expect(report.levelCount + report.leftOutCount).toBe(3);
    expect(report.levelBytes).toBeLessThanOrEqual(0.15 * bytes.length);
    // One more level would be too much.
    const others = (await contents(all.reader)).slice(report.leftOutCount - 1);
    const size = others
      .flatMap(({ chunks }) => chunks)
      .reduce((sum, one) => sum + (one.kind === 'coded' ? one.payload.length : 0), 0);
    expect(size).toBeGreaterThan(0.15 * (bytes.length - report.levelBytes + size));
    // Those that are kept are what they are in a file with all levels.
    expect(await contents(reader)).toEqual(others.slice(1));
    expect((await reader.levels()).map(({ level }) => level?.number)).toEqual(others.slice(1).map((_, at) => at + 1));
    expect(await verifyContainer(reader, { backend: cpu })).toMatchObject({ sound: true, problems: [] });
    expect([...(await restoreBytes(cpu, bytes)).values()]).toEqual([volume.voxels]);
  });

  test('of a dense volume keeps all levels', async () => {
    const info = infoOf([260, 64, 64, 1], 'u8');
    const { bytes, report, reader } = await compressed({ info, voxels: voxelsOf(info, 'noise') });
    expect(report).toMatchObject({ levelCount: 2, leftOutCount: 0 });
    expect(report.levelBytes).toBeLessThanOrEqual(0.15 * bytes.length);
    expect((await contents(reader)).map(({ factors }) => factors)).toEqual([
      [2, 2, 2],
      [4, 4, 4],
    ]);
  });

  test('of levels beside a plain file has all of them', async () => {
    const { info, voxels } = points([520, 64, 64, 1]);
    const levelsOf = { factors: [2, 2, 2], voxels: '0123456789abcdef', modifiedMs: undefined } as const;
    const settings = { backend: cpu, choice: auto, chunkShape: [32, 32, 32, 1], levels: 'mean', levelsOf } as const;
    const sink = watchedSink();
    const report = await compressVolume(memoryVolume(info, voxels), sink, settings);
    expect(report).toMatchObject({ levelCount: 3, leftOutCount: 0 });
    const again = watchedSink();
    const written = await ContainerReader.open(memorySource('a', sink.bytes()));
    await rewriteLevels(written, again, { backend: cpu, choice: auto, levels: 'mean' });
    expect(again.bytes()).toEqual(sink.bytes());
  });

  test('keeps its coarsest level, however large it is', async () => {
    const info = infoOf([256, 256, 1, 1], 'u8');
    const { bytes, report, reader } = await compressed({ info, voxels: voxelsOf(info, 'noise') });
    expect(report).toMatchObject({ levelCount: 1, leftOutCount: 0 });
    expect(report.levelBytes).toBeGreaterThan(0.15 * bytes.length);
    expect((await contents(reader)).map(({ factors }) => factors)).toEqual([[2, 2, 1]]);
  });

  test('gets the same bytes when its levels are made again', async () => {
    const volume = points([520, 64, 64, 1]);
    const { bytes } = await compressed(volume);
    const rewrite = async (from: Uint8Array, levels: 'mean' | 'remove') => {
      const sink = watchedSink();
      await rewriteLevels(await ContainerReader.open(memorySource('a', from)), sink, { backend: cpu, choice: auto, levels });
      return sink.bytes();
    };
    expect(await rewrite(bytes, 'mean')).toEqual(bytes);
    expect(await rewrite(await rewrite(bytes, 'remove'), 'mean')).toEqual(bytes);
  });

  test('is aborted if the sink fails or the job is cancelled while the held levels are written', async () => {
    const info = infoOf([260, 64, 64, 1], 'u8');
    const volume = { info, voxels: voxelsOf(info, 'noise') };
    const whole = await compressed(volume);
    const [level] = await whole.reader.levels();
    const entry = level?.entry(0);
    if (entry?.kind !== 'coded') throw new Error('the level is noise');
    // Of two levels, so that there is a run to go.
    const full = watchedSink(entry.recordOffset + 10, () => new StriaError('not-writable', 'full'));
    await expect(compressed(volume, undefined, full)).rejects.toMatchObject({ tag: 'not-writable' });
    expect([full.written, full.closed, full.aborted]).toEqual([entry.recordOffset, 0, 1]);

    const cancel = new AbortController();
    const sink = watchedSink();
    const write = sink.write.bind(sink);
    sink.write = async (bytes: Uint8Array) => {
      if (sink.written === entry.recordOffset) cancel.abort();
      await write(bytes);
    };
    await expect(compressed(volume, undefined, sink, { signal: cancel.signal })).rejects.toMatchObject({ tag: 'aborted' });
    expect(sink.written).toBeLessThan(whole.bytes.length);
    expect([sink.closed, sink.aborted]).toEqual([0, 1]);
  });
});

describe('runs of levels', () => {
  const volumeChunks = 64;

  /** A chunk of so many bytes that belongs to nothing in particular. */
  const coded = (byteLength: number, of: number): EncodedChunk => ({
    kind: 'coded',
    stages: [{ codecId: 1, parameters: new Uint8Array(0) }],
    payload: new Uint8Array(byteLength).fill(of),
    encodedChecksum: { sum: 0, cross: 0 },
    decodedChecksum: { sum: of, cross: 0 },
  });
  const chunks = (bytes: (number: number) => number) =>
    Array.from({ length: volumeChunks }, (_, number) => coded(bytes(number), number));

  /** Two levels of 8 chunks and 1; each chunk of the first one is a run. */
  const runsOf = (bytes: (number: number) => number): EncodedRun[] => [
    ...Array.from({ length: 8 }, (_, number) => ({
      level: 1,
      firstChunk: number,
      due: 8 * (number + 1),
      chunks: [coded(bytes(number), 100 + number)],
    })),
    {
      level: 2,
      firstChunk: 0,
      due: volumeChunks,
      chunks: [{ kind: 'constant', element: Uint8Array.of(200), decodedChecksum: { sum: 0, cross: 0 } }],
    },
  ];

  async function written(
    of: readonly EncodedChunk[],
    runs: readonly EncodedRun[],
    limits: LevelLimits,
    cuts: readonly number[] = [],
  ) {
    const sink = watchedSink();
    const info = infoOf([256, 256, 256, 1], 'u8');
    const writer = await ContainerWriter.create(sink, { volume: info, chunkShape: [64, 64, 64, 1], sourceFormat: 'raw' });
    const leftOut: number[] = [];
    const headers = ([2, 4] as const).map(
      (factor, at): LevelHeader => ({
        number: at + 1,
        method: 'mean',
        factors: [factor, factor, factor],
        chunkShape: [64, 64, 64],
      }),
    );
    const maker = { stack: { headers } as LevelMaker['stack'], leaveOut: (count: number) => leftOut.push(count) };
    const leveled = new LeveledWriter(writer, maker, limits);
    let first = 0;
    for (const end of [...cuts, volumeChunks]) {
      const due = runs.filter((run) => run.due > first && run.due <= end);
      await leveled.write(first, of.slice(first, end), due);
      // The backend may use their memory again.
      for (const one of due.flatMap((run) => run.chunks)) (one.kind === 'coded' ? one.payload : one.element).fill(255);
      first = end;
    }
    await leveled.finish(rawSource('a.raw'), {});
    const bytes = sink.bytes();
    const reader = await ContainerReader.open(memorySource('a', bytes));
    const levels = await reader.levels();
    const entry = levels[0]?.entry(0);
    if (entry?.kind === 'coded') expect(bytes[entry.recordOffset + 56]).toBe(100);
    expect(levels.at(-1)?.entry(0)).toMatchObject({ kind: 'constant', element: Uint8Array.of(200) });
    return {
      bytes,
      /** Where the first level's records begin. */
      start: entry?.kind === 'coded' ? entry.recordOffset : 0,
      factors: levels.map(({ level }) => level?.factors[0]),
      leftOut,
    };
  }
  const place = async (bytes: Uint8Array, chunk: number) => {
    const reader = await ContainerReader.open(memorySource('a', bytes));
    const entry = reader.entry(chunk);
    return entry?.kind === 'coded' ? entry.recordOffset : 0;
  };

  test('are written where it is decided to keep them, and from then on where they are due', async () => {
    const of = () => chunks(() => 1000);
    const runs = () => runsOf(() => 800);
    const held = await written(of(), runs(), { percent: 15, heldBytes: 4 * (800 + 128) });
    expect(held.factors).toEqual([2, 4]);
    // The fifth run exceeds the bound: five of them follow the chunks that they depend on.
    expect(await place(held.bytes, 39)).toBeLessThan(held.start);
    expect(await place(held.bytes, 40)).toBeGreaterThan(held.start + 5 * 800);
    expect((await place(held.bytes, 48)) - (await place(held.bytes, 47))).toBeGreaterThan(1800);
    const all = await written(of(), runs(), { percent: 15, heldBytes: 2 ** 20 });
    expect(all.factors).toEqual([2, 4]);
    expect(await place(all.bytes, 63)).toBeLessThan(all.start);
    const atOnce = await written(of(), runs(), allLevels);
    expect(await place(atOnce.bytes, 8)).toBeGreaterThan(atOnce.start);
  });

  test('are dropped at the bound if they are too large there, also those that follow', async () => {
    const runs = () => runsOf((number) => (number < 5 ? 3000 : 10));
    const { bytes, factors, leftOut } = await written(
      chunks(() => 1000),
      runs(),
      { percent: 15, heldBytes: 4 * 3128 },
    );
    expect(factors).toEqual([4]);
    expect(leftOut[0]).toBe(1);
    // Held to the end they would be dropped, too, but smaller ones afterwards would not come back.
    expect(bytes.length).toBeLessThan(64 * 1100 + 3000);
  });

  test('are kept from the bound on, although what follows is sparse', async () => {
    const of = chunks((number) => (number < 40 ? 1000 : 10));
    const { factors } = await written(
      of,
      runsOf(() => 700),
      { percent: 15, heldBytes: 4 * 828 },
    );
    expect(factors).toEqual([2, 4]);
    const { factors: held } = await written(
      of,
      runsOf(() => 1200),
      { percent: 15, heldBytes: 2 ** 20 },
    );
    expect(held).toEqual([4]);
  });

  test('give the same bytes however the chunks are cut into calls', async () => {
    for (const runBytes of [800, 3000]) {
      for (const heldBytes of [0, 900, 4000, 10_000, 2 ** 20]) {
        const limits = { percent: 15, heldBytes };
        const once = await written(
          chunks(() => 1000),
          runsOf(() => runBytes),
          limits,
        );
        for (const cuts of [[1, 8, 9, 40, 63], Array.from({ length: 63 }, (_, at) => at + 1), [50]]) {
          const own = await written(
            chunks(() => 1000),
            runsOf(() => runBytes),
            limits,
            cuts,
          );
          expect(own.bytes).toEqual(once.bytes);
        }
      }
    }
  });
});

test('a level that was left out is no longer encoded, and its memory is released', async () => {
  const { info, voxels } = points([260, 32, 32, 1]);
  let lent = 0;
  const borrowBytes = async (byteLength: number) => {
    lent++;
    return { bytes: new Uint8Array(byteLength), release: () => lent-- };
  };
  const maker = LevelMaker.create(info, [32, 32, 32, 1], { ...cpu, borrowBytes }, auto, 'mean');
  if (!maker) throw new Error('the volume is large enough');
  await maker.stack.push(voxels);
  expect(lent).toBe(2);
  maker.leaveOut(1);
  const chunks = Array.from(
    { length: 9 },
    (): EncodedChunk => ({
      kind: 'constant',
      element: new Uint8Array(1),
      decodedChecksum: { sum: 0, cross: 0 },
    }),
  );
  const runs = await maker.encodeDue(0, chunks, {});
  expect(runs.map(({ level }) => level)).toEqual([2]);
  expect(lent).toBe(0);
  await maker.close();
});
