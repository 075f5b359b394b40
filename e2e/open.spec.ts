import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expectOpen, volumeFacts, voxelsInGpu } from './support/app.ts';
import { hookHost } from './support/host.ts';
import { expect, test } from './support/test.ts';
import { gzip, nifti, niftiPair, nrrd, shapes } from './support/volumes.ts';

test('every format gives the same voxels: through the dialog, by a drop, and from the recent files', async ({ stria }) => {
  const { page } = stria;
  const volume = shapes(48);
  const { header, image } = niftiPair(volume);
  const expectVoxels = async (name: string) => {
    await expectOpen(page, name);
    expect((await voxelsInGpu(page)).equals(volume.bytes), `voxels of ${name}`).toBe(true);
  };

  await test.step('gzipped NIfTI, through the dialog', async () => {
    await stria.chooseOpen([stria.write('packed.nii.gz', gzip(nifti(volume)))]);
    await page.getByTestId('open-button').click();
    await expectVoxels('packed.nii.gz');
  });

  await test.step('a header and its voxels, dropped together, are one volume', async () => {
    await stria.dropFiles([stria.write('pair.img', image), stria.write('pair.hdr', header)]);
    await expectVoxels('pair.hdr');
    await expect(page.getByTestId('queue')).toBeHidden();
  });

  await test.step('NRRD', async () => {
    await stria.dropFiles([stria.write('scan.nrrd', nrrd(volume))]);
    await expectVoxels('scan.nrrd');
    expect(await volumeFacts(page)).toMatchObject({ Format: 'NRRD', Spacing: '1.5 × 1.5 × 2' });
  });

  await test.step('raw voxels, after entering their layout', async () => {
    await stria.dropFiles([stria.write('voxels.raw', volume.bytes)]);
    await expect(page.getByTestId('raw-form')).toContainText('Matches the file size exactly.');
    for (const axis of ['x', 'y', 'z']) await expect(page.getByLabel(axis, { exact: true })).toHaveValue('48');
    await page.getByLabel('z', { exact: true }).fill('47');
    await page.getByLabel('z', { exact: true }).press('Enter');
    await expect(page.getByTestId('raw-form')).not.toContainText('Matches the file size exactly.');
    await page.getByLabel('z', { exact: true }).fill('48');
    await page.getByLabel('z', { exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await expectVoxels('voxels.raw');
  });

  await test.step('a recent file opens again', async () => {
    // The thumbnail is stored shortly after the volume was drawn.
    const hook = await hookHost(page);
    const pictureOfRecent = () =>
      hook.evaluate(async ({ host }) => (await host.recent()).find(({ name }) => name === 'voxels.raw')?.thumbnail);
    await expect.poll(pictureOfRecent).toMatch(/^data:image\/png/);
    const thumbnail = page.getByRole('button', { name: 'voxels.raw' }).locator('img');
    await page.getByTestId('close-button').click();
    await expect(thumbnail).toHaveAttribute('src', /^data:image\/png/);
    await page.getByRole('button', { name: 'scan.nrrd' }).click();
    await expectVoxels('scan.nrrd');
  });
});

test('a header whose data file is missing asks for it', async ({ stria }) => {
  const { page } = stria;
  const volume = shapes(32);
  const header = [
    'NRRD0004',
    'type: uint8',
    'dimension: 3',
    'sizes: 32 32 32',
    'encoding: raw',
    'data file: /data/voxels.raw',
    '',
    '',
  ];
  mkdirSync(join(stria.folder, 'elsewhere'));
  const data = stria.write('elsewhere/voxels.raw', volume.bytes);
  const expectVoxels = async () => {
    await expectOpen(page, 'scan.nhdr');
    expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
  };
  const file = stria.write('scan.nhdr', header.join('\n'));
  await stria.dropFiles([file]);
  await expect(page.getByTestId('error-message')).toContainText('The file voxels.raw is missing, which belongs to scan.nhdr');
  await stria.chooseOpen([data]);
  await page.getByRole('button', { name: 'Choose voxels.raw…' }).click();
  await expectVoxels();

  await page.getByTestId('close-button').click();
  await stria.dropFiles([file]);
  await expect(page.getByTestId('choose-missing')).toBeVisible();
  await stria.dropFiles([data]);
  await expectVoxels();

  // Files opened together find each other, even from different folders.
  await page.getByTestId('close-button').click();
  await stria.dropFiles([file, data]);
  await expectVoxels();
});
