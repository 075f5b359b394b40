import { expect, test } from 'vitest';
import type { Backend } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { memorySource } from '../shared/bytes.ts';
import { type CombineRule, combineRules } from '../shared/combine-rule.ts';
import { type ElementType, elementTypes, typedVoxels, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { compressVolume } from '../stream/compress/compress.ts';
import { auto, compressBytes, infoOf, restoreBytes, watchedSink } from '../stream/engine-testing.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { type CombineSettings, combineVolumes } from './combine-volumes.ts';

const backend = createCpuBackend(inlinePool());
const chunkShape = [8, 8, 4] as const;
const dims = [19, 13, 9, 2] as const;

/** A volume that is `empty` except in a third of its chunks, and in one chunk where all volumes have values. */
function sparse(info: VolumeInfo, number: number, empty: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(volumeBytes(info));
  const voxels = typedVoxels(info.type, bytes).fill(empty);
  let state = number + 7;
  for (let at = 0; at < voxels.length; at++) {
    const [x, y, z] = [at % dims[0], Math.floor(at / dims[0]) % dims[1], Math.floor(at / (dims[0] * dims[1])) % dims[2]];
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const isShared = x >= 16 && y >= 8 && z >= 4;
    if (isShared || Math.floor(x / 8) === number) voxels[at] = info.type.startsWith('f') ? state / 2 ** 20 - 2000 : state >>> 8;
  }
  return bytes;
}

async function combined(
  files: readonly Uint8Array[],
  rule: CombineRule,
  settings: Partial<CombineSettings> = {},
): Promise<{ bytes: Uint8Array; report: Awaited<ReturnType<typeof combineVolumes>> }> {
  const sink = watchedSink();
  const inputs = files.map((bytes, at) => ({ path: `${at}.stria`, open: async () => memorySource(`${at}.stria`, bytes) }));
  const report = await combineVolumes(inputs, sink, { backend, choice: auto, rule, ...settings });
  return { bytes: sink.bytes(), report };
}

/** The rule in its simplest form. */
function expected(rule: CombineRule, to: ElementType, all: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(volumeBytes({ dims, type: to }));
  const result = typedVoxels(to, bytes);
  const [low, high] = limits[to];
  for (let at = 0; at < result.length; at++) {
    const values = all.map((voxels) => voxels[at] as number);
    if (rule === 'sum')
      result[at] = Math.min(
        high,
        Math.max(
          low,
          values.reduce((a, b) => a + b),
        ),
      );
    if (rule === 'max') result[at] = Math.max(...values);
    if (rule === 'min') result[at] = Math.min(...values);
    if (rule === 'or') result[at] = Number(values.reduce((a, b) => a | BigInt(b), 0n));
  }
  return bytes;
}

const limits: Readonly<Record<ElementType, readonly [number, number]>> = {
  u8: [0, 255],
  i8: [-128, 127],
  u16: [0, 65_535],
  i16: [-32_768, 32_767],
  u32: [0, 4_294_967_295],
  i32: [-2_147_483_648, 2_147_483_647],
  f32: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  f64: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
};

const emptyValue = (rule: CombineRule, type: ElementType) =>
  rule === 'max' ? limits[type][0] : rule === 'min' ? limits[type][1] : 0;

const cases = elementTypes.flatMap((type) =>
  combineRules.filter((rule) => rule !== 'or' || !type.startsWith('f')).map((rule) => [rule, type] as const),
);

test.each(cases)('%s of three volumes of %s equals compressing the combined volume', async (rule, type) => {
  const info = infoOf(dims, type);
  const volumes = [0, 1, 2].map((number) => sparse(info, number, emptyValue(rule, type)));
  const files: Uint8Array[] = [];
  for (const voxels of volumes) files.push((await compressBytes(backend, info, voxels, { chunkShape })).bytes);
  const { bytes, report } = await combined(files, rule);
  const voxels = expected(
    rule,
    type,
    volumes.map((one) => Array.from(typedVoxels(type, one))),
  );
  expect((await restoreBytes(backend, bytes)).get('volume.raw')).toEqual(voxels);
  expect(bytes).toEqual((await compressBytes(backend, info, voxels, { chunkShape })).bytes);
  // Most chunks belong to one volume; a constant f64 chunk cannot hold the infinities of max and min.
  if (type !== 'f64' || rule === 'sum') expect(report.copiedCount).toBeGreaterThan(report.combinedCount);
});

test.each([
  ['u8', 'u16'],
  ['u8', 'f64'],
  ['i16', 'i32'],
  ['f32', 'f64'],
] as const)('sums of %s may be %s', async (from, to) => {
  const info = infoOf(dims, from);
  const volumes = [0, 1, 2].map((number) => sparse(info, number, 0));
  const files: Uint8Array[] = [];
  for (const voxels of volumes) files.push((await compressBytes(backend, info, voxels, { chunkShape })).bytes);
  for (const rule of ['sum', 'min'] as const) {
    const { bytes, report } = await combined(files, rule, { type: to });
    const voxels = expected(
      rule,
      to,
      volumes.map((one) => Array.from(typedVoxels(from, one))),
    );
    expect((await restoreBytes(backend, bytes)).get('volume.raw')).toEqual(voxels);
    expect(report.saturatedCount).toBe(0);
  }
});

test.each([
  ['max', 'i16', 'i32'],
  ['min', 'u8', 'u16'],
] as const)('%s of %s as %s is the same if decoding clears the rest of its box, as on a GPU', async (rule, from, to) => {
  const info = infoOf(dims, from);
  const volumes = [0, 1, 2].map((number) => sparse(info, number, emptyValue(rule, from)));
  const files: Uint8Array[] = [];
  for (const voxels of volumes) files.push((await compressBytes(backend, info, voxels, { chunkShape })).bytes);
  const clearing: Backend = {
    ...backend,
    decode(chunks, boxes, box, job) {
      box.bytes.fill(0);
      return backend.decode(chunks, boxes, box, job);
    },
  };
  const { bytes } = await combined(files, rule, { type: to, backend: clearing });
  const voxels = expected(
    rule,
    to,
    volumes.map((one) => Array.from(typedVoxels(from, one))),
  );
  expect((await restoreBytes(backend, bytes)).get('volume.raw')).toEqual(voxels);
});

test('sums that exceed their type are limited and counted', async () => {
  const info = infoOf([4, 1, 1, 1], 'i8');
  const file = async (...values: number[]) =>
    (await compressBytes(backend, info, new Uint8Array(Int8Array.from(values).buffer))).bytes;
  const { bytes, report } = await combined(
    [await file(100, -100, 1, 100), await file(100, -100, 2, 100), await file(0, 0, 3, -100)],
    'sum',
  );
  expect(report).toMatchObject({ saturatedCount: 2, volumeCount: 3, chunkCount: 1, combinedCount: 1 });
  expect((await restoreBytes(backend, bytes)).get('volume.raw')).toEqual(new Uint8Array(Int8Array.of(127, -128, 6, 100).buffer));
});

test('volumes that cannot be combined are refused, with the reason', async () => {
  const info = infoOf([8, 8, 8, 1], 'u8');
  const bytes = new Uint8Array(512).fill(3);
  const file = async (other: Partial<VolumeInfo> = {}) =>
    (await compressBytes(backend, { ...info, ...other }, bytes, { chunkShape })).bytes;
  const refused = (files: Uint8Array[], rule: CombineRule, message: string, settings: Partial<CombineSettings> = {}) =>
    expect(combined(files, rule, settings)).rejects.toMatchObject({
      tag: 'invalid-input',
      fullMessage: expect.stringMatching(message),
    });
  const one = await file();
  await refused([one], 'sum', 'at least two volumes');
  await refused([one, await file({ dims: [8, 8, 4, 2] })], 'sum', '1.stria: it is on another grid .*: the size differs');
  await refused([one, await file({ type: 'i8' })], 'sum', 'the voxel type differs');
  await refused([one, await file({ affine: [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] })], 'sum', 'the affine differs');
  await refused(
    [one, (await compressBytes(backend, info, bytes, { chunkShape: [8, 8, 8] })).bytes],
    'sum',
    'the chunk shape differs',
  );
  await refused([one, await file({ spatialUnit: 'um' })], 'sum', 'the unit of length differs');
  await refused(
    [one, await file({ valueUnit: 'mass' })],
    'sum',
    "its values have the unit 'mass', those of the first volume no unit",
  );
  const shifted = await file({ intercept: 5 });
  await refused([shifted, shifted], 'sum', '--by sum has no meaning for values of 1 × stored \\+ 5');
  const falling = await file({ slope: -1 });
  await refused([falling, falling], 'max', 'no meaning');
  await refused([one, one], 'sum', 'i8 cannot hold all values of u8', { type: 'i8' });
  await refused([one, one], 'or', '--by or needs integers, not f32', { type: 'f32' });
  const sink = watchedSink();
  const part = { number: 1, of: 2 };
  await compressVolume(memoryVolume(info, bytes), sink, { backend, choice: auto, chunkShape, part });
  await refused([one, sink.bytes()], 'sum', '1.stria: the file holds only part 1 of 2; merge its parts first');
});
