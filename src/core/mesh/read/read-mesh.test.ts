import { expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { meshFormats, type NamedMesh } from '../mesh-formats.ts';
import { ballMesh } from '../mesh-testing.ts';
import { writeMesh } from '../write/write-mesh.ts';
import {
  asciiPly,
  asciiStl,
  binaryPly,
  freesurferBytes,
  freesurferFooter,
  giftiSystem,
  giftiText,
  objText,
  placesOf,
  tetrahedron,
  textBytes,
  writtenMesh,
} from './mesh-files-testing.ts';
import { readMesh } from './read-mesh.ts';

const read = (name: string, bytes: Uint8Array | string, metres = 1e-3) =>
  readMesh(memorySource(name, typeof bytes === 'string' ? textBytes(bytes) : bytes), { metres });
const onlyMesh = async (name: string, bytes: Uint8Array | string, metres?: number) =>
  ((await read(name, bytes, metres)).meshes[0] as NamedMesh).mesh;
const square = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0];
const half = [0, 0, 0, 1, 0, 0, 0, 1, 0];

test.each(meshFormats)('what Stria writes as %s comes back at the same place, to the bit', async (format) => {
  // Numbers that no power of two divides, far from the origin.
  const one: NamedMesh = { name: 'one', mesh: ballMesh([-131.7, 1 / 3, 1e-7], 63.3, 9) };
  const two: NamedMesh = { name: 'two', mesh: tetrahedron };
  const meshes = format === 'stl' || format === 'ply' ? [one] : [one, two];
  for (const metres of [1e-3, 1e-6, 1, Number.NaN]) {
    const found = await read(`a.${format}`, await writtenMesh(writeMesh, format, meshes, metres), metres);
    expect(found.meshes.map(({ mesh }) => placesOf(mesh))).toEqual(meshes.map(({ mesh }) => placesOf(mesh)));
    expect(found.meshes.map(({ name }) => name)).toEqual(meshes.length > 1 ? ['one', 'two'] : ['a']);
  }
});

test('STL: corners that are equal become one, and a binary file whose head says solid is not read as text', async () => {
  const stl = await writtenMesh(writeMesh, 'stl', [{ name: 'a', mesh: tetrahedron }]);
  stl.set(textBytes('solid but binary '));
  expect((await onlyMesh('a.stl', stl)).positions).toHaveLength(12);
  const longer = new Uint8Array([...stl, 10, 0]);
  expect((await onlyMesh('a.stl', longer)).positions).toHaveLength(12);
  expect(placesOf(await onlyMesh('A.STL', asciiStl))).toEqual([
    ...half,
    0,
    0,
    0,
    ...[0.1, 0.2, -12.75].map(Math.fround),
    1,
    0,
    0,
  ]);
  expect((await onlyMesh('a.stl', asciiStl)).positions).toHaveLength(12);
});

test('STL with many triangles keeps all places', async () => {
  const mesh = ballMesh([5, 6, 7], 2, 60);
  expect(placesOf(await onlyMesh('a.stl', await writtenMesh(writeMesh, 'stl', [{ name: 'a', mesh }])))).toEqual(placesOf(mesh));
});

test('PLY as text and in both byte orders, with polygons and properties that are skipped', async () => {
  for (const bytes of [textBytes(asciiPly), binaryPly(true), binaryPly(false)])
    expect(placesOf(await onlyMesh('a.ply', bytes))).toEqual([...square, ...half]);
  expect(placesOf(await onlyMesh('a.ply', asciiPly.replaceAll('\n', '\r\n')))).toEqual([...square, ...half]);
});

test('OBJ: objects and groups with names, polygons, numbers from the end and lines that go on', async () => {
  const { meshes } = await read('a.obj', objText);
  expect(meshes.map(({ name, mesh }) => [name, placesOf(mesh)])).toEqual([
    ['left part', square],
    ['right', half],
  ]);
  const commented = objText.replace('# two parts', '# C:\\parts\\').replace('f -4 -3 -2', 'f -4 -3 -2 # the last');
  expect((await read('a.obj', commented)).meshes.map(({ mesh }) => placesOf(mesh))).toEqual([square, half]);
  const many = `v 0 0 0\nv 1 0 0\nv 0 1 0\n${Array.from({ length: 70 }, (_, at) => `g part${at}\nf 1 2 3\n`).join('')}`;
  const joined = await read('atlas.obj', many);
  expect(joined.meshes.map(({ name, mesh }) => [name, mesh.triangles.length])).toEqual([['atlas', 210]]);
});

test('files of 3D Slicer say that they are LPS', async () => {
  const turned = half.map((value, at) => (at % 3 === 2 ? value : -value + 0));
  const ply = asciiPly
    .replace('comment two faces', 'comment SPACE=LPS')
    .replace('9 4 0 1 3 2\n', '')
    .replace('element face 2', 'element face 1');
  expect(placesOf(await onlyMesh('a.ply', ply)).map((value) => value + 0)).toEqual(turned);
  const obj = objText.replace('# two parts', '# SPACE=LPS').replace('f 1//1 2//1 4//1 3//1\n', '');
  expect(placesOf(await onlyMesh('a.obj', obj)).map((value) => value + 0)).toEqual(turned);
  expect((await onlyMesh('a.stl', asciiStl.replace('solid four', 'solid 3D Slicer. SPACE=LPS'))).positions[3]).toBe(-1);
  const stl = await writtenMesh(writeMesh, 'stl', [{ name: 'a', mesh: tetrahedron }]);
  stl.fill(0, 0, 80).set(textBytes('3D Slicer output. SPACE=LPS'));
  expect((await onlyMesh('a.stl', stl)).positions[3]).toBe(-1);
});

const scanner = 'NIFTI_XFORM_SCANNER_ANAT';
const unknown = 'NIFTI_XFORM_UNKNOWN';
const shift = (x: number) => [1, 0, 0, x, 0, 1, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1];
const moved = (by: readonly number[]) => placesOf(tetrahedron).map((value, at) => Math.fround(value + (by[at % 3] as number)));
const center = ['R', 'A', 'S'].map((axis, at) => `<MD><Name>VolGeomC_${axis}</Name><Value>${at + 1}</Value></MD>`).join('');

test('GIFTI: all encodings, both byte orders, columns and 64-bit floats', async () => {
  for (const encoding of ['ASCII', 'Base64Binary', 'GZipBase64Binary'] as const) {
    for (const more of [{}, { isBig: true }, { isColumn: true }, { type: 'FLOAT64' } as const])
      expect(placesOf(await onlyMesh('a.surf.gii', giftiText(tetrahedron, { encoding, ...more })))).toEqual(
        placesOf(tetrahedron),
      );
  }
  // Millimetres, for a volume in micrometres.
  expect((await onlyMesh('a.surf.gii', giftiText(tetrahedron), 1e-6)).positions[3]).toBe(1000);
});

test.each([
  ['a matrix to the scanner', giftiSystem('NIFTI_XFORM_TALAIRACH', scanner, shift(10)), [10, 20, 30]],
  ['no matrix from the scanner', giftiSystem(scanner, 'NIFTI_XFORM_MNI_152', shift(10)), [0, 0, 0]],
  ['a matrix from an unknown space', giftiSystem(unknown, 'NIFTI_XFORM_MNI_152', shift(10)), [10, 20, 30]],
  ['no matrix between other spaces', giftiSystem('NIFTI_XFORM_MNI_152', 'NIFTI_XFORM_TALAIRACH', shift(10)), [0, 0, 0]],
  [
    'FreeSurfer’s volume before its matrix to Talairach',
    `<MetaData>${center}</MetaData>${giftiSystem(unknown, 'NIFTI_XFORM_TALAIRACH', shift(10))}`,
    [1, 2, 3],
  ],
  [
    'the scanner before FreeSurfer’s volume',
    `<MetaData>${center}</MetaData>${giftiSystem(scanner, scanner, shift(10))}`,
    [0, 0, 0],
  ],
])('GIFTI is placed by %s', async (_, about, by) => {
  expect(placesOf(await onlyMesh('lh.gii', giftiText(tetrahedron, { about })))).toEqual(moved(by));
});

const geometry = (more: string) =>
  `valid = 1  # volume info valid\nfilename = a.mgz\nvolume = 256 256 256\nvoxelsize = 1 1 1\n${more}cras   = 5.5 -17 20\n`;

test('FreeSurfer: the footer’s volume leads to the scanner', async () => {
  const places = async (footer?: Uint8Array) => placesOf(await onlyMesh('lh.pial', freesurferBytes(tetrahedron, footer)));
  const coronal = 'xras   = -1 0 0\nyras   = 0 0 -1\nzras   = 0 1 0\n';
  expect(await places()).toEqual(placesOf(tetrahedron));
  expect(await places(freesurferFooter(geometry(coronal)))).toEqual(moved([5.5, -17, 20]));
  expect(await places(freesurferFooter(geometry(coronal)).subarray(8))).toEqual(moved([5.5, -17, 20]));
  expect(await places(freesurferFooter(geometry(coronal), true))).toEqual(placesOf(tetrahedron));
  expect(await places(freesurferFooter(geometry(coronal).replace('valid = 1', 'valid = 0')))).toEqual(placesOf(tetrahedron));
  // Columns and slices of this volume run the other way than the surface takes them to.
  const turned = await places(freesurferFooter(geometry('xras = 1 0 0\nyras = 0 0 -1\nzras = 0 -1 0\n')));
  const expected = placesOf(tetrahedron).map((_value, at, all) => {
    const [x, y, z] = all.slice(at - (at % 3), at - (at % 3) + 3) as [number, number, number];
    return Math.fround([-x + 5.5, -y - 17, z + 20][at % 3] as number);
  });
  expect(turned).toEqual(expected);
});

test('a file that is named like no mesh is known by its content', async () => {
  expect((await read('lh.pial', freesurferBytes(tetrahedron))).format).toBe('freesurfer');
  expect((await read('a', giftiText(tetrahedron))).format).toBe('gifti');
  await expect(read('notes.txt', 'hello')).rejects.toMatchObject({
    tag: 'unsupported',
    message: expect.stringContaining('STL, PLY'),
  });
});

test('lines may end with a return alone, as on old Macs, in a file of any length', async () => {
  const text = `${'v 0 0 0\r'.repeat(140_000)}v 1 0 0\rv 0 1 0\rf 1 140001 140002\r`;
  expect((await onlyMesh('a.obj', text)).triangles).toHaveLength(3);
});
