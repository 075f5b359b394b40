import { expect, test } from 'vitest';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { ChunkShape } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import type { OpenVolume } from '../io/common/volume-reader.ts';
import { memorySource } from '../shared/bytes.ts';
import type { Progress } from '../shared/job.ts';
import type { PartChoice } from '../shared/part-choice.ts';
import { type Dims3, elementBytes, elementTypes, volumeBytes } from '../shared/volume.ts';
import { describeContainer } from '../stream/check/info.ts';
import { recoverVolume } from '../stream/check/recover.ts';
import { verifyContainer } from '../stream/check/verify.ts';
import { compressVolume } from '../stream/compress/compress.ts';
import { auto, infoOf, only, restoreBytes, voxelsOf, watchedSink } from '../stream/engine-testing.ts';
import { formatCases, openFiles } from '../stream/formats-testing.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { mergeParts } from './merge-parts.ts';
import { boxOf } from './parts-testing.ts';

const backend = createCpuBackend(inlinePool());

async function compressed(volume: OpenVolume, chunkShape?: ChunkShape, part?: PartChoice, choice = auto): Promise<Uint8Array> {
  const sink = watchedSink();
  await compressVolume(volume, sink, { backend, choice, chunkShape, part });
  return sink.bytes();
}

async function merged(parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const sink = watchedSink();
  const inputs = parts.map((bytes, at) => ({ path: `${at}.stria`, open: async () => memorySource(`${at}.stria`, bytes) }));
  try {
    await mergeParts(inputs, sink, undefined);
  } catch (error) {
    expect(sink).toMatchObject({ written: 0, closed: 0, aborted: 1 });
    throw error;
  }
  return sink.bytes();
}

/** All shares of a volume in an order that is neither rising nor falling. @param count no multiple of 3 */
async function sharesOf(count: number, compress: (part: PartChoice) => Promise<Uint8Array>): Promise<Uint8Array[]> {
  const shares: Uint8Array[] = [];
  for (let at = 0; at < count; at++) shares.push(await compress({ number: ((at * 3 + 4) % count) + 1, of: count }));
  return shares;
}

const open = (bytes: Uint8Array) => ContainerReader.open(memorySource('part.stria', bytes));

test.each(elementTypes)('seven shares of %s, of several time points, are merged to the bytes of one run', async (type) => {
  for (const codec of ['auto', 'rle', 'huffman', 'rice']) {
    const info = infoOf([21, 13, 11, 3], type);
    const volume = () => memoryVolume(info, voxelsOf(info, 'blobs'));
    const choice = codec === 'auto' ? auto : only(codec);
    const shape: ChunkShape = codec === 'rle' ? [8, 8, 3, 2, 'interleaved'] : [8, 8, 3];
    const whole = await compressed(volume(), shape, undefined, choice);
    const shares = await sharesOf(7, (part) => compressed(volume(), shape, part, choice));
    expect(await merged(shares)).toEqual(whole);
  }
});

test('shares and pieces of a series whose chunks interleave time points are merged to the bytes of one run', async () => {
  const info = infoOf([20, 13, 11, 7], 'u16');
  const voxels = voxelsOf(info, 'blobs');
  const compress = async (volume: OpenVolume, part?: PartChoice) => {
    const sink = watchedSink();
    await compressVolume(volume, sink, { backend, choice: only('rice'), chunkShape: [8, 8, 3, 4, 'interleaved'], part });
    return sink.bytes();
  };
  const whole = await compress(memoryVolume(info, voxels));
  expect((await open(whole)).grid.isInterleaved).toBe(true);
  for (const count of [1, 4, 7, 10]) {
    const shares = await sharesOf(count, (part) => compress(memoryVolume(info, voxels), part));
    expect(await merged(shares), `${count} shares`).toEqual(whole);
  }
  const pieces: Uint8Array[] = [];
  for (const [z, depth] of [
    [3, 8],
    [0, 3],
  ] as const) {
    const piece = memoryVolume({ ...info, dims: [20, 13, depth, 7] }, boxOf(info, voxels, [0, 0, z], [20, 13, depth]));
    pieces.push(await compress(piece, { origin: [0, 0, z], of: [20, 13, 11] }));
  }
  expect(await merged(pieces)).toEqual(whole);
});

test.each(formatCases)('seven shares of %s, %s, are merged to the bytes of one run', async (_, __, { files }) => {
  const shape: ChunkShape = [16, 16, 1];
  const whole = await compressed(await openFiles(files), shape);
  const shares = await sharesOf(7, async (part) => compressed(await openFiles(files), shape, part));
  expect(await merged(shares)).toEqual(whole);
});

test('there may be more shares than layers, and a box may be smaller than a layer', async () => {
  const info = infoOf([40, 30, 9, 1], 'u16');
  const volume = () => memoryVolume(info, voxelsOf(info, 'blobs'));
  const whole = await compressed(volume(), [8, 8, 4]);
  const shares = await sharesOf(5, (part) => compressed(volume(), [8, 8, 4], part));
  expect(shares.map((bytes) => bytes.byteLength < whole.byteLength)).not.toContain(false);
  expect(await merged(shares)).toEqual(whole);
});

test.each(['u8', 'i16', 'f64'] as const)(
  'pieces of %s, boxes of a larger volume, are merged to the bytes of one run',
  async (type) => {
    const info = infoOf([20, 19, 11, 2], type);
    const voxels = voxelsOf(info, 'blobs');
    const shape: ChunkShape = type === 'i16' ? [8, 8, 4, 2, 'interleaved'] : [8, 8, 4];
    const perVoxel = type === 'f64' ? 2 : 1;
    const starts = [
      [0, 8 / perVoxel, 16 / perVoxel, 20],
      [0, 16, 19],
      [0, 4, 8, 11],
    ] as const;
    const parts: Uint8Array[] = [];
    for (const x of [2, 0, 1]) {
      for (const y of [0, 1]) {
        for (const z of [1, 2, 0]) {
          const origin: Dims3 = [starts[0][x] as number, starts[1][y] as number, starts[2][z] as number];
          const end: Dims3 = [starts[0][x + 1] as number, starts[1][y + 1] as number, starts[2][z + 1] as number];
          const dims: Dims3 = [end[0] - origin[0], end[1] - origin[1], end[2] - origin[2]];
          const piece = memoryVolume({ ...info, dims: [...dims, 2] }, boxOf(info, voxels, origin, dims));
          const bytes = await compressed(piece, shape, { origin, of: [20, 19, 11] });
          expect(await verifyContainer(await open(bytes), { backend })).toMatchObject({
            sound: true,
            voxelBytes: piece.info.dims.reduce((a, b) => a * b) * elementBytes(type),
          });
          parts.push(bytes);
        }
      }
    }
    expect(await merged(parts)).toEqual(await compressed(memoryVolume(info, voxels), shape));
  },
);

test('a piece in the world gives the affine of the whole', async () => {
  const info = { ...infoOf([8, 8, 4, 1], 'u8'), affine: [0.5, 0, 0, 10, 0, 0.5, 0, 20, 0, 0, 2, 30] };
  const source = {
    format: 'nifti',
    endian: 'little',
    parts: [{ name: 'a.nii', before: new Uint8Array(352), hasVoxels: true, after: new Uint8Array(0) }],
  } as const;
  const piece = memoryVolume(info, voxelsOf(info, 'blobs'), source);
  const { header } = await open(await compressed(piece, [8, 8, 4], { origin: [8, 0, 4], of: [16, 8, 8] }));
  expect(header.volume).toMatchObject({ dims: [16, 8, 8, 1], affine: [0.5, 0, 0, 6, 0, 0.5, 0, 20, 0, 0, 2, 22] });
});

test.each([
  [{ origin: [4, 0, 0], of: [16, 8, 4] }, /along x it starts at 4; pieces must start and end at multiples of 8/],
  [{ origin: [8, 0, 0], of: [12, 8, 4] }, /along x it ends at 16, but the volume at 12/],
  [{ origin: [0, 0, 0], of: [16, 8, 6] }, /along z it ends at 4; pieces must start and end at multiples of 3/],
] as const)('a box that is not a piece is refused (%#)', async (part, message) => {
  const info = infoOf([8, 8, 4, 1], 'u8');
  const volume = memoryVolume(info, voxelsOf(info, 'blobs'));
  await expect(compressed(volume, [8, 8, 3], part)).rejects.toMatchObject({
    tag: 'invalid-input',
    message: expect.stringMatching(message),
  });
});

const info = infoOf([16, 16, 12, 1], 'u8');
const shape: ChunkShape = [8, 8, 2];
const share = (number: number, of = 3, voxels = voxelsOf(info, 'noise')) =>
  compressed(memoryVolume(info, voxels), shape, { number, of });

test('parts that do not form one volume are reported before anything is written', async () => {
  const refused = async (parts: readonly Uint8Array[], message: RegExp | string) =>
    expect(merged(parts)).rejects.toMatchObject({ tag: 'invalid-input', fullMessage: expect.stringMatching(message) });
  const [one, two, three] = [await share(1), await share(2), await share(3)];
  await refused([], 'no parts');
  await refused([one, three], 'of 3 parts, 2 is missing');
  await refused([await share(2, 5)], 'of 5 parts, 1, 3 to 5 are missing');
  await refused([one, two, three, two], '1.stria and 3.stria both hold the same part');
  await refused([one, await share(2, 4), three], '1.stria: it is a part of another volume than 0.stria: the division');
  const other = { ...info, spacing: [1, 1, 2, 1] } as const;
  const unlike = await compressed(memoryVolume(other, voxelsOf(info, 'noise')), shape, { number: 2, of: 3 });
  await refused([one, unlike, three], 'of another volume than 0.stria: the spacing differs');
  const named = {
    format: 'raw',
    endian: 'little',
    parts: [{ name: 'b.raw', before: new Uint8Array(1), hasVoxels: true, after: new Uint8Array(0) }],
  } as const;
  const sourced = await compressed(memoryVolume(info, voxelsOf(info, 'noise'), named), shape, { number: 2, of: 3 });
  await refused([one, sourced, three], 'the source file differs');
  await refused(
    [one, await compressed(memoryVolume(info, voxelsOf(info, 'noise')), shape), three],
    '1.stria: the file holds a whole volume',
  );
  const piece = { ...info, dims: [8, 16, 12, 1] } as const;
  const left = await compressed(memoryVolume(piece, voxelsOf(piece, 'noise')), shape, { origin: [0, 0, 0], of: [16, 16, 12] });
  await refused([left], 'a piece is missing: no file holds the voxels from 8, 0, 0 on');
  await refused([left, left], '0.stria and 1.stria overlap');
});

test('a damaged part is named, and a recovered one that lacks chunks must be compressed again', async () => {
  const [one, two, three] = [await share(1), await share(2), await share(3)];
  const cut = two.slice(0, two.byteLength - 40);
  await expect(merged([one, cut, three])).rejects.toMatchObject({
    tag: 'corrupt',
    fullMessage: expect.stringMatching('1.stria: '),
  });
  const flipped = two.slice();
  flipped[900] = (flipped[900] as number) ^ 1;
  const sink = watchedSink();
  const report = await recoverVolume(memorySource('two.stria', flipped), sink);
  expect(report).toMatchObject({ chunkCount: 8, wholeCount: 7, lostCount: 1 });
  expect((await open(sink.bytes())).header.part).toEqual({ number: 2, of: 3 });
  await expect(merged([one, sink.bytes(), three])).rejects.toMatchObject({
    tag: 'invalid-input',
    fullMessage: expect.stringMatching('1.stria: 1 of 8 chunks were lost .*; compress part 2 of 3 again'),
  });
  await expect(recoverVolume(memorySource('two.stria', flipped), watchedSink(), { fill: true })).rejects.toMatchObject({
    tag: 'invalid-input',
  });
});

test('a part can be verified and described, but not restored as if it were the volume', async () => {
  const bytes = await share(2);
  const reader = await open(bytes);
  expect(await verifyContainer(reader, { backend })).toMatchObject({
    sound: true,
    chunkCount: 8,
    voxelBytes: 16 * 16 * 4,
    lostCount: 0,
  });
  expect(await describeContainer(reader, bytes.byteLength)).toMatchObject({ part: 'part 2 of 3', chunkCount: 8, lostCount: 0 });
  await expect(restoreBytes(backend, bytes)).rejects.toMatchObject({ tag: 'invalid-input' });
  await expect(restoreBytes(backend, bytes, { fill: true })).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('the progress of a merge is in files, then in bytes of voxels', async () => {
  const info = infoOf([21, 13, 11, 1], 'u16');
  const shares = await sharesOf(2, (part) => compressed(memoryVolume(info, voxelsOf(info, 'blobs')), [8, 8, 3], part));
  const inputs = shares.map((bytes, at) => ({ path: `${at}.stria`, open: async () => memorySource(`${at}.stria`, bytes) }));
  const seen: Progress[] = [];
  await mergeParts(inputs, watchedSink(), undefined, { onProgress: (progress) => seen.push(progress) });
  const total = volumeBytes(info);
  expect(seen).toContainEqual({ stage: 'Checking', done: 2, total: 2, counts: 'files' });
  expect(seen.at(-1)).toEqual({ stage: 'Merging', done: total, total });
});
