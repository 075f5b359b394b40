import { expect, test } from 'vitest';
import type { Backend, EncodeChoice } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { OpenVolume } from '../io/common/volume-reader.ts';
import { openVolume } from '../io/open-volume.ts';
import { memorySource, type ReadSharedFile } from '../shared/bytes.ts';
import { type Dims4, type ElementType, elementTypes } from '../shared/volume.ts';
import { compressVolume } from './compress/compress.ts';
import { auto, infoOf, type Look, only, voxelsOf, watchedSink } from './engine-testing.ts';
import type { LevelChoice } from './levels/level-choice.ts';

const offset = 7;

/** A raw file in memory that acts as if it were on a disk, and its voxels. */
function fileOf(dims: Dims4, type: ElementType, look: Look) {
  const voxels = voxelsOf(infoOf(dims, type), look);
  const bytes = new Uint8Array(offset + voxels.byteLength);
  bytes.set(voxels, offset);
  return bytes;
}

/** Opens the file so that threads may read it and the engine may not. */
async function open(bytes: Uint8Array, dims: Dims4, type: ElementType, isShared: boolean): Promise<OpenVolume> {
  const source = memorySource('a.raw', bytes);
  const file = isShared ? { path: 'a.raw', descriptor: 3 } : undefined;
  const volume = await openVolume({ ...source, file }, { raw: { dims, type, offset } });
  const none = () => {
    throw new Error('only the backend should read the voxels');
  };
  return isShared ? { ...volume, voxels: none, fill: none } : volume;
}

interface OwnSettings extends Partial<Backend> {
  readonly levels?: LevelChoice;
}

const compress = async (volume: OpenVolume, choice: EncodeChoice, readFile?: ReadSharedFile, own: OwnSettings = {}) => {
  const sink = watchedSink();
  const { levels, ...ofBackend } = own;
  const backend = { ...createCpuBackend(inlinePool(readFile)), ...ofBackend };
  const report = await compressVolume(volume, sink, { backend, choice, levels });
  return { container: Buffer.from(sink.bytes()), report };
};

const readerOf =
  (bytes: Uint8Array): ReadSharedFile =>
  (_file, position, target) => {
    const part = bytes.subarray(position, position + target.byteLength);
    target.set(part);
    return part.byteLength;
  };

test.each<[string, Dims4, ElementType, Look, EncodeChoice]>([
  ['cubes', [128, 64, 128, 1], 'u8', 'blobs', only('rle')],
  ['cubes that rle does not make smaller', [128, 64, 64, 1], 'u8', 'noise', only('rle')],
  ['16-bit cubes with a codec without WebAssembly, a part of a row at a time', [256, 64, 64, 1], 'u16', 'blobs', only('raw')],
  ['rows so long that parts of them are read separately', [20_000, 3, 2, 1], 'u8', 'blobs', only('parle')],
  ['odd shapes', [150, 70, 67, 1], 'u16', 'blobs', only('rle')],
  ['time points, chosen by auto', [64, 32, 16, 3], 'f64', 'blobs', auto],
])('voxels read from a file give the same bytes as voxels in memory: %s', async (_name, dims, type, look, choice) => {
  const bytes = fileOf(dims, type, look);
  const { container, report } = await compress(await open(bytes, dims, type, true), choice, readerOf(bytes));
  const plain = await compress(await open(bytes, dims, type, false), choice);
  expect(container.equals(plain.container)).toBe(true);
  const inBoxes = await compress(await open(bytes, dims, type, true), choice, readerOf(bytes), { maxBoxBytes: 2 ** 16 });
  expect(inBoxes.container.equals(plain.container)).toBe(true);
  expect(report.timeline.filter(({ stage }) => stage === 'read').reduce((sum, span) => sum + span.bytes, 0)).toBe(
    report.voxelBytes,
  );
});

test.each(
  elementTypes.flatMap((type) =>
    (type.startsWith('f') ? (['mean'] as const) : (['mean', 'mode'] as const)).map((method) => ({ type, method })),
  ),
)(
  'levels of $type by their $method, halved where the voxels are read, are those of voxels in memory',
  async ({ type, method }) => {
    const dims: Dims4 = [301, 9, 70, 2];
    const bytes = fileOf(dims, type, 'noise');
    const plain = await compress(await open(bytes, dims, type, false), only('rle'), undefined, {
      halves: () => false,
      levels: method,
    });
    for (const maxBoxBytes of [2 ** 26, 2 ** 14]) {
      const read = await open(bytes, dims, type, true);
      const { container } = await compress(read, only('rle'), readerOf(bytes), { maxBoxBytes, levels: method });
      expect(container.equals(plain.container)).toBe(true);
    }
  },
);

test('labels are recognized from the first voxels; then the backend reads and halves', async () => {
  const dims: Dims4 = [301, 20, 200, 1];
  const bytes = fileOf(dims, 'u16', 'noise');
  const plain = await compress(await open(bytes, dims, 'u16', false), only('rle'), undefined, {
    halves: () => false,
    levels: true,
  });
  const volume = await open(bytes, dims, 'u16', true);
  let filled = 0;
  const fill: OpenVolume['fill'] = async (target, at) => {
    filled += target.byteLength;
    target.set(bytes.subarray(offset + at, offset + at + target.byteLength));
  };
  const own = { maxBoxBytes: 2 ** 14, levels: true };
  const { container } = await compress({ ...volume, fill }, only('rle'), readerOf(bytes), own);
  expect(container.equals(plain.container)).toBe(true);
  expect(filled).toBeGreaterThan(0);
  expect(filled).toBeLessThan((bytes.byteLength - offset) / 2);
});

test('a file that became shorter is reported as such', async () => {
  const dims: Dims4 = [128, 64, 64, 1];
  const bytes = fileOf(dims, 'u8', 'blobs');
  const volume = await open(bytes, dims, 'u8', true);
  const read = readerOf(bytes.subarray(0, 400_000));
  await expect(compress(volume, only('rle'), read)).rejects.toMatchObject({
    tag: 'not-readable',
    message: expect.stringContaining('became shorter while it was read (at byte 400000)'),
  });
});

test('big-endian voxels are read and swapped by the engine', async () => {
  const bytes = fileOf([16, 4, 4, 1], 'u16', 'blobs');
  const file = { path: 'a.raw', descriptor: 3 };
  const raw = { dims: [16, 4, 4, 1], type: 'u16', endian: 'big', offset } as const;
  expect((await openVolume({ ...memorySource('a.raw', bytes), file }, { raw })).place).toBeUndefined();
});
