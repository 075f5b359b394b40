import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRecentFiles, isThumbnail, thumbnailLimit } from './recent-files.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-'));
  file = join(folder, 'recent.json');
});
afterEach(() => rmSync(folder, { recursive: true }));
const png = 'data:image/png;base64,iVBORw0KGgo=';

test('the newest is first, each file is listed once, and twelve are kept', () => {
  const recent = createRecentFiles(file);
  for (let index = 0; index < 15; index++) recent.add(`/data/${index}.nii`, index === 14 ? png : undefined);
  recent.add('/data/10.nii', undefined);
  recent.add('/data/14.nii', undefined);
  expect(recent.list().map(({ name }) => name)).toEqual([14, 10, 13, 12, 11, 9, 8, 7, 6, 5, 4, 3].map((index) => `${index}.nii`));
  expect(recent.list()[0]).toMatchObject({ folder: '/data', thumbnail: png });
});

test('each volume of a file has its own entry, and is found again', () => {
  const recent = createRecentFiles(file);
  recent.add('/data/study', png, { id: '2', label: 'Thin bone' });
  recent.add('/data/study', undefined, { id: '1', label: '' });
  recent.add('/data/study', undefined, { id: '2', label: 'Thin bone' });
  const again = createRecentFiles(file).list();
  expect(again).toMatchObject([
    { name: 'study', dataset: { id: '2', label: 'Thin bone' }, thumbnail: png },
    { name: 'study', dataset: { id: '1', label: '' }, thumbnail: undefined },
  ]);
  expect(recent.find(again[1]?.id ?? '')).toMatchObject({ path: '/data/study', dataset: { id: '1' } });
});

test('web addresses are listed by name and place, without what follows the ?', () => {
  const recent = createRecentFiles(file);
  recent.add('/data/a.nii', undefined);
  recent.add('https://example.org/data/b%20c.stria?key=secret', undefined);
  const [entry] = createRecentFiles(file).list();
  expect(entry).toMatchObject({
    name: 'b c.stria',
    folder: 'example.org/data',
    address: 'https://example.org/data/b%20c.stria?key=secret',
  });
  expect(recent.find(entry?.id ?? '')).toMatchObject({ path: 'https://example.org/data/b%20c.stria?key=secret' });
  expect(recent.paths()).toEqual(['/data/a.nii']);
});

test('the list survives a restart, with the same ids', () => {
  createRecentFiles(file, () => new Date(0)).add('/data/a.nii', png);
  const [entry] = createRecentFiles(file).list();
  expect(entry).toMatchObject({ name: 'a.nii', openedAt: '1970-01-01T00:00:00.000Z', thumbnail: png });
  const recent = createRecentFiles(file);
  expect(recent.find(entry?.id ?? '')).toMatchObject({ path: '/data/a.nii' });
  recent.clear();
  expect(createRecentFiles(file).list()).toEqual([]);
  expect(() => recent.find(entry?.id ?? '')).toThrow('no longer in the list of recent files');
  expect(readdirSync(folder)).toEqual(['recent.json']);
});

test.each([
  ['no JSON', '{'],
  ['no list', '{"path":"/a"}'],
  [
    'wrong addresses',
    '[{"path":"https://a:b@example.org/x","openedAt":"2020-01-01"},{"path":"s3://a/x","openedAt":"2020-01-01"},{"path":"https://[/x","openedAt":"2020-01-01"}]',
  ],
  ['wrong entries', '[null, 3, {"path":7}, {"path":"/a","openedAt":"never"}, {"path":"","openedAt":"2020-01-01"}]'],
])('a damaged file means an empty list: %s', (_, text) => {
  writeFileSync(file, text);
  expect(createRecentFiles(file).list()).toEqual([]);
});

test('a damaged thumbnail is left out', () => {
  writeFileSync(file, '[{"path":"/a","openedAt":"2020-01-01","thumbnail":"https://example.org/x.png"}]');
  expect(createRecentFiles(file).list()).toMatchObject([{ name: 'a', thumbnail: undefined }]);
});

test('if the list cannot be saved, it is kept in memory, and the reason is logged', () => {
  const complaint = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  mkdirSync(file);
  const recent = createRecentFiles(file);
  recent.add('/data/a.nii', undefined);
  expect(recent.list()).toHaveLength(1);
  expect(complaint).toHaveBeenCalledOnce();
  complaint.mockRestore();
});

test('a thumbnail is a small PNG', () => {
  expect(isThumbnail(png)).toBe(true);
  expect(isThumbnail(png.padEnd(thumbnailLimit + 4, 'A'))).toBe(false);
  for (const wrong of ['data:image/svg+xml;base64,AAAA', `${png}"><script>`, 'data:image/png;base64,', '', 3, null]) {
    expect(isThumbnail(wrong)).toBe(false);
  }
});
