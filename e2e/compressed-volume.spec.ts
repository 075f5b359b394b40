import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright/test';
import {
  canvasOf,
  choose,
  expectOpen,
  factsOf,
  gpuMemory,
  loseDevice,
  type OwnView,
  openTab,
  pixelsOf,
  probeAt,
  settledPicture,
  voxelsInGpu,
} from './support/app.ts';
import { cli, fileInfo } from './support/cli.ts';
import { expect, test } from './support/test.ts';
import { nifti, series, shapes } from './support/volumes.ts';

// Fewer pixels to draw for a software GPU.
test.use({ viewport: { width: 780, height: 570 } });

const slices: readonly OwnView[] = ['x', 'y', 'z'];

/** Pictures of slices at several positions, and the voxels under the pointer. */
async function lookAround(page: Page): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const at of ['3', '35']) {
    for (const axis of slices) await page.getByTestId(`slider-${axis}`).fill(at);
    for (const view of slices) {
      await settledPicture(page, view);
      seen.push(await pixelsOf(page, view));
    }
    for (const view of slices) seen.push(await probeAt(page, view, 0.55, 0.42));
  }
  return seen;
}

test('a volume kept compressed in GPU memory looks the same and takes less memory', async ({ stria }) => {
  test.slow();
  const { page } = stria;
  // Outer slices show little, and fill too little of a smaller view.
  await page.setViewportSize({ width: 960, height: 640 });
  const volume = shapes(40, 'i16');
  const rawBytes = volume.bytes.byteLength;
  await stria.dropFiles([stria.write('scan.nii', nifti(volume))]);
  await expectOpen(page, 'scan.nii');
  await openTab(page, 'gpu');
  const residency = page.getByTestId('residency');
  await expect(residency).toHaveAttribute('data-kept', 'raw');
  expect(await gpuMemory(page, 'volume.')).toBeGreaterThanOrEqual(rawBytes);
  const before = await lookAround(page);

  await test.step('compressed with one click: the voxels leave GPU memory', async () => {
    await page.getByTestId('keep-compressed').click();
    await expect(residency).toHaveAttribute('data-kept', 'compressed', { timeout: 60_000 });
    await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU');
    expect(await gpuMemory(page, 'volume.')).toBe(0);
    const payloads = await gpuMemory(page, 'compressed.payloads');
    expect(payloads).toBeGreaterThan(0);
    expect(payloads).toBeLessThan(rawBytes / 2);
    expect(await factsOf(page.getByTestId('residency-facts'))).toMatchObject({
      Uncompressed: '125KiB',
      'As a file': expect.stringMatching(/^[\d.]+KiB, \w/),
      'In GPU memory': expect.stringMatching(/^[\d.]+KiB, \w/),
    });
  });

  await test.step('slices across all axes and probed voxels are the same', async () => {
    expect(await lookAround(page)).toEqual(before);
    expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
  });

  await test.step('without the 3D view its texture leaves GPU memory, and returns with it', async () => {
    expect(await gpuMemory(page, 'display.')).toBeGreaterThan(0);
    await page.keyboard.press('3');
    await expect(canvasOf(page, '3d')).toBeHidden();
    await expect.poll(() => gpuMemory(page, 'display.')).toBe(0);
    await page.keyboard.press('4');
    await settledPicture(page, '3d');
    expect(await gpuMemory(page, 'display.')).toBeGreaterThan(0);
  });

  await test.step('it can be compressed again and saved', async () => {
    await page.getByTestId('compress-button').click();
    await expect(page.getByTestId('result-card')).toBeHidden();
    await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU');
    const target = join(stria.folder, 'saved.stria');
    await stria.chooseSave(target);
    await page.getByTestId('save-button').click();
    const restored = join(stria.folder, 'restored.nii');
    await cli('decompress', await stria.savedFile(target), '-o', restored, '--device', 'cpu', '--quiet');
    expect(readFileSync(restored).equals(nifti(volume))).toBe(true);
  });

  await test.step('it is still kept compressed after a device loss', async () => {
    const told = page.waitForFunction(() => document.querySelector('[data-testid="gpu-banner"]')?.textContent);
    await loseDevice(page);
    await told;
    await expect(page.getByTestId('gpu-banner')).toBeHidden();
    await expect(residency).toHaveAttribute('data-kept', 'compressed');
    expect(await gpuMemory(page, 'volume.')).toBe(0);
    expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
  });

  await test.step('uncompressed again: the payloads leave GPU memory', async () => {
    await page.getByTestId('keep-raw').click();
    await expect(residency).toHaveAttribute('data-kept', 'raw');
    expect(await gpuMemory(page, 'compressed')).toBe(0);
    expect(await gpuMemory(page, 'decoded')).toBe(0);
    expect(await gpuMemory(page, 'volume.')).toBeGreaterThanOrEqual(rawBytes);
    expect(await lookAround(page)).toEqual(before);
  });
});

test('a time series from a .stria is never uncompressed in GPU memory', async ({ stria }) => {
  const { page } = stria;
  // Each time point is a separate chunk.
  const volume = series(56, 10);
  const packed = join(stria.folder, 'series.stria');
  // A single codec, since a chain also needs memory for its intermediate data.
  await cli('compress', stria.write('series.nii', nifti(volume)), '-o', packed, '--codec', 'rice', '--device', 'cpu', '--quiet');
  await stria.dropFiles([packed]);
  await expectOpen(page, 'series.stria');
  await openTab(page, 'gpu');
  await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed');
  expect(await gpuMemory(page, 'volume.')).toBe(0);
  expect(await gpuMemory(page, 'compressed.payloads')).toBeGreaterThan(0);
  expect(await gpuMemory(page, 'decoded')).toBeLessThanOrEqual(volume.bytes.byteLength / 8);
  expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
  const { voxel, stored } = await probeAt(page, 'z', 0.55, 0.45);
  expect(stored).toBe(volume.voxel(...voxel));
});

test('a series is saved in groups of time points, as the command does', async ({ stria }) => {
  test.slow();
  const { page } = stria;
  const volume = series(20, 5);
  const source = stria.write('series.nii', nifti(volume));
  const [saved, byCommand] = ['saved.stria', 'command.stria'].map((name) => join(stria.folder, name)) as [string, string];
  await cli('compress', source, '-o', byCommand, '--codec', 'wave', '--device', 'cpu', '--quiet');
  await stria.dropFiles([source]);
  await expectOpen(page, 'series.nii');
  await choose(page, 'codec-select', 'wave');
  const expectTimePoints = async () => {
    await openTab(page, 'volume');
    for (const timePoint of [4, 0, 3]) {
      await page.getByTestId('time-slider').fill(String(timePoint));
      await settledPicture(page, 'z');
      const { voxel, stored } = await probeAt(page, 'z', 0.55, 0.45);
      const [x, y, z] = voxel;
      expect(stored).toBe(volume.voxel((x + timePoint) % 20, y, z));
    }
  };

  await test.step('kept compressed, it shows each time point', async () => {
    await openTab(page, 'gpu');
    await page.getByTestId('keep-compressed').click();
    await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed', { timeout: 60_000 });
    await expectTimePoints();
  });

  await test.step('the file is the one that the command makes', async () => {
    await stria.chooseSave(saved);
    await page.getByTestId('save-button').click();
    await stria.savedFile(saved);
    await expect(page.getByTestId('saved')).toContainText('Saved as');
    expect(readFileSync(saved).equals(readFileSync(byCommand))).toBe(true);
    expect(await cli('info', saved)).toMatch(/interleaved/);
  });

  await test.step('compressed again by another codec, it has none', async () => {
    await choose(page, 'codec-select', 'rle');
    await page.getByTestId('compress-button').click();
    await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU');
    await expectTimePoints();
    await openTab(page, 'gpu');
    await page.getByTestId('keep-raw').click();
    await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'raw', { timeout: 60_000 });
    expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
  });
});

test('a series whose time points share chunks shows each time point correctly', async ({ stria }) => {
  const { page } = stria;
  const volume = series(12, 300);
  const packed = join(stria.folder, 'small.stria');
  await cli('compress', stria.write('small.nii', nifti(volume)), '-o', packed, '--device', 'cpu', '--quiet');
  const { chunkShape, chunkCount } = await fileInfo(packed);
  expect([chunkShape, chunkCount]).toEqual([[12, 12, 12, 151], 2]);
  await stria.dropFiles([packed]);
  await expectOpen(page, 'small.stria');
  await openTab(page, 'volume');
  expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
  const pictures: string[] = [];
  for (const timePoint of [0, 150, 151, 299]) {
    await page.getByTestId('time-slider').fill(String(timePoint));
    await settledPicture(page, 'z');
    pictures.push(JSON.stringify(await pixelsOf(page, 'z')));
    for (const view of slices) {
      const { voxel, stored } = await probeAt(page, view, 0.55, 0.45);
      const [x, y, z] = voxel;
      expect(stored).toBe(volume.voxel((x + timePoint) % 12, y, z));
    }
  }
  expect(new Set(pictures).size).toBe(4);
  await openTab(page, 'gpu');
  await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed');
});

test('the app says what is lost in a recovered file', async ({ stria }) => {
  const { page } = stria;
  const bytes = readFileSync(fileURLToPath(new URL('../testdata/recovered.stria', import.meta.url)));
  await stria.dropFiles([stria.write('recovered.stria', bytes)]);
  await expectOpen(page, 'recovered.stria');
  await expect(page.getByTestId('notice')).toContainText('3 of 8 chunks were lost');
});
