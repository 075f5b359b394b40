import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Backend } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { writeContainer } from '../format/container-testing.ts';
import { memorySource } from '../shared/bytes.ts';
import { faultTags, StriaError } from '../shared/errors.ts';
import type { SourceDescription } from '../shared/source.ts';
import { type Dims4, elementBytes, elementTypes, swapBytes } from '../shared/volume.ts';
import { describeContainer } from './check/info.ts';
import { recoverVolume } from './check/recover.ts';
import { verifyContainer } from './check/verify.ts';
import { compressVolume } from './compress/compress.ts';
import { auto, compressBytes, infoOf, only, restoreBytes, voxelsOf, watchedSink } from './engine-testing.ts';
import { memoryVolume } from './memory-volume.ts';
import { restoreVolume } from './restore/restore.ts';

const backend = createCpuBackend(inlinePool());

test('every type, odd dims and time points are restored exactly', async () => {
  for (const type of elementTypes) {
    for (const dims of [
      [1, 1, 1, 1],
      [13, 17, 23, 1],
      [7, 5, 3, 4],
      [131, 2, 1, 1],
    ] satisfies Dims4[]) {
      const info = infoOf(dims, type);
      const voxels = voxelsOf(info, 'blobs');
      const { bytes, report } = await compressBytes(backend, info, voxels);
      expect((await restoreBytes(backend, bytes)).get('volume.raw'), `${type} ${dims}`).toEqual(voxels);
      expect(report.bytesOut).toBe(bytes.byteLength);
      expect(report.chunks.reduce((sum, { count }) => sum + count, 0)).toBe(report.chunkCount);
    }
  }
});

test('small chunks, strips and slabs of several layers give the same voxels, and boxes the same bytes', async () => {
  const info = infoOf([37, 29, 11, 2], 'u16');
  const voxels = voxelsOf(info, 'blobs');
  const whole = await compressBytes(backend, info, voxels, { chunkShape: [8, 4, 5] });
  for (const maxBoxBytes of [1, 700, 3000, 10_000]) {
    const narrow: Backend = { ...backend, maxBoxBytes };
    const { bytes } = await compressBytes(narrow, info, voxels, { chunkShape: [8, 4, 5] });
    expect(bytes).toEqual(whole.bytes);
    expect((await restoreBytes(narrow, bytes)).get('volume.raw')).toEqual(voxels);
  }
});

test('a series of small volumes has few chunks, whatever the box', async () => {
  const info = infoOf([5, 4, 3, 9000], 'u16');
  const voxels = voxelsOf(info, 'blobs');
  const { bytes, report } = await compressBytes(backend, info, voxels);
  expect(report.chunkShape).toEqual([5, 4, 3, 4369]);
  expect(report.chunkCount).toBe(3);
  expect((await verifyContainer(await ContainerReader.open(memorySource('test.stria', bytes)), { backend })).sound).toBe(true);
  for (const maxBoxBytes of [1, 300_000, 2 ** 30]) {
    const narrow: Backend = { ...backend, maxBoxBytes };
    expect((await compressBytes(narrow, info, voxels)).bytes).toEqual(bytes);
    expect((await restoreBytes(narrow, bytes)).get('volume.raw')).toEqual(voxels);
  }
});

test('a source of two files and big-endian voxels is restored byte for byte', async () => {
  const info = infoOf([9, 8, 7, 1], 'f64');
  const voxels = voxelsOf(info, 'noise');
  const big = voxels.slice();
  swapBytes(big, elementBytes('f64'));
  const source: SourceDescription = {
    format: 'nifti',
    endian: 'big',
    parts: [
      { name: 'scan.hdr', before: Uint8Array.of(1, 2, 3), hasVoxels: false, after: Uint8Array.of(4) },
      { name: 'scan.img', before: Uint8Array.of(5), hasVoxels: true, after: Uint8Array.of(6, 7) },
    ],
  };
  const { bytes, report } = await compressBytes(backend, info, voxels, { source });
  expect(report.bytesIn).toBe(voxels.length + 7);
  const files = await restoreBytes(backend, bytes);
  expect([...files.keys()]).toEqual(['scan.hdr', 'scan.img']);
  expect(files.get('scan.hdr')).toEqual(Uint8Array.of(1, 2, 3, 4));
  expect(files.get('scan.img')).toEqual(Uint8Array.of(5, ...big, 6, 7));
  expect([...(await restoreBytes(backend, bytes, { outputName: 'b.hdr' })).keys()]).toEqual(['b.hdr', 'b.img']);
  expect((await restoreBytes(backend, bytes, { to: 'raw' })).get('test.raw')).toEqual(big);
  const nifti = (await restoreBytes(backend, bytes, { to: 'nifti', outputName: 'x.nii' })).get('x.nii');
  expect(nifti?.slice(-voxels.length)).toEqual(voxels);
});

test('noise grows by less than 1 %, constants shrink to almost nothing', async () => {
  const info = infoOf([64, 64, 20, 1], 'u8');
  const noise = await compressBytes(backend, info, voxelsOf(info, 'noise'), { choice: only('rle', 'x') });
  expect(noise.bytes.length).toBeLessThan(1.01 * 64 * 64 * 20 + 1500);
  expect(noise.report.chunks).toEqual([{ codec: 'raw', count: 1, bytes: 64 * 64 * 20 }]);
  const flat = await compressBytes(backend, info, voxelsOf(info, 'constant'), { choice: only('raw') });
  expect(flat.bytes.length).toBeLessThan(2000);
  expect(flat.report.chunks).toEqual([{ codec: 'constant', count: 1, bytes: 0 }]);
});

test('progress rises to the size of the volume, in uncompressed bytes', async () => {
  const info = infoOf([40, 40, 40, 1], 'u8');
  const seen: number[] = [];
  const job = {
    onProgress: ({ done, total }: { done: number; total: number | undefined }) => void seen.push(done / (total ?? 0)),
  };
  await compressBytes(backend, info, voxelsOf(info, 'blobs'), { chunkShape: [16, 16, 16], job });
  expect(seen.length).toBeGreaterThan(10);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(seen.at(-1)).toBe(1);
});

test('an abort half-way stops the work and aborts the sink once', async () => {
  const info = infoOf([64, 64, 64, 1], 'u8');
  const controller = new AbortController();
  const sink = watchedSink();
  const onProgress = ({ done }: { done: number }) => {
    if (done > 100_000) controller.abort();
  };
  const work = compressVolume(
    memoryVolume(info, voxelsOf(info, 'noise')),
    sink,
    { backend, choice: auto, chunkShape: [16, 16, 16] },
    { signal: controller.signal, onProgress },
  );
  await expect(work).rejects.toMatchObject({ tag: 'aborted' });
  expect([sink.closed, sink.aborted]).toEqual([0, 1]);
});

test('a full disk is reported as such and leaves nothing, at any point', async () => {
  const info = infoOf([32, 32, 32, 1], 'u8');
  const voxels = voxelsOf(info, 'noise');
  const { bytes } = await compressBytes(backend, info, voxels, { chunkShape: [16, 16, 16] });
  for (let capacity = 0; capacity < bytes.length; capacity += 3000) {
    const sink = watchedSink(capacity, () => new StriaError('not-writable', 'no space left on the disk'));
    const work = compressVolume(memoryVolume(info, voxels), sink, { backend, choice: auto, chunkShape: [16, 16, 16] });
    await expect(work).rejects.toMatchObject({ tag: 'not-writable' });
    expect([sink.closed, sink.aborted]).toEqual([0, 1]);
  }
  const sinks: ReturnType<typeof watchedSink>[] = [];
  const makeSink = async () => {
    const sink = watchedSink(100, () => new StriaError('not-writable', 'no space left on the disk'));
    sinks.push(sink);
    return sink;
  };
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  await expect(restoreVolume(reader, makeSink, { backend, baseName: 'a' })).rejects.toMatchObject({ tag: 'not-writable' });
  expect(sinks.map(({ closed, aborted }) => [closed, aborted])).toEqual([[0, 1]]);
});

test('a volume that ends early is corrupt, not shorter', async () => {
  const info = infoOf([8, 8, 8, 1], 'u8');
  const volume = {
    ...memoryVolume(info, new Uint8Array(512)),
    voxels: () => memoryVolume(infoOf([8, 8, 7, 1], 'u8'), new Uint8Array(448)).voxels(),
  };
  const sink = watchedSink();
  await expect(compressVolume(volume, sink, { backend, choice: auto })).rejects.toMatchObject({ tag: 'corrupt' });
  expect(sink.aborted).toBe(1);
});

const sound = await (async () => {
  const info = infoOf([24, 20, 9, 2], 'u16');
  const voxels = voxelsOf(info, 'blobs');
  const { bytes } = await compressBytes(backend, info, voxels, { chunkShape: [8, 8, 8] });
  return { info, voxels, bytes };
})();

/** What every file must give: a fault of a known kind, or the right voxels. */
async function restoresRightOrFails(bytes: Uint8Array): Promise<void> {
  try {
    const files = await restoreBytes(backend, bytes);
    for (const file of files.values()) expect(file).toEqual(sound.voxels);
  } catch (error) {
    if (!(error instanceof StriaError)) throw error;
    expect(faultTags).toContain(error.tag);
    expect(['corrupt', 'unsupported']).toContain(error.tag);
  }
}

test('a flipped byte gives a typed fault or the right voxels', async () => {
  const flips = fc.record({ at: fc.nat(sound.bytes.length - 1), bits: fc.integer({ min: 1, max: 255 }) });
  await fc.assert(
    fc.asyncProperty(flips, async ({ at, bits }) => {
      const bytes = sound.bytes.slice();
      bytes[at] = (bytes[at] as number) ^ bits;
      await restoresRightOrFails(bytes);
      const reader = await ContainerReader.open(memorySource('a.stria', bytes)).catch(() => undefined);
      if (reader) expect((await verifyContainer(reader, { backend })).sound).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test('a truncated file gives a typed fault, and recover saves every intact chunk', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(sound.bytes.length - 1), async (length) => {
      const cut = sound.bytes.slice(0, length);
      await expect(restoreBytes(backend, cut)).rejects.toMatchObject({ tag: 'corrupt' });
      const sink = watchedSink();
      const report = await recoverVolume(memorySource('cut.stria', cut), sink).catch((error: unknown) => {
        expect(error).toMatchObject({ tag: 'corrupt' });
        expect(sink.aborted).toBe(1);
        return undefined;
      });
      if (!report) return;
      expect(report.wholeCount + report.lostCount).toBe(report.chunkCount);
      const reader = await ContainerReader.open(memorySource('new.stria', sink.bytes()));
      const { lostCount } = report;
      expect(await verifyContainer(reader, { backend })).toMatchObject({ sound: lostCount === 0, damagedCount: 0, lostCount });
      expect((await describeContainer(reader, sink.bytes().length)).lostCount).toBe(lostCount);
      if (lostCount > 0) {
        await expect(restoreBytes(backend, sink.bytes())).rejects.toMatchObject({
          tag: 'corrupt',
          message: expect.stringContaining(`${lostCount} of ${report.chunkCount} chunks were lost`),
        });
      }
      const [file] = (await restoreBytes(backend, sink.bytes(), { fill: true })).values();
      // On request, zeros are written as if they had been there.
      const filled = watchedSink();
      await recoverVolume(memorySource('cut.stria', cut), filled, { fill: true });
      const filledReader = await ContainerReader.open(memorySource('filled.stria', filled.bytes()));
      expect(await verifyContainer(filledReader, { backend })).toMatchObject({ sound: true, lostCount: 0 });
      expect((await restoreBytes(backend, filled.bytes())).values().next().value).toEqual(file);
      const expected = sound.voxels.slice();
      for (const { origin, shape, t } of report.lost) {
        for (let z = origin[2]; z < origin[2] + shape[2]; z++) {
          for (let y = origin[1]; y < origin[1] + shape[1]; y++) {
            const start = 2 * (((t * 9 + z) * 20 + y) * 24 + origin[0]);
            expected.fill(0, start, start + 2 * shape[0]);
          }
        }
      }
      expect(file).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test('verify names every damaged chunk; the others are intact', async () => {
  const reader = await ContainerReader.open(memorySource('a.stria', sound.bytes));
  const good = await verifyContainer(reader, { backend });
  expect(good).toMatchObject({ sound: true, damagedCount: 0, problems: [], chunkCount: reader.chunkCount });
  const bytes = sound.bytes.slice();
  const coded = Array.from({ length: reader.chunkCount }, (_, number) => number).filter(
    (number) => reader.entry(number).kind === 'coded',
  );
  const hit = [coded[1], coded.at(-1)] as number[];
  for (const number of hit) {
    const entry = reader.entry(number);
    if (entry.kind !== 'coded') throw new Error('not coded');
    const at = entry.recordOffset + entry.recordLength - entry.payloadLength;
    bytes[at] = (bytes[at] as number) ^ 0x40;
  }
  const report = await verifyContainer(await ContainerReader.open(memorySource('a.stria', bytes)), { backend });
  expect(report.sound).toBe(false);
  expect(report.damaged.map(({ chunk }) => chunk)).toEqual(hit);
  expect(report.damaged[0]?.message).toMatch(new RegExp(`^chunk ${(hit[0] ?? 0) + 1}: `));
});

test('verify lists damaged chunks by number, whether reading or decoding detects them', async () => {
  const reader = await ContainerReader.open(memorySource('a.stria', sound.bytes));
  const chunks = await reader.readChunks(0, reader.chunkCount);
  const [first, second] = [...chunks.keys()].filter((number) => chunks[number]?.kind === 'coded') as [number, number];
  const wrong = chunks.map((chunk, number) => (number === first ? { ...chunk, decodedChecksum: { sum: 1, cross: 2 } } : chunk));
  const { volume, chunkShape, sourceFormat } = reader.header;
  const bytes = await writeContainer({ volume, chunkShape, sourceFormat }, wrong, await reader.sourceDescription());
  const forged = await ContainerReader.open(memorySource('b.stria', bytes));
  const entry = forged.entry(second);
  if (entry.kind !== 'coded') throw new Error('not coded');
  const at = entry.recordOffset + entry.recordLength - entry.payloadLength;
  bytes[at] = (bytes[at] as number) ^ 1;
  const report = await verifyContainer(forged, { backend });
  expect(report.damaged.map(({ chunk }) => chunk)).toEqual([first, second]);
});

test('info describes a container', async () => {
  const reader = await ContainerReader.open(memorySource('a.stria', sound.bytes));
  const info = await describeContainer(reader, sound.bytes.length);
  expect(info).toMatchObject({ chunkShape: [8, 8, 8, 1], chunkCount: 36, sourceFormat: 'raw', voxelBytes: sound.voxels.length });
  expect(info.chunks.map(({ codec }) => codec)).toContain('constant');
  expect(info.ratio).toBeCloseTo(sound.voxels.length / sound.bytes.length);
});

test('a chunk whose voxels do not match their checksum is named', async () => {
  const box = { bytes: voxelsOf(infoOf([8, 8, 8, 1], 'u8'), 'noise'), dims: [8, 8, 8], elementBytes: 1 } as const;
  const places = [{ origin: [0, 0, 0], shape: [8, 8, 8] }] as const;
  const [chunk] = await backend.encode(box, places, auto);
  if (!chunk) throw new Error('no chunk');
  const wrong = { ...chunk, decodedChecksum: { ...chunk.decodedChecksum, sum: chunk.decodedChecksum.sum ^ 1 } };
  const fault = await backend.decode([wrong], places, box, { firstChunk: 41 }).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(StriaError);
  expect((fault as StriaError).fullMessage).toBe('chunk 42: its voxels do not match their checksum: the file is damaged');
});
