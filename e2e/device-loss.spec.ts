import { join } from 'node:path';
import {
  canvasOf,
  choose,
  differingPart,
  expectOpen,
  gpuMemory,
  loseDevice,
  pictureOf,
  settledPicture,
  voxelsInGpu,
} from './support/app.ts';
import { cli } from './support/cli.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test('a lost device is replaced, with the volume, the view and the compression', async ({ stria }) => {
  const { page } = stria;
  const volume = shapes(48);
  await stria.dropFiles([stria.write('scan.nii', nifti(volume))]);
  await expectOpen(page, 'scan.nii');
  await page.getByTestId('slider-z').fill('20');
  // Zoom in and turn, which a new device keeps.
  await canvasOf(page, 'z').hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -240);
  await page.keyboard.up('Control');
  await expect(page.getByRole('button', { name: 'Fit the slice across z' })).toBeVisible();
  await canvasOf(page, '3d').hover();
  await page.mouse.wheel(0, -240);
  const before = { volume: await settledPicture(page, '3d'), slice: await settledPicture(page, 'z') };

  const loseAndWait = async () => {
    expect(await loseDevice(page)).toContain('The graphics device was lost');
    await expect(page.getByTestId('gpu-banner')).toBeHidden();
    await expectOpen(page, 'scan.nii');
  };

  await test.step('before anything is compressed', async () => {
    await loseAndWait();
    await expect.poll(async () => differingPart(before.volume, await pictureOf(page, '3d'))).toBe(0);
    await expect.poll(async () => differingPart(before.slice, await pictureOf(page, 'z'))).toBe(0);
    await expect(page.getByTestId('slider-z')).toHaveValue('20');
    expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
  });

  await test.step('afterwards: from the compressed bytes, which can still be saved', async () => {
    // Use the codec whose kernels a software GPU compiles fastest, since both devices compile them.
    await choose(page, 'codec-select', 'rle');
    await page.getByTestId('compress-button').click();
    await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU');
    await expect.poll(() => gpuMemory(page, 'result')).toBe(0);
    await loseAndWait();
    await expect.poll(async () => differingPart(before.slice, await pictureOf(page, 'z'))).toBe(0);
    expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
    const target = join(stria.folder, 'saved.stria');
    await stria.chooseSave(target);
    await page.getByTestId('save-button').click();
    await cli('verify', await stria.savedFile(target), '--device', 'cpu', '--quiet');
  });

  await test.step('compressing works on the new device', async () => {
    await page.getByTestId('compress-button').click();
    await expect(page.getByTestId('result-card')).toBeHidden();
    await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU');
  });
});
