import { describe, expect, test } from 'vitest';
import { memoryTree } from '../common/file-tree.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import type { OpenOptions } from '../common/volume-reader.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import { type TestFiles, zarrArray, zarrGroup } from './zarr-testing.ts';

const open = (files: TestFiles, options: OpenOptions = {}) => openVolume(memoryTree('a.ome.zarr', files), options);
const list = async (files: TestFiles) => (await listVolumes(memoryTree('a.ome.zarr', files))) ?? [];

const axes = ['t', 'c', 'z', 'y', 'x'].map((name) => ({
  name,
  type: name === 't' ? 'time' : name === 'c' ? 'channel' : 'space',
  ...(name === 't' ? { unit: 'millisecond' } : name === 'c' ? {} : { unit: name === 'z' ? 'nanometer' : 'micrometer' }),
}));
const omero = {
  channels: [
    { label: 'DAPI', color: '0000FF', window: { min: 0, max: 255, start: 10, end: 200 } },
    { color: 'nothing', window: { min: 5, max: 5 } },
  ],
};
const scale = (factor: number) => [
  { type: 'scale', scale: [20, 1, 1500, 0.5 * factor, 0.5 * factor] },
  { type: 'translation', translation: [0, 0, 3000, 4, 5] },
];
const values = noise(3 * 2 * 4 * 6 * 8);
const small = noise(3 * 2 * 4 * 3 * 4, 5);

/** An image with three time points, two channels, two levels and labels. */
async function image(folder: string, version: 2 | 3): Promise<TestFiles> {
  const multiscales = [
    {
      name: 'cells',
      axes,
      datasets: [
        { path: '0', coordinateTransformations: scale(1) },
        { path: 'half', coordinateTransformations: scale(2) },
      ],
    },
  ];
  const attributes = version === 3 ? { ome: { version: '0.5', multiscales, omero } } : { multiscales, omero };
  return {
    ...zarrGroup(folder, version, attributes),
    ...(await zarrArray(`${folder}0/`, {
      version,
      shape: [3, 2, 4, 6, 8],
      chunks: [2, 2, 3, 4, 5],
      dtype: '|u1',
      values,
      perShard: version === 3 ? [1, 1, 2, 2, 2] : undefined,
      compressor: 'zstd',
    })),
    ...(await zarrArray(`${folder}half/`, {
      version,
      shape: [3, 2, 4, 3, 4],
      chunks: [1, 1, 4, 3, 4],
      dtype: '|u1',
      values: small,
    })),
  };
}

/** Voxels ordered by channel, then by time point. */
function byChannel(bytes: Uint8Array, frame: number): Uint8Array {
  const frames = [0, 2, 4, 1, 3, 5].map((number) => bytes.subarray(number * frame, (number + 1) * frame));
  return Buffer.concat(frames);
}

describe.each([2, 3] as const)('OME-Zarr on Zarr v%i', (version) => {
  test('opens the largest level, with channels, colors, windows, units and origin', async () => {
    const volume = await open(await image('', version));
    expect(volume.info).toEqual({
      dims: [8, 6, 4, 6],
      type: 'u8',
      spacing: [0.5, 0.5, 1.5, 20],
      spatialUnit: 'um',
      timeUnit: 'ms',
      affine: [0.5, 0, 0, 5, 0, 0.5, 0, 4, 0, 0, 1.5, 3],
      slope: 1,
      intercept: 0,
      channels: [{ name: 'DAPI', color: '#0000ff', window: [10, 200] }, { name: 'Channel 2' }],
      windows: [{ name: 'DAPI', low: 10, high: 200 }],
    });
    expect(volume.tags?.some(({ value }) => value === 'micrometer')).toBe(true);
    expect(Buffer.compare(await readVoxels(volume), byChannel(values, 4 * 6 * 8))).toBe(0);
  });

  test('opens another level by name, and a smaller one if the largest does not fit', async () => {
    const files = await image('', version);
    for (const options of [{ dataset: 'half' }, { levelBytes: 300 }]) {
      const volume = await open(files, options);
      expect(volume.info).toMatchObject({ dims: [4, 3, 4, 6], spacing: [1, 1, 1.5, 20] });
      expect(Buffer.compare(await readVoxels(volume), byChannel(small, 4 * 3 * 4))).toBe(0);
    }
    expect(await faultOf(open(files, { dataset: '1' }))).toMatchObject({ tag: 'invalid-input' });
  });

  test('lists levels, labels, plates and collections', async () => {
    const inOme = (attributes: object) => (version === 3 ? { ome: attributes } : attributes);
    const labels = {
      ...(await image('', version)),
      ...zarrGroup('labels/', version, inOme({ labels: ['nuclei', '../../away'] })),
      ...(await image('labels/nuclei/', version)),
    };
    expect((await list(labels)).map(({ id, isAlternative }) => [id, isAlternative ?? false])).toEqual([
      ['0', false],
      ['half', true],
      ['labels/nuclei/0', false],
      ['labels/nuclei/half', true],
    ]);
    const several = await faultOf(open(labels));
    expect(several?.tag).toBe('several');
    expect(several?.choices?.map(({ label }) => label)).toEqual(['cells', 'cells', 'cells', 'cells']);

    const plate = {
      ...zarrGroup('', version, inOme({ plate: { wells: [{ path: 'A/1' }, { path: 'B/2' }] } })),
      ...zarrGroup('A/1/', version, inOme({ well: { images: [{ path: '0' }, { path: '1' }] } })),
      ...zarrGroup('B/2/', version, inOme({ well: { images: [{ path: '0' }] } })),
      ...(await image('A/1/0/', version)),
      ...(await image('A/1/1/', version)),
      ...(await image('B/2/0/', version)),
    };
    const images = (await list(plate)).filter(({ isAlternative }) => !isAlternative);
    expect(images.map(({ id }) => id)).toEqual(['A/1/0/0', 'A/1/1/0', 'B/2/0/0']);
    expect(images[0]?.group).toEqual(['A', '1', '0']);

    const collection = {
      ...zarrGroup('', version, inOme({ 'bioformats2raw.layout': 3 })),
      ...(await image('0/', version)),
      ...(await image('1/', version)),
    };
    const named = { ...collection, ...zarrGroup('OME/', version, inOme({ series: ['1'] })) };
    expect((await list(collection)).map(({ id }) => id)).toEqual(['0/0', '0/half', '1/0', '1/half']);
    expect((await list(named)).map(({ id }) => id)).toEqual(['1/0', '1/half']);
  });

  test('finds images and arrays in folders without metadata', async () => {
    const files = {
      ...(await image('study/a.ome.zarr/', version)),
      ...(await zarrArray('study/raw/', { version, shape: [4, 4], chunks: [4, 4], dtype: '<u2', values: noise(32) })),
    };
    expect((await list(files)).map(({ id }) => id)).toEqual(['study/a.ome.zarr/0', 'study/a.ome.zarr/half', 'study/raw']);
  });
});

test('names the missing parts of an image, and opens the existing level', async () => {
  const files = await image('', 3);
  delete files['0/zarr.json'];
  const [first] = await list(files);
  expect(first?.problem).toContain('missing');
  expect((await open(files)).info.dims).toEqual([4, 3, 4, 6]);
  const fault = await faultOf(open(files, { dataset: '0' }));
  expect(fault).toMatchObject({ tag: 'unsupported' });
});
