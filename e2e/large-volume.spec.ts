import {
  drawCoarsely,
  expectOpen,
  gpuMemory,
  isSettled,
  loseDevice,
  openTab,
  probeAt,
  replaceWithoutAsking,
  testHook,
  volumeFacts,
} from './support/app.ts';
import { cli } from './support/cli.ts';
import { expect, test } from './support/test.ts';
import { gzip, nifti, noise, shapes } from './support/volumes.ts';

// Fewer pixels to draw for a software GPU.
test.use({ viewport: { width: 780, height: 570 } });

test('a volume larger than the GPU budget opens from a level, and slices and values come from the file', async ({ stria }) => {
  const { page } = stria;
  const volume = noise([150, 130, 110]);
  const plain = stria.write('big.nii', nifti(volume));
  await cli('compress', plain, '--levels', '--device', 'cpu', '-o', plain.replace('.nii', '.stria'));
  const hook = await testHook(page);
  await hook.evaluate((each) => each.setBudget(1));
  await replaceWithoutAsking(page);

  const expectExact = async (): Promise<void> => {
    await expect.poll(() => gpuMemory(page, 'slice.detail'), { timeout: 30_000 }).toBeGreaterThan(150 * 130);
    await expect.poll(() => isSettled(page), { timeout: 30_000 }).toBe(true);
    for (const [view, across, down] of [
      ['x', 0.41, 0.37],
      ['y', 0.6, 0.52],
      ['z', 0.55, 0.62],
    ] as const) {
      const { voxel, stored } = await probeAt(page, view, across, down);
      const [x, y, z] = voxel;
      expect([voxel, stored]).toEqual([voxel, volume.bytes[(z * 130 + y) * 150 + x]]);
    }
  };

  await test.step('the level is shown, and slices are read from the file', async () => {
    await stria.dropFiles([plain.replace('.nii', '.stria')]);
    await expectOpen(page, 'big.stria');
    await expectExact();
    await openTab(page, 'volume');
    expect(await volumeFacts(page)).toMatchObject({
      Dimensions: '150 × 130 × 110',
      Shown: '1/2 resolution, level 1 of 1: too large for this GPU',
      Statistics: 'of level 1 of 1',
    });
  });

  await test.step('statistics of all voxels are computed from the file, on demand', async () => {
    await openTab(page, 'display');
    await expect(page.getByTestId('statistics-resolution')).toContainText('of level 1 of 1');
    await page.getByTestId('full-statistics').click();
    await expect(page.getByTestId('statistics-resolution')).toContainText('of all voxels', { timeout: 30_000 });
    await openTab(page, 'volume');
    const [least, most] = [volume.bytes.reduce((a, b) => Math.min(a, b)), volume.bytes.reduce((a, b) => Math.max(a, b))];
    expect(await volumeFacts(page)).toMatchObject({ Statistics: 'of all voxels', Values: `${least} to ${most}` });
  });

  await test.step('after a device loss, too', async () => {
    await loseDevice(page);
    await expectExact();
  });

  await test.step('an OME-Zarr and a plain file in the same way', async () => {
    const zarr = plain.replace('.nii', '.zarr.zip');
    await cli('decompress', plain.replace('.nii', '.stria'), '--to', 'ome-zarr', '-o', zarr);
    for (const [name, shown] of [
      ['big.zarr.zip', '1/2 resolution, level 1 of 1: too large for this GPU'],
      ['big.nii', '1 in 2 voxels along each axis: too large for this GPU'],
    ] as const) {
      await stria.dropFiles([plain.replace('big.nii', name)]);
      await expectOpen(page, name);
      await expectExact();
      expect(await volumeFacts(page)).toMatchObject({ Dimensions: '150 × 130 × 110', Shown: shown });
    }
  });

  await test.step('levels kept beside the plain file are used when it is opened again, until it changes', async () => {
    await openTab(page, 'volume');
    await page.getByTestId('keep-levels').click();
    const levels = await stria.savedFile(`${plain}.levels.stria`);
    await stria.dropFiles([plain, levels]);
    const shown = async () => (await volumeFacts(page)).Shown;
    await expect.poll(shown).toBe('1/2 resolution, level 1 of 1: too large for this GPU');
    await expectExact();
    await openTab(page, 'volume');
    await expect(page.getByTestId('keep-levels')).toHaveCount(0);

    const changed = { ...volume, bytes: volume.bytes.map((value) => 255 - value) };
    await stria.dropFiles([stria.write('big.nii', nifti(changed)), levels]);
    await expect(page.getByText('big.nii.levels.stria beside the file is not used: ')).toBeVisible();
    await expect.poll(shown).toBe('1 in 2 voxels along each axis: too large for this GPU');
    await openTab(page, 'volume');
    await expect(page.getByTestId('keep-levels')).toBeVisible();
  });

  await test.step('a gzipped file can only be read whole, and says so; its statistics are computed nevertheless', async () => {
    await stria.dropFiles([stria.write('whole.nii.gz', gzip(nifti(volume)))]);
    await expectOpen(page, 'whole.nii.gz');
    const note = page.getByText('shown at 1/2 resolution: this file can only be read whole').filter({ visible: true });
    await expect(note).toHaveCount(3);
    const { voxel, stored } = await probeAt(page, 'z', 0.55, 0.62);
    await expect(page.getByTestId('probe')).toContainText('(nearest loaded voxel)');
    const [x, y, z] = voxel.map((at) => at - (at % 2)) as [number, number, number];
    expect(stored).toBe(volume.bytes[(z * 130 + y) * 150 + x]);
    await openTab(page, 'display');
    await page.getByTestId('full-statistics').click();
    await expect(page.getByTestId('statistics-resolution')).toContainText('of all voxels', { timeout: 30_000 });
  });

  await test.step('with memory for some bricks, the 3D view draws a plain file from them', async () => {
    await drawCoarsely(page);
    await hook.evaluate((each) => each.setBudget(12));
    await stria.dropFiles([stria.write('bricks.nii', nifti(shapes(240)))]);
    await expectOpen(page, 'bricks.nii');
    await expect.poll(() => gpuMemory(page, 'bricks.payloads'), { timeout: 60_000 }).toBeGreaterThan(0);
    await expect.poll(() => isSettled(page), { timeout: 60_000 }).toBe(true);
    await expect(page.getByText('shown at 1/2 resolution')).toHaveCount(0);
    // Its levels have been made meanwhile, or are in a moment.
    await openTab(page, 'gpu');
    await expect(page.getByTestId('brick-memory')).toContainText('Levelsmade', { timeout: 30_000 });
    await expect(page.getByTestId('brick-memory')).not.toContainText('no host memory');
  });

  await test.step('another volume leaves nothing of it in GPU memory', async () => {
    await stria.dropFiles([stria.write('small.nii', nifti(shapes(24)))]);
    await expectOpen(page, 'small.nii');
    await expect.poll(() => gpuMemory(page, 'slice.detail')).toBe(0);
  });
});

test.describe('over another volume', () => {
  test.use({ asks: true });

  test('a layer larger than the GPU budget is drawn from bricks in 3D, which are freed with it', async ({ stria }) => {
    const { page } = stria;
    const hook = await testHook(page);
    await hook.evaluate((each) => each.setBudget(24));
    await stria.dropFiles([stria.write('small.nii', nifti(shapes(60)))]);
    await expectOpen(page, 'small.nii');
    await stria.dropFiles([stria.write('large.nii', nifti(shapes(240)))]);
    await expect(page.getByTestId('second-dialog')).toContainText('large.nii');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('layer-large.nii')).toBeVisible({ timeout: 60_000 });
    const bricks = () => gpuMemory(page, 'bricks.payloads');
    // A software GPU compiles the kernel for half a minute, beside another test for longer.
    await expect.poll(bricks, { timeout: 120_000 }).toBeGreaterThan(0);
    await expect.poll(() => isSettled(page), { timeout: 90_000 }).toBe(true);
    await expect(page.getByText(/layers shown at/)).toHaveCount(0);
    await page.getByTestId('layer-remove').click();
    await expect.poll(bricks).toBe(0);
  });
});
