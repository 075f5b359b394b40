import { expect, test } from 'vitest';
import { blobFiles } from '../../host/blob-files.ts';
import { withSeries } from './series-files.ts';

const named = (...names: string[]) => withSeries(blobFiles(names.map((name) => new File(['1'], name)))).map(({ name }) => name);

test('files of a series that are opened together become one; all others do not change', () => {
  expect(named('IM0', 'IM1', 'IM2')).toEqual(['IM0 and 2 more']);
  expect(named('a.dcm', 'notes.txt', 'b.DCM')).toEqual(['a.dcm and 1 more', 'notes.txt']);
  expect(named('1.2.840.1', '1.2.840.2')).toEqual(['1.2.840.1 and 1 more']);
  expect(named('c0.ome.tif', 'c1.ome.tif', 'set.companion.ome')).toEqual(['c0.ome.tif and 2 more']);
  expect(named('IM0')).toEqual(['IM0']);
  expect(named('a.nii', 'b.nii.gz', 'c.png')).toEqual(['a.nii', 'b.nii.gz', 'c.png']);
});

test('a series can be posted', () => {
  const [series] = withSeries(blobFiles([new File(['12'], 'IM0'), new File(['3'], 'IM1')]));
  expect(series?.size).toBe(3);
  expect(series?.folder).toMatchObject({ kind: 'files', files: [{ path: 'IM0' }, { path: 'IM1' }] });
});
