import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { readMesh } from '../src/core/mesh/read/read-mesh.ts';
import { memorySource } from '../src/core/shared/bytes.ts';
import { expectOpen, testHook } from './support/app.ts';
import { cli } from './support/cli.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, placed, shapes, volumeOf } from './support/volumes.ts';

const affine = [0, 1.5, 0, -14, -1.5, 0, 0, 20, 0, 0, 2, -13];

async function openDialog(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('surface as mesh');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('surface-dialog')).toBeVisible();
}

async function enter(page: Page, label: string, value: number): Promise<void> {
  await page.getByTestId('surface-dialog').getByLabel(label, { exact: true }).fill(String(value));
  await page.keyboard.press('Enter');
}

/** The bytes that the dialog saves. */
async function saved(stria: Stria, name: string): Promise<Buffer> {
  const target = join(stria.folder, name);
  await stria.chooseSave(target);
  await stria.page.getByTestId('surface-save').click();
  await expect(stria.page.getByTestId('surface-dialog')).toBeHidden();
  return readFileSync(await stria.savedFile(target));
}

test('the surface of a volume is saved as the mesh that the command writes', async ({ stria }) => {
  const { page } = stria;
  const scan = stria.write('scan.nii', placed(nifti(shapes(33, 'i16')), affine));
  await stria.dropFiles([scan]);
  await expectOpen(page, 'scan.nii');
  await openDialog(page);
  await enter(page, 'Isosurface level', 321.5);
  await enter(page, 'Rounds of smoothing', 2);
  const bytes = await saved(stria, 'one.stl');
  const expected = join(stria.folder, 'expected.stl');
  await cli('mesh', scan, '--level', '321.5', '--smoothing', '2', '-o', expected, '--device', 'cpu', '--quiet');
  expect(bytes.equals(readFileSync(expected))).toBe(true);

  await test.step('a level that nothing reaches is refused', async () => {
    await openDialog(page);
    await enter(page, 'Isosurface level', 30_000);
    await stria.chooseSave(join(stria.folder, 'none.stl'));
    await page.getByTestId('surface-save').click();
    await expect(page.getByTestId('surface-dialog')).toContainText('No voxel lies inside this surface');
    await page.keyboard.press('Escape');
  });
});

test('the surface of a label is saved, even if the volume is kept compressed', async ({ stria }) => {
  const { page } = stria;
  const labels = volumeOf([70, 66, 20], 'u8', (x, y, z) => Math.floor(Math.hypot(x - 30, y - 31, z - 9) / 9) % 4);
  const file = stria.write('seg.nii', placed(nifti(labels), affine));
  const packed = join(stria.folder, 'seg.stria');
  await cli('compress', file, '-o', packed, '--device', 'cpu', '--quiet');
  await stria.dropFiles([packed]);
  await expectOpen(page, 'seg.stria');
  await openDialog(page);
  await enter(page, 'Label', 2);
  await page.getByText('GLB', { exact: true }).click();
  const bytes = await saved(stria, 'two.glb');
  const expected = join(stria.folder, 'expected.glb');
  await cli('mesh', file, '--label', '2', '-o', expected, '--device', 'cpu', '--quiet');
  expect(bytes.equals(readFileSync(expected))).toBe(true);
});

test('surfaces of labels are shown as layers, saved, and undone', async ({ stria }) => {
  const { page } = stria;
  const labels = volumeOf([70, 66, 20], 'u8', (x, y, z) => Math.floor(Math.hypot(x - 30, y - 31, z - 9) / 9) % 4);
  const file = stria.write('seg.nii', placed(nifti(labels), affine));
  await stria.dropFiles([file]);
  await expectOpen(page, 'seg.nii');
  await openDialog(page);
  await page.getByTestId('surface-labels').click();
  await page.getByTestId('surface-show').click();
  await expect(page.getByTestId('layer-Label 1')).toBeVisible();
  await expect(page.getByTestId('layer-Label 2')).toBeVisible();
  await expect(page.getByTestId('mesh-facts')).toContainText('triangles');
  await page.getByTestId('layer-Label 2').click();
  await expect(page.getByRole('region', { name: 'Settings of Label 2' })).toBeVisible();
  const target = join(stria.folder, 'two.stl');
  await stria.chooseSave(target);
  await page.getByTestId('mesh-save').click();
  const expected = join(stria.folder, 'expected.stl');
  await cli('mesh', file, '--label', '2', '-o', expected, '--device', 'cpu', '--quiet');
  await expect
    .poll(async () =>
      readFileSync(await stria.savedFile(target))
        .subarray(80)
        .equals(readFileSync(expected).subarray(80)),
    )
    .toBe(true);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByTestId('layer-Label 2')).toBeHidden();
  await page.keyboard.press('ControlOrMeta+Shift+z');
  await expect(page.getByTestId('layer-Label 2')).toBeVisible();
});

test('the GPU extracts the surface of a sphere: closed, and within half a voxel of it', async ({ stria }) => {
  const { page } = stria;
  const radius = 8.3;
  const [centre, spacing] = [[11.2, 12.1, 10.4] as const, [1.5, 2, 1.25] as const];
  const distance = (x: number, y: number, z: number) => Math.hypot(x - centre[0], y - centre[1], z - centre[2]);
  const voxels = volumeOf([24, 25, 22], 'i16', (x, y, z) => Math.round(-100 * distance(x, y, z)));
  const file = stria.write('ball.nii', placed(nifti(voxels), [spacing[0], 0, 0, -20, 0, spacing[1], 0, 5, 0, 0, spacing[2], 3]));
  await stria.dropFiles([file]);
  await expectOpen(page, 'ball.nii');
  await (await testHook(page)).evaluate((hook) => hook.extractOnlyOnGpu());
  await openDialog(page);
  await enter(page, 'Isosurface level', -100 * radius);
  await enter(page, 'Rounds of smoothing', 0);
  await page.getByTestId('surface-show').click();
  await expect(page.getByTestId('mesh-facts')).toContainText('triangles');
  const target = join(stria.folder, 'ball.stl');
  await stria.chooseSave(target);
  await page.getByTestId('mesh-save').click();
  const bytes = new Uint8Array(readFileSync(await stria.savedFile(target)));
  const [{ mesh }] = (await readMesh(memorySource('ball.stl', bytes), { metres: 1e-3 })).meshes as [
    Awaited<ReturnType<typeof readMesh>>['meshes'][0],
  ];
  const { positions, triangles } = mesh;
  expect(triangles.length).toBeGreaterThan(3000);
  const off = Array.from({ length: positions.length / 3 }, (_, corner) => {
    const [x, y, z] = [-20, 5, 3].map(
      (from, axis) => ((positions[3 * corner + axis] as number) - from) / (spacing[axis] as number),
    );
    return Math.abs(distance(x as number, y as number, z as number) - radius);
  });
  expect(Math.max(...off)).toBeLessThan(0.5);
  // Each edge occurs once in each direction.
  const edges = new Set<string>();
  for (let at = 0; at < triangles.length; at += 3) {
    for (let side = 0; side < 3; side++) edges.add(`${triangles[at + side]} ${triangles[at + ((side + 1) % 3)]}`);
  }
  expect(edges.size).toBe(triangles.length);
  expect([...edges].filter((edge) => !edges.has(edge.split(' ').toReversed().join(' ')))).toEqual([]);
});
