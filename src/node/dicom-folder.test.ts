import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FileTree } from '../core/io/common/file-tree.ts';
import { noise, readVoxels } from '../core/io/common/source-testing.ts';
import { ctSlice, dicomFile } from '../core/io/dicom/dicom-testing.ts';
import { folderHeaders, giveFolderHeaders } from '../core/io/folder-headers.ts';
import { listVolumes, openVolume } from '../core/io/open-volume.ts';
import { openFolder } from './node-folder.ts';

const [side, count] = [512, 100];
const folder = mkdtempSync(join(tmpdir(), 'stria-dicom-folder-'));
const endings = ['.dcm', ''];

beforeAll(() => {
  const noisy = noise(side * side * 2 + count);
  for (const [part, ending] of endings.entries()) {
    mkdirSync(join(folder, String(part)));
    for (let z = 0; z < count; z++) {
      const pixels = noisy.subarray(z, z + side * side * 2);
      const slice = ctSlice({ columns: side, rows: side, z, instance: z + 1, pixels, more: { 2621699: ['US', 0] } });
      writeFileSync(join(folder, String(part), `IM${String(z).padStart(4, '0')}${ending}`), dicomFile(slice));
    }
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

type Reads = Map<string, (readonly [offset: number, length: number])[]>;

/** A tree that notes what is read of each file. */
function counted(tree: FileTree, reads: Reads): FileTree {
  return {
    ...tree,
    files: async (job) =>
      (await tree.files(job)).map((file) => ({
        ...file,
        open: async () => {
          const source = await file.open();
          return {
            ...source,
            read: (offset, length, options) => {
              reads.set(file.path, [...(reads.get(file.path) ?? []), [offset, length]]);
              return source.read(offset, length, options);
            },
          };
        },
      })),
  };
}

test.each([0, 1])('each of 100 slices is read once for its header and once for its pixels (%i)', async (part) => {
  const reads: Reads = new Map();
  const volume = await openVolume(counted(await openFolder(join(folder, String(part))), reads));
  expect(volume.info).toMatchObject({ dims: [side, side, count, 1], type: 'u16' });
  expect((await readVoxels(volume)).byteLength).toBe(side * side * count * 2);
  await volume.source();
  // The first one is looked at before all are read.
  const [first, ...others] = [...reads].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  expect(first?.length).toBeLessThanOrEqual(3);
  expect(others).toHaveLength(count - 1);
  for (const each of others) {
    expect(each).toHaveLength(2);
    const [header, pixels] = each as [readonly [number, number], readonly [number, number]];
    expect(header).toEqual([0, 32 * 1024]);
    expect(pixels[1]).toBe(side * side * 2);
  }
});

test('what was listed is opened without reading headers again, in another thread as well', async () => {
  const path = join(folder, '0');
  const listed = await openFolder(path);
  await listVolumes(listed);
  // Posted to a worker.
  const headers = structuredClone(folderHeaders(listed));
  expect(headers?.files).toHaveLength(count);
  const reads: Reads = new Map();
  const tree = counted(await openFolder(path), reads);
  if (headers) giveFolderHeaders(tree, headers);
  const volume = await openVolume(tree);
  expect(reads.size).toBe(0);
  const expected = await openVolume(await openFolder(path));
  expect(volume.info).toEqual(expected.info);
  expect(Buffer.compare(await readVoxels(volume), await readVoxels(expected))).toBe(0);
  expect((await volume.source()).parts).toEqual((await expected.source()).parts);
});

test('headers of a folder that has changed are read again', async () => {
  const path = join(folder, '1');
  const listed = await openFolder(path);
  await listVolumes(listed);
  const headers = folderHeaders(listed);
  writeFileSync(
    join(path, 'IM0100'),
    dicomFile(ctSlice({ columns: side, rows: side, z: count, instance: 101, pixels: noise(side * side * 2) })),
  );
  const tree = await openFolder(path);
  if (headers) giveFolderHeaders(tree, headers);
  const entries = await listVolumes(tree);
  rmSync(join(path, 'IM0100'));
  expect(entries?.length).toBe(2);
});

test('a file that was replaced after the folder was listed is not read', async () => {
  const path = join(folder, '1');
  const volume = await openVolume(await openFolder(path));
  const file = join(path, 'IM0005');
  const slice = ctSlice({
    columns: side,
    rows: side,
    z: 5,
    instance: 6,
    pixels: noise(side * side * 2),
    more: { 2621699: ['US', 0] },
  });
  rmSync(file);
  writeFileSync(file, dicomFile(slice));
  await expect(readVoxels(volume)).rejects.toMatchObject({ tag: 'not-readable' });
});
