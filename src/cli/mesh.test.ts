import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cpu, niftiFile, stria, succeed, testFolders } from './cli-testing.ts';

const { at } = testFolders();
const dims = [30, 28, 12] as const;

test('the surface of a scan, from a file or a .stria, and those of two labels with their names', async () => {
  const scan = niftiFile(dims, 1);
  writeFileSync(at('scan.nii'), scan);
  const { stdout } = await succeed('mesh', at('scan.nii'), '--level', '100', '-o', at('a.stl'), '--json', ...cpu);
  const { surfaces, bytes } = JSON.parse(stdout);
  expect(surfaces).toMatchObject([{ surface: 'level 100' }]);
  expect(bytes).toBe(84 + 50 * surfaces[0].triangles);
  expect(readFileSync(at('a.stl'))).toHaveLength(bytes);
  await succeed('compress', at('scan.nii'), '-o', at('scan.stria'), ...cpu);
  await succeed('mesh', at('scan.stria'), '--level', '100', '-o', at('b.STL'), ...cpu);
  expect(readFileSync(at('b.STL')).equals(readFileSync(at('a.stl')))).toBe(true);

  const labels = niftiFile(dims, 1);
  for (let voxel = 352; voxel < labels.length; voxel++) labels[voxel] = (labels[voxel] as number) >> 6;
  writeFileSync(at('labels.nii'), labels);
  writeFileSync(at('names.csv'), 'index,name,color\n1,Grey,#ff0000\n');
  await succeed('mesh', at('labels.nii'), '--label', '1,3', '--table', at('names.csv'), '-o', at('c.obj'), ...cpu);
  expect(readFileSync(at('c.obj'), 'utf8').match(/^o .*$/gm)).toEqual(['o Grey', 'o label_3']);
});

test('each label has a file of its own where a file holds one surface, and is an object where it holds several', async () => {
  const labels = niftiFile(dims, 1);
  for (let voxel = 352; voxel < labels.length; voxel++) labels[voxel] = voxel % 4;
  writeFileSync(at('all.nii'), labels);
  const { stdout } = await succeed('mesh', at('all.nii'), '--label', 'all', '-o', at('all.stl'), '--json', ...cpu);
  const { surfaces, bytes, ...said } = JSON.parse(stdout);
  expect([said.output, said.outputs]).toEqual([undefined, [1, 2, 3].map((label) => at(`all-${label}.stl`))]);
  expect(surfaces.map(({ surface }: { surface: string }) => surface)).toEqual(['label 1', 'label 2', 'label 3']);
  const files = [1, 2, 3].map((label) => readFileSync(at(`all-${label}.stl`)));
  expect(files.map(({ length }) => length)).toEqual(surfaces.map(({ triangles }: { triangles: number }) => 84 + 50 * triangles));
  expect(files.reduce((sum, { length }) => sum + length, 0)).toBe(bytes);
  expect(existsSync(at('all.stl'))).toBe(false);
  await succeed('mesh', at('all.nii'), '--label', '2', '-o', at('two.stl'), ...cpu);
  expect(
    readFileSync(at('two.stl'))
      .subarray(80)
      .equals((files[1] as Buffer).subarray(80)),
  ).toBe(true);
  await succeed('mesh', at('all.nii'), '--label', 'all', '-o', at('all.obj'), ...cpu);
  expect(readFileSync(at('all.obj'), 'utf8').match(/^o .*$/gm)).toEqual(['o label_1', 'o label_2', 'o label_3']);
});

test('a name that comes from a label replaces a file only with -f, and a label without voxels has no file', async () => {
  const labels = niftiFile(dims, 1);
  for (let voxel = 352; voxel < labels.length; voxel++) labels[voxel] = voxel % 4;
  writeFileSync(at('all.nii'), labels);
  writeFileSync(at('brain-3.stl'), 'of somebody else');
  const how = [at('all.nii'), '--label', '1,9,3', '-o', at('brain.stl'), ...cpu];
  const refused = await stria('mesh', ...how);
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(/brain-3\.stl already exists; add -f/) });
  expect(readFileSync(at('brain-3.stl'), 'utf8')).toBe('of somebody else');
  expect(existsSync(at('brain-1.stl'))).toBe(false);
  const { outputs, surfaces } = JSON.parse((await succeed('mesh', ...how, '-f', '--json')).stdout);
  expect(outputs).toEqual([at('brain-1.stl'), at('brain-3.stl')]);
  expect(surfaces.map(({ file }: { file?: string }) => file)).toEqual([outputs[0], undefined, outputs[1]]);
  expect(readFileSync(at('brain-3.stl')).length).toBeGreaterThan(84);
});

test.each([
  [['scan.nii', '-o', 'x.stl'], 2, /mesh needs a surface: --level VALUE, or --label N/],
  [['scan.nii', '--level', '9', '--label', '1', '-o', 'x.stl'], 2, /mesh needs a surface/],
  [['scan.nii', '--level', '9', '-o', 'x.vtk'], 2, /mesh writes \.stl, \.ply, \.obj, \.glb/],
  [['scan.nii', '--label', 'all,1', '-o', 'x.obj'], 2, /--label takes whole numbers/],
  [['scan.nii', '--label', '1,1', '-o', 'x.obj'], 2, /names a label twice/],
  [['scan.nii', '--label', '1.5', '-o', 'x.obj'], 2, /--label takes whole numbers/],
  [['scan.nii', '--level', '9', '--table', 'names.csv', '-o', 'x.stl'], 2, /--table names labels/],
  [['scan.nii', '--level', '1e6', '-o', 'x.stl'], undefined, /no voxel has level 1000000/],
  [['scan.nii', '--level', '9', '--time', '3', '-o', 'x.stl'], undefined, /no time point 3/],
])('%j is refused, and writes nothing', async (args, code, message) => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  const paths = args.map((word) => (/^[xs].*\.|names/.test(word) ? at(word) : word));
  const { code: ended, stderr } = await stria('mesh', ...paths, ...cpu);
  if (code !== undefined) expect(ended).toBe(code);
  expect(ended).not.toBe(0);
  expect(stderr).toMatch(message);
  expect(() => readFileSync(at('x.stl'))).toThrow('ENOENT');
});
