import { expect, test } from 'vitest';
import { joinBytes } from './common/byte-stream.ts';
import { memoryTree } from './common/file-tree.ts';
import { faultOf, niftiFile, noise, nrrdLines, nrrdText, readVoxels } from './common/source-testing.ts';
import { listVolumes, openVolume } from './open-volume.ts';
import { pngFile } from './pictures/png-testing.ts';

const nifti = niftiFile({}, noise(24));
const png = (value: number) => pngFile({ width: 2, height: 1, bitDepth: 8, colourType: 0, isInterlaced: false }, [value, value]);

test('volumes in a folder are listed by their paths', async () => {
  const nrrd = joinBytes([nrrdText([...nrrdLines([2, 2, 1, 1], 'u8', 'little')]), noise(4)]);
  const tree = memoryTree('study', { 'a.nii': nifti, 'sub/b.nrrd': nrrd, 'readme.md': noise(9), 'sub/noise': noise(9) });
  const entries = await listVolumes(tree);
  expect(entries?.map(({ id, label, group, shape, type }) => ({ id, label, group, shape, type }))).toEqual([
    { id: 'a.nii', label: 'a.nii', group: [], shape: [4, 3, 2], type: 'u8' },
    { id: 'sub/b.nrrd', label: 'b.nrrd', group: ['sub'], shape: [2, 2, 1], type: 'u8' },
  ]);
  expect(await readVoxels(await openVolume(tree, { dataset: 'sub/b.nrrd' }))).toEqual(noise(4));
});

test.each([
  [1, 'NIfTI · 1 × 1 × 1 m'],
  [2, 'NIfTI · 1 × 1 × 1 mm'],
  [3, 'NIfTI · 1 × 1 × 1 µm'],
  [0, 'NIfTI · 1 × 1 × 1'],
])('spacing with its unit (%s)', async (units, details) => {
  const entries = await listVolumes(memoryTree('study', { 'a.nii': niftiFile({ units }, noise(24)) }));
  expect(entries?.[0]?.details).toBe(details);
});

test('tiny spacing is in nanometres', async () => {
  const file = niftiFile({ units: 3, pixdim: [1, 0.00012, 0.00012, 0.00034567] }, noise(24));
  const entries = await listVolumes(memoryTree('maps', { 'a.nii': file }));
  expect(entries?.[0]?.details).toBe('NIfTI · 0.12 × 0.12 × 0.3457 nm');
});

test('a detached header finds its data file, which is not listed as a volume', async () => {
  const header = nrrdText([...nrrdLines([2, 2, 1, 1], 'u8', 'little'), 'data file: b.raw']);
  const tree = memoryTree('study', { 'sub/b.nhdr': header, 'sub/b.raw': noise(4) });
  expect((await listVolumes(tree))?.map(({ id }) => id)).toEqual(['sub/b.nhdr']);
  expect(await readVoxels(await openVolume(tree))).toEqual(noise(4));
});

test('pictures of one folder are one stack', async () => {
  const tree = memoryTree('frames', { 'frame10.png': png(3), 'frame2.png': png(2), 'frame1.png': png(1) });
  const volume = await openVolume(tree);
  expect(volume.info.dims).toEqual([2, 1, 3, 1]);
  expect(await readVoxels(volume)).toEqual(Uint8Array.of(1, 1, 2, 2, 3, 3));
});

test('a volume that cannot be opened is listed with the reason, among the others', async () => {
  const tree = memoryTree('study', { 'a.nii': nifti, 'broken.nii': nifti.subarray(0, 200), 'empty.nii': new Uint8Array() });
  const entries = await listVolumes(tree);
  expect(entries?.map(({ id, problem }) => [id, problem !== undefined])).toEqual([
    ['a.nii', false],
    ['broken.nii', true],
    ['empty.nii', true],
  ]);
  expect((await openVolume(tree)).info.dims).toEqual([4, 3, 2, 1]);
  expect(await faultOf(openVolume(tree, { dataset: 'broken.nii' }))).toMatchObject({ tag: 'unsupported' });
});

test('too many volumes are refused before they are read', async () => {
  let opened = 0;
  const files = Array.from({ length: 2001 }, (_, index) => ({
    path: `${index}.nii`,
    size: 1,
    open: async () => Promise.reject(new Error(String(opened++))),
  }));
  const tree = { name: 'all', files: async () => files, find: async () => undefined };
  expect(await faultOf(openVolume(tree))).toMatchObject({ tag: 'unsupported', message: expect.stringContaining('2000') });
  expect(opened).toBe(0);
});

test('a folder with as many files as one may have is listed at once', async () => {
  const files: Record<string, Uint8Array> = {};
  const none = new Uint8Array();
  for (let index = 0; index < 98_000; index++) files[`${index}.png`] = none;
  for (let index = 0; index < 1000; index++) files[`${index}.img`] = files[`${index}.hdr`] = none;
  const start = process.cpuUsage();
  const entries = await listVolumes(memoryTree('study', files));
  expect(entries?.length).toBe(1001);
  // Copying the list for each picture took four minutes. Processor time, since other work on the machine makes a test take longer.
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000);
});
