import fc from 'fast-check';
import { fromArrayBuffer } from 'geotiff';
import { describe, expect, test } from 'vitest';
import { memorySink, memorySource } from '../../../shared/bytes.ts';
import { elementBytes, elementTypes, typedVoxels, type VolumeInfo, volumeBytes } from '../../../shared/volume.ts';
import { faultOf, noise, readVoxels } from '../../common/source-testing.ts';
import { listVolumes, openVolume } from '../../open-volume.ts';
import { planOmeTiff } from './ome-tiff-plan.ts';
import { type OmeTiffSettings, OmeTiffWriter } from './ome-tiff-writer.ts';

const base: VolumeInfo = {
  dims: [37, 21, 3, 8],
  type: 'u16',
  spacing: [0.325, 0.5, 2, 20],
  spatialUnit: 'um',
  timeUnit: 'ms',
  affine: [0.325, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 2, 0],
  slope: 1,
  intercept: 0,
  channels: [
    { name: 'DAPI <405> & "more"', color: '#0000ff' },
    { name: 'GFP', color: '#80ff01' },
  ],
};

async function write(
  info: VolumeInfo,
  voxels: Uint8Array,
  settings: Partial<OmeTiffSettings> = {},
  step = 997,
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new OmeTiffWriter(info, { name: 'cells', creator: 'Stria', method: 'mean', ...settings }, sink.write);
  for (let at = 0; at < voxels.byteLength; at += step) await writer.push(voxels.subarray(at, at + step));
  await writer.end();
  return sink.bytes();
}

const open = (bytes: Uint8Array, dataset?: string) => openVolume(memorySource('a.ome.tif', bytes), dataset ? { dataset } : {});
const expectSame = (actual: Uint8Array, expected: Uint8Array) => expect(Buffer.compare(actual, expected)).toBe(0);

describe('a written file can be read', () => {
  test.each(elementTypes)('%s, with channels, spacing and time', async (type) => {
    const info = { ...base, type };
    const voxels = noise(volumeBytes(info));
    for (const isBig of [false, true]) {
      const file = await write(info, voxels, { isBig });
      expect(file[2]).toBe(isBig ? 43 : 42);
      const volume = await open(file);
      expect(volume.format).toBe('ome-tiff');
      expect(volume.info).toEqual(info);
      expectSame(await readVoxels(volume), voxels);
    }
  });

  test('any size, unit and number of channels, in pieces of any size', async () => {
    const infos = fc.record({
      dims: fc.tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3 })),
      timePoints: fc.integer({ min: 1, max: 3 }),
      names: fc.option(fc.array(fc.stringMatching(/^[ -~äµ]{1,20}$/), { minLength: 1, maxLength: 3 }), { nil: undefined }),
      unit: fc.constantFrom('m', 'mm', 'um', 'unknown' as const),
      step: fc.integer({ min: 1, max: 9000 }),
    });
    await fc.assert(
      fc.asyncProperty(infos, async ({ dims, timePoints, names, unit, step }) => {
        const info: VolumeInfo = {
          ...base,
          dims: [...dims, timePoints * (names?.length ?? 1)],
          spatialUnit: unit,
          channels: names?.map((name) => ({ name })),
        };
        const voxels = noise(volumeBytes(info), step);
        const volume = await open(await write(info, voxels, {}, step));
        expect(volume.info).toMatchObject({ dims: info.dims, spatialUnit: unit, spacing: info.spacing });
        expect(volume.info.channels?.map(({ name }) => name)).toEqual(names);
        expectSame(await readVoxels(volume), voxels);
      }),
      { numRuns: 30 },
    );
  });

  test('characters that XML cannot hold are left out of names', async () => {
    const info = { ...base, channels: [{ name: 'a\u0000b\ud800c' }, { name: '😀' }] };
    const volume = await open(await write(info, noise(volumeBytes(info))));
    expect(volume.info.channels?.map(({ name }) => name)).toEqual(['a b c', '😀']);
  });
});

describe('levels', () => {
  const info: VolumeInfo = { ...base, dims: [2600, 1100, 1, 2], type: 'u8' };
  const voxels = Uint8Array.from({ length: volumeBytes(info) }, (_, at) => (at % 2600) / 16 + (at >> 18));

  test('planes with a side of more than 2048 get smaller ones', async () => {
    const file = await write(info, voxels, {}, 2 ** 20);
    const entries = await listVolumes(memorySource('a.ome.tif', file));
    expect(entries?.map(({ id, shape }) => [id, ...shape])).toEqual([
      ['0', 2, 1100, 2600],
      ['0/1', 2, 550, 1300],
      ['0/2', 2, 275, 650],
    ]);
    expectSame(await readVoxels(await open(file)), voxels);
    const half = await readVoxels(await open(file, '0/1'));
    // The mean of four.
    const mean = (x: number, y: number) =>
      Math.floor([0, 1, 2600, 2601].reduce((sum, near) => sum + (voxels[2 * x + 2 * y * 2600 + near] as number), 0) / 4 + 0.5);
    for (const [x, y] of [
      [0, 0],
      [700, 20],
      [1299, 549],
      [5, 511],
      [6, 512],
    ] as const) {
      expect(half[y * 1300 + x], `${x}, ${y}`).toBe(mean(x, y));
    }
    expect((await open(file, '0/2')).info).toMatchObject({ dims: [650, 275, 1, 2], spacing: [1.3, 2, 2, 20] });
  });

  test('an independent reader understands them', async () => {
    const file = await write(info, voxels, { isBig: true }, 2 ** 20);
    const tiff = await fromArrayBuffer(file.slice().buffer as ArrayBuffer);
    expect(await tiff.getImageCount()).toBe(2);
    for (let index = 0; index < 2; index++) {
      const [plane] = (await (await tiff.getImage(index)).readRasters()) as unknown as [Uint8Array];
      expectSame(plane, voxels.subarray(index * 2600 * 1100, (index + 1) * 2600 * 1100));
    }
  });
});

test.each(elementTypes)('an independent reader understands %s', async (type) => {
  const info: VolumeInfo = { ...base, type };
  // The other reader converts floats, which changes some NaN; these voxels have none.
  const voxels = type.startsWith('f')
    ? new Uint8Array(typedVoxels(type, new Uint8Array(volumeBytes(info))).map((_, at) => Math.sin(at)).buffer as ArrayBuffer)
    : noise(volumeBytes(info));
  const tiff = await fromArrayBuffer((await write(info, voxels)).slice().buffer as ArrayBuffer);
  expect(await tiff.getImageCount()).toBe(24);
  const planeBytes = 37 * 21 * elementBytes(type);
  for (let index = 0; index < 24; index++) {
    const [plane] = (await (await tiff.getImage(index)).readRasters()) as unknown as [Uint8Array];
    const bytes = new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength);
    expectSame(bytes, voxels.subarray(index * planeBytes, (index + 1) * planeBytes));
  }
});

describe('the plan', () => {
  test('BigTIFF is used if 4 GiB may not suffice', () => {
    expect(planOmeTiff({ ...base, dims: [2048, 2048, 400, 1] }, 1000).isBig).toBe(false);
    expect(planOmeTiff({ ...base, dims: [2048, 2048, 512, 1] }, 1000).isBig).toBe(true);
  });

  test('planes that are too large to be held are refused', () => {
    expect(() => planOmeTiff({ ...base, dims: [20_000, 20_000, 1, 1] }, 0)).toThrow(/a plane has 763 MiB/);
  });
});

test('missing planes at the end are detected, and a cancel ends the writing', async () => {
  const writer = new OmeTiffWriter(base, { name: '', creator: 'Stria', method: 'mean' }, async () => {});
  await writer.push(noise(100));
  expect(await faultOf(writer.end())).toMatchObject({ tag: 'internal' });
  const signal = AbortSignal.abort();
  const cancelled = new OmeTiffWriter(base, { name: '', creator: 'Stria', method: 'mean' }, async () => {}, { signal });
  expect(await faultOf(cancelled.push(noise(100)))).toMatchObject({ tag: 'aborted' });
});
