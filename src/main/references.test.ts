import { expect, test } from 'vitest';
import { isPlainName } from './plain-name.ts';
import { isStriaName, judgeReference } from './references.ts';

const root = '/data/study';
const judge = (from: string, path: string, target: string | undefined, platform = 'linux') =>
  judgeReference({ from, path, root: platform === 'win32' ? 'C:\\data\\study' : root, target }, platform);

test.each([
  ['scan.hdr', 'scan.img'],
  ['scan.hdr', 'scan.img.gz'],
  ['scan.hdr.gz', 'scan.img.gz'],
  ['SCAN.HDR', 'SCAN.IMG'],
  ['scan.img', 'scan.hdr'],
  ['scan.raw', 'scan.raw.json'],
  ['scan.raw.gz', 'scan.raw.json'],
  ['no-ending', 'no-ending.json'],
  ['scan.nhdr', 'scan.raw.gz'],
  ['scan.nhdr', 'slices/scan.007'],
  ['c0.ome.tif', 'c1.ome.tif'],
  ['c0.ome.tif', 'set.companion.ome'],
  ['set.companion.ome', 'plain.tif'],
  ['scan.nhdr', 'voxels/other.zraw'],
  ['seg.nii.gz', 'seg.csv'],
  ['seg.nrrd', 'seg.label'],
  ['a.stria-session', 'scan.nii.gz'],
  ['a.stria-session', 'slices/001.png'],
  ['a.stria-session', 'scan.stria'],
  ['.scan.raw', '.scan.raw.json'],
  ['scan\u200f.hdr', 'scan\u200f.img'],
])('%s refers to %s without a question', (from, path) => {
  expect(judge(from, path, `${root}/${path}`)).toBe('open');
  expect(judge(from, path, undefined)).toBe('open');
  expect(judge(from, path, `C:\\data\\study\\${path.replaceAll('/', '\\')}`, 'win32')).toBe('open');
});

test.each([
  ['in the folder above', 'a.stria-session', '../scan.nii', '/data/scan.nii'],
  ['in a folder whose name begins alike', 'a.stria-session', '../study2/scan.nii', '/data/study2/scan.nii'],
  ['through a link, elsewhere', 'scan.hdr', 'scan.img', '/etc/scan.img'],
  ['through a link to another kind of file', 'scan.hdr', 'scan.img', `${root}/id_rsa`],
  ['through a link into a hidden folder', 'scan.hdr', 'scan.img', `${root}/.git/annex/scan.img`],
  ['in a hidden folder', 'a.stria-session', '.hidden/scan.nii', `${root}/.hidden/scan.nii`],
  ['of no common ending', 'a.stria-session', 'voxels', `${root}/voxels`],
  ['of no common ending', 'scan.nhdr', 'letter.odt', `${root}/letter.odt`],
])('a file %s is asked for (%s to %s)', (_, from, path, target) => {
  expect(judge(from, path, target)).toBe('ask');
});

test('Windows: other drives and shares need a question, and case does not matter', () => {
  expect(judge('a.stria-session', '../x/scan.nii', 'D:\\data\\study\\scan.nii', 'win32')).toBe('ask');
  expect(judge('a.stria-session', 'scan.nii', '\\\\server\\share\\scan.nii', 'win32')).toBe('ask');
  expect(judge('a.stria-session', 'scan.nii', 'c:\\DATA\\Study\\scan.nii', 'win32')).toBe('open');
});

test.each([
  ['scan.nii', 'letter.raw'],
  ['scan.hdr', 'other.img'],
  ['seg.nii', 'other.csv'],
  ['seg.nii', 'seg.pdf'],
  ['scan.hdr', 'scan.img.exe'],
  ['scan.hdr', 'scan.raw'],
  ['scan.hdr', 'scanx.img'],
  ['scan.raw', 'other.raw.json'],
  ['scan.raw', 'passwords.json'],
  ['scan.nhdr', '.netrc'],
  ['a.stria-session', '.voxels.raw'],
  ['a.stria-session', '../.voxels.raw'],
  ['scan.stria', 'scan.nii'],
  ['scan.stria-session.txt', 'scan.nii'],
])('%s never refers to %s', (from, path) => {
  expect(judge(from, path, `${root}/${path}`)).toBe('refuse');
});

const hostile = [
  ...[
    '',
    '.',
    '..',
    '/',
    './scan.nii',
    'a/./scan.nii',
    'a//scan.nii',
    'scan.nii/',
    '../',
    'a/..',
    '/etc/scan.nii',
    '//server/a.nii',
  ],
  ...['\\\\server\\share\\a.nii', '..\\a.nii', 'a\\b.nii', 'a\0.nii', 'a.nii\0', 'a\n.nii', 'a\u001b[2J.nii', 'a\u202eiin.nii'],
  ...['scan.nii ', 'scan.nii.', 'a /scan.nii', 'a./scan.nii', '...', '.. /scan.nii', '... /scan.nii'],
  ...[`${'x'.repeat(300)}.nii`, `${'a/'.repeat(3000)}scan.nii`],
];
const hostileOnWindows = [
  ...['C:scan.nii', 'C:/scan.nii', 'c:/windows/scan.nii', 'scan.nii:stream', 'a*.nii', 'a?.nii', 'a|b.nii', 'a"b.nii', 'a<b.nii'],
  ...['CON', 'nul.nii', 'a/aux.nii', 'COM1.nii', 'lpt9.raw', 'conin$', 'NUL .nii'],
];

test.each(hostile)('no format refers to %j', (path) => {
  for (const platform of ['linux', 'darwin', 'win32']) {
    for (const from of ['a.stria-session', 'a.nhdr', 'a.hdr'])
      expect(judge(from, path, `${root}/scan.nii`, platform)).toBe('refuse');
  }
});

test.each(hostileOnWindows)('on Windows, no format refers to %j', (path) => {
  expect(judge('a.stria-session', path, 'C:\\data\\study\\scan.nii', 'win32')).toBe('refuse');
});

test('on other systems a colon is an ordinary character', () => {
  expect(judge('a.stria-session', 'scan 12:30.nii', `${root}/scan 12:30.nii`)).toBe('open');
  expect(isPlainName('scan 12:30.nii', 'linux')).toBe(true);
  expect(isPlainName('scan 12:30.nii', 'win32')).toBe(false);
});

test('only a visible .stria is written without a dialog', () => {
  for (const name of ['scan.stria', 'scan.nii.stria', 'Scan (2).STRIA']) expect(isStriaName(name), name).toBe(true);
  const refused = [
    'scan.nii',
    'stria',
    '.stria',
    '..stria',
    '.scan.stria',
    '.config.desktop',
    'a/b.stria',
    '../a.stria',
    'a\\b.stria',
  ];
  for (const name of [...refused, 'a\0.stria', 'a\n.stria', 'a.stria ', 'a.stria.', 'a.stria\0', '']) {
    expect(isStriaName(name), JSON.stringify(name)).toBe(false);
  }
  expect(isStriaName('nul.stria', 'win32')).toBe(false);
  expect(isStriaName('a:b.stria', 'win32')).toBe(false);
});
