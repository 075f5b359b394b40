import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  differingPart,
  drawnPart,
  expectOpen,
  gpuMemory,
  loseDevice,
  openTab,
  pictureOf,
  settledPicture,
} from './support/app.ts';
import { cli } from './support/cli.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, placed, shapes } from './support/volumes.ts';

const affine = [0, 1.5, 0, -14, -1.5, 0, 0, 20, 0, 0, 2, -13];

/** Writes a file with the surface of a scan at a level, and returns its path. */
async function writeSurface(stria: Stria, scan: string, name: string, level: string): Promise<string> {
  const surface = join(stria.folder, name);
  await cli('mesh', scan, '--level', level, '-o', surface, '--device', 'cpu', '--quiet');
  return surface;
}

test('a surface opens and is saved without a volume, and stays in place under a volume that is opened later', async ({
  stria,
}) => {
  const { page } = stria;
  const scan = stria.write('scan.nii', placed(nifti(shapes(33, 'i16')), affine));
  const surface = await writeSurface(stria, scan, 'shape.ply', '321.5');
  await stria.dropFiles([surface]);
  await expectOpen(page, 'shape.ply');
  await expect(page.getByTestId('mesh-facts')).toContainText('triangles');
  await expect(page.getByTestId('mesh-name')).toHaveValue('shape');
  await expect(page.getByTestId('compress-button')).toHaveCount(0);
  expect(drawnPart(await settledPicture(page, '3d'))).toBeGreaterThan(0.02);
  const outline = await settledPicture(page, 'z');
  expect(drawnPart(outline)).toBeGreaterThan(0.001);

  await test.step('a session', async () => {
    const session = join(stria.folder, 'shape.stria-session');
    await stria.chooseSave(session);
    await page.keyboard.press('ControlOrMeta+Shift+s');
    const saved = await stria.savedFile(session);
    await page.getByTestId('close-button').click();
    await expect(page.getByTestId('empty-state')).toBeVisible();
    await stria.dropFiles([saved, surface]);
    await expectOpen(page, 'shape.ply');
    await expect(page.getByTestId('layer-shape')).toBeVisible();
    await expect.poll(async () => differingPart(outline, await pictureOf(page, 'z'))).toBe(0);
  });

  await test.step('a lost device', async () => {
    await loseDevice(page);
    await expect(page.getByTestId('gpu-banner')).toBeHidden();
    await expectOpen(page, 'shape.ply');
    await expect.poll(async () => differingPart(outline, await pictureOf(page, 'z'))).toBe(0);
  });

  await test.step('a volume takes the place of nothing', async () => {
    await stria.dropFiles([scan]);
    await expectOpen(page, 'scan.nii');
    await expect(page.getByTestId('second-dialog')).toHaveCount(0);
    await expect(page.getByTestId('layer-shape')).toBeVisible();
    await page.keyboard.press('1');
    await expect(page.getByTestId('mesh-facts')).toContainText('triangles');
    const brought = await settledPicture(page, '3d');
    await page.getByTestId('close-button').click();
    await expect(page.getByTestId('empty-state')).toBeVisible();
    await stria.dropFiles([scan]);
    await expectOpen(page, 'scan.nii');
    await stria.dropFiles([surface]);
    await expect(page.getByTestId('layer-shape')).toBeVisible();
    await expect.poll(async () => differingPart(brought, await pictureOf(page, '3d'))).toBe(0);
  });
});

test('a surface from a file is undone and redone, survives a lost device, and leaves nothing in GPU memory', async ({
  stria,
}) => {
  const { page } = stria;
  const scan = stria.write('scan.nii', placed(nifti(shapes(33, 'i16')), affine));
  const surface = await writeSurface(stria, scan, 'shape.stl', '321.5');
  const row = page.getByTestId('layer-shape');
  const close = async () => {
    await page.getByTestId('close-button').click();
    await expect(page.getByTestId('empty-state')).toBeVisible();
  };
  const meshBytes = () => gpuMemory(page, 'mesh');

  await stria.dropFiles([scan]);
  await expectOpen(page, 'scan.nii');
  await settledPicture(page, '3d');
  const [meshesBefore, opened] = [await meshBytes(), await gpuMemory(page, '')];
  await close();
  const closed = await gpuMemory(page, '');
  expect(closed).toBeLessThan(opened);

  await stria.dropFiles([scan]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('1');
  const alone = await settledPicture(page, '3d');
  await stria.dropFiles([surface]);
  await expect(row).toBeVisible();
  const drawn = await settledPicture(page, '3d');
  expect(differingPart(alone, drawn)).toBeGreaterThan(0.02);
  expect(drawnPart(drawn)).toBeGreaterThan(0.02);
  const added = await meshBytes();
  expect(added).toBeGreaterThan(meshesBefore);

  await test.step('undo and redo', async () => {
    await page.keyboard.press('ControlOrMeta+z');
    await expect(row).toHaveCount(0);
    await expect.poll(async () => differingPart(alone, await pictureOf(page, '3d'))).toBe(0);
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await expect(row).toBeVisible();
    await expect.poll(async () => differingPart(drawn, await pictureOf(page, '3d'))).toBe(0);
    expect(await meshBytes()).toBe(added);
  });

  await test.step('closing the volume', async () => {
    await close();
    await expect.poll(meshBytes).toBe(meshesBefore);
    await expect.poll(() => gpuMemory(page, '')).toBe(closed);
  });

  await test.step('a lost device', async () => {
    await stria.dropFiles([scan]);
    await expectOpen(page, 'scan.nii');
    await stria.dropFiles([surface]);
    await expect.poll(async () => differingPart(drawn, await pictureOf(page, '3d'))).toBe(0);
    await loseDevice(page);
    await expect(page.getByTestId('gpu-banner')).toBeHidden();
    await expectOpen(page, 'scan.nii');
    await expect(row).toBeVisible();
    await expect.poll(async () => differingPart(drawn, await pictureOf(page, '3d'))).toBe(0);
    expect(await meshBytes()).toBe(added);
    await close();
    await expect.poll(meshBytes).toBe(meshesBefore);
    // The new device keeps fewer spare buffers.
    await expect.poll(() => gpuMemory(page, '')).toBeLessThanOrEqual(closed);
  });
});

test('a session lists its surfaces in order, and Find… reads the one whose file moved', async ({ stria }) => {
  const { page } = stria;
  const scan = stria.write('scan.nii', placed(nifti(shapes(33, 'i16')), affine));
  const [inner, outer] = [
    await writeSurface(stria, scan, 'inner.stl', '900.5'),
    await writeSurface(stria, scan, 'outer.stl', '321.5'),
  ];
  const names = () => page.getByTestId('meshes').getByRole('row').allTextContents();
  await stria.dropFiles([scan]);
  await expectOpen(page, 'scan.nii');
  await stria.dropFiles([inner, outer]);
  await expect(page.getByTestId('layer-outer')).toBeVisible();
  await page.getByTestId('show-surface').click();
  await page.getByTestId('surface-show').click();
  await expect(page.getByTestId('surface-dialog')).toBeHidden();
  await expect.poll(async () => (await names()).length).toBe(3);
  const listed = await names();
  const session = join(stria.folder, 'scan.stria-session');
  await stria.chooseSave(session);
  await page.keyboard.press('ControlOrMeta+Shift+s');
  const saved = await stria.savedFile(session);
  await page.getByTestId('close-button').click();
  await expect(page.getByTestId('empty-state')).toBeVisible();

  await stria.dropFiles([saved, scan, inner]);
  await expectOpen(page, 'scan.nii');
  await expect(page.getByText('Not found: outer. Choose the layer in the list to find its file')).toBeVisible();
  await openTab(page, 'layers');
  await expect.poll(names).toEqual(listed.map((text) => (text.includes('outer') ? text.replace('100 %', 'Not found') : text)));
  await expect(page.getByTestId('undo-button')).toBeDisabled();
  await page.getByTestId('layer-outer').click();
  await expect(page.getByTestId('lost-files')).toHaveText('Not found: outer.stl');

  await test.step('another file is refused', async () => {
    await stria.chooseOpen([inner]);
    await page.getByTestId('layer-find').click();
    await expect(page.getByTestId('wrong-file')).toContainText(/inner\.stl has .* bytes, not /);
    await expect(page.getByTestId('lost-files')).toBeVisible();
  });

  await test.step('the right one may have another name', async () => {
    await stria.chooseOpen([stria.write('moved.stl', readFileSync(outer))]);
    await page.getByTestId('layer-find').click();
    await expect(page.getByTestId('mesh-facts')).toContainText('triangles');
    await expect.poll(names).toEqual(listed);
    await expect(page.getByTestId('undo-button')).toBeDisabled();
  });
});
