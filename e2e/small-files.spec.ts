import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  choose,
  expectOpen,
  factsOf,
  gpuMemory,
  loseDevice,
  openTab,
  probeAt,
  settledPicture,
  voxelsInGpu,
} from './support/app.ts';
import { cli, fileInfo } from './support/cli.ts';
import { expect, test } from './support/test.ts';
import { nifti, scan, scans } from './support/volumes.ts';

// Fewer pixels to draw for a software GPU.
test.use({ viewport: { width: 780, height: 570 } });

// `wave` makes a small file, and a faster codec holds the same voxels in GPU memory.

test('a scan is saved small, opens again, and is kept compressed by a faster codec', async ({ stria }) => {
  test.slow();
  const { page } = stria;
  const volume = scan(48);
  const source = nifti(volume);
  const target = join(stria.folder, 'small.stria');
  await stria.dropFiles([stria.write('scan.nii', source)]);
  await expectOpen(page, 'scan.nii');

  await test.step('the smallest file is by wave, and the card says what holds the volume where', async () => {
    await choose(page, 'prefer-select', 'Smallest file');
    await page.keyboard.press('c');
    await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU', { timeout: 60_000 });
    expect(await factsOf(page.getByTestId('result-places'))).toEqual({
      File: expect.stringMatching(/^[\d.]+KiB, wave$/),
      'GPU memory': '108KiB, uncompressed',
    });
    await stria.chooseSave(target);
    await page.getByTestId('save-button').click();
    const saved = await stria.savedFile(target);
    const balanced = join(stria.folder, 'balanced.stria');
    await cli('compress', stria.write('again.nii', source), '-o', balanced, '--device', 'cpu', '--quiet');
    expect(statSync(saved).size).toBeLessThan(0.95 * statSync(balanced).size);
  });

  const saved = readFileSync(target);
  await stria.dropFiles([target]);
  await expectOpen(page, 'small.stria');
  await openTab(page, 'gpu');
  const residency = page.getByTestId('residency');
  await expect(residency).toHaveAttribute('data-kept', 'raw');
  const before = await probeAt(page, 'z', 0.55, 0.45);
  expect(before.stored).toBe(volume.voxel(...before.voxel));

  const expectFast = async () => {
    await expect(residency).toHaveAttribute('data-kept', 'compressed', { timeout: 60_000 });
    expect(await factsOf(page.getByTestId('residency-facts'))).toMatchObject({
      'As a file': expect.stringMatching(/^[\d.]+KiB, wave$/),
      'In GPU memory': expect.stringMatching(/^[\d.]+KiB, rice$/),
    });
    await expect(page.getByTestId('transcoded')).toBeVisible();
    expect(await gpuMemory(page, 'volume.')).toBe(0);
    expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
    expect(await probeAt(page, 'z', 0.55, 0.45)).toEqual(before);
  };

  await test.step('kept compressed, other payloads hold the same voxels', async () => {
    await page.getByTestId('keep-compressed').click();
    await expectFast();
  });

  await test.step('a lost device gets them again from the bytes of the file', async () => {
    const told = page.waitForFunction(() => document.querySelector('[data-testid="gpu-banner"]')?.textContent);
    await loseDevice(page);
    await told;
    await expect(page.getByTestId('gpu-banner')).toBeHidden({ timeout: 60_000 });
    await expectFast();
  });

  expect(readFileSync(target).equals(saved)).toBe(true);
});

test('a series in a small file opens for playback by a faster codec', async ({ stria }) => {
  const { page } = stria;
  const volume = scans(32, 6);
  const packed = join(stria.folder, 'series.stria');
  const source = stria.write('series.nii', nifti(volume));
  await cli('compress', source, '-o', packed, '--prefer', 'size', '--device', 'cpu', '--quiet');
  const { chunks } = await fileInfo(packed);
  expect(chunks.map(({ codec }) => codec)).toEqual(['wave']);
  await stria.dropFiles([packed]);
  await expectOpen(page, 'series.stria');
  await openTab(page, 'gpu');
  await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed');
  expect(await factsOf(page.getByTestId('residency-facts'))).toMatchObject({
    'As a file': expect.stringMatching(/, wave$/),
    'In GPU memory': expect.stringMatching(/, rice$/),
  });
  expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
  await openTab(page, 'volume');
  await page.getByTestId('time-slider').fill('5');
  await settledPicture(page, 'z');
  const { voxel, stored } = await probeAt(page, 'z', 0.55, 0.45);
  const [x, y, z] = voxel;
  expect(stored).toBe(volume.bytes[((5 * 32 + z) * 32 + y) * 32 + x]);
});
