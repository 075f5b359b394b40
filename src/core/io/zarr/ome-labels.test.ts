import { expect, test } from 'vitest';
import { memoryTree } from '../common/file-tree.ts';
import { noise } from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';
import { zarrArray, zarrGroup } from './zarr-testing.ts';

const label = {
  version: '0.4',
  colors: [
    { 'label-value': 1, rgba: [255, 0, 10, 255] },
    { 'label-value': 4, rgba: [0, 128, 0, 0] },
    { 'label-value': 'x', rgba: [1, 2, 3, 4] },
    { 'label-value': 5, rgba: [1, 2] },
  ],
  properties: [{ 'label-value': 1, class: 'nucleus', area: 3 }, { 'label-value': 9, name: 'cell' }, 7],
};

test.each([2, 3] as const)('OME-Zarr labels of version %i have colours and names', async (version) => {
  const multiscales = [{ axes: ['z', 'y', 'x'], datasets: [{ path: '0' }] }];
  const ome = { multiscales, 'image-label': label };
  const files = {
    ...zarrGroup('', version, version === 3 ? { ome: { version: '0.5', ...ome } } : ome),
    ...(await zarrArray('0/', { version, shape: [2, 3, 4], chunks: [2, 3, 4], dtype: '|u1', values: noise(24) })),
  };
  const { labels } = await openVolume(memoryTree('cells.ome.zarr', files));
  expect(labels).toEqual({
    areLabels: true,
    table: [
      { number: 1, color: '#ff000a', name: 'nucleus' },
      { number: 4, color: '#008000' },
      { number: 5, color: undefined },
      { number: 9, name: 'cell' },
    ],
  });
});
