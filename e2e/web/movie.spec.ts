import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright/test';
import { differingPart, drawnPart, expectOpen, screenOf, settledPicture, squaresOf } from '../support/app.ts';
import { expect, test } from '../support/test.ts';
import { nifti, shapes } from '../support/volumes.ts';

test.use({ viewport: { width: 720, height: 480 } });

test('a turntable becomes numbered pictures in a new folder: the first is the current view, the others rotate', async ({
  stria,
}) => {
  const { page } = stria;
  // The browser's own dialog cannot be driven, so a folder of the page's private file system replaces the chosen one.
  await page.evaluate(() => {
    Object.assign(window, { showDirectoryPicker: () => navigator.storage.getDirectory() });
  });
  await stria.dropFiles([stria.write('ball.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'ball.nii');
  await page.keyboard.press('1');
  await page.getByTestId('quality-draft').click();
  await settledPicture(page, '3d');
  const screen = await screenOf(page, '3d', { hidden: '[data-view="3d"] > :not([role=application])' });

  await page.keyboard.press('ControlOrMeta+K');
  await page.keyboard.type('movie');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('movie-dialog')).toContainText('Make turntable movie');
  await page.getByRole('radio', { name: '1×' }).click();
  await page.getByLabel('Frames', { exact: true }).fill('4');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('movie-dialog')).toContainText(`4 PNGs, ${screen.width} × ${screen.height} pixels`);
  await page.getByTestId('movie-make').click();
  await expect(page.getByTestId('movie-done')).toContainText('4 pictures in ‘ball turntable’');

  const files = await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('ball turntable');
    const found: [string, number[]][] = [];
    for await (const [name, handle] of folder.entries())
      if (handle instanceof FileSystemFileHandle)
        found.push([name, [...new Uint8Array(await (await handle.getFile()).arrayBuffer())]]);
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  });
  expect(files.map(([name]) => name)).toEqual([1, 2, 3, 4].map((number) => `frame-000${number}.png`));
  const pictures = files.map(([, bytes]) => decode(Uint8Array.from(bytes)));
  // The bar below the views makes them smaller while frames are drawn.
  const sizes = pictures.map(({ width, height }) => [width, height]);
  expect(sizes).toEqual(pictures.map(() => [screen.width, screen.height]));
  const frames = pictures.map(squaresOf);
  const [first = [], ...others] = frames;
  // The screen is drawn at a quarter of its resolution.
  expect(differingPart(first, squaresOf(screen))).toBeLessThan(0.02);
  for (const other of others) {
    expect(drawnPart(other)).toBeGreaterThan(0.02);
    expect(differingPart(first, other)).toBeGreaterThan(0.05);
  }
});

/** A movie of slices 7 to 10 of a small ball, with everything chosen except its format. */
async function chooseSlices(page: Page): Promise<void> {
  await page.keyboard.press('2');
  await settledPicture(page, 'z');
  await page.keyboard.press('ControlOrMeta+K');
  await page.keyboard.type('movie');
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: 'Custom' }).click();
  const lengths = { 'Width, pixels': '65', 'Height, pixels': '48', First: '7', Last: '10' };
  for (const [label, length] of Object.entries(lengths)) {
    await page.getByLabel(label, { exact: true }).fill(length);
    await page.keyboard.press('Enter');
  }
}

test('if the browser gives no folder, the pictures are saved as a ZIP', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('ball.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'ball.nii');
  await chooseSlices(page);
  await expect(page.getByTestId('movie-make')).toHaveText('Save ZIP…');
  await page.getByTestId('movie-make').click();
  await expect(page.getByTestId('movie-done')).toContainText('4 pictures in ‘ball slices.zip’, in Downloads');
  const files = unzipSync(readFileSync(await stria.savedFile(join(stria.folder, 'ball slices.zip'))));
  expect(Object.keys(files)).toEqual([1, 2, 3, 4].map((number) => `ball slices/frame-000${number}.png`));
  const frames = Object.values(files).map((bytes) => decode(bytes));
  for (const { width, height } of frames) expect([width, height]).toEqual([65, 48]);
  expect(new Set(frames.map(({ data }) => data.join())).size).toBe(4);

  // The message belongs to this screen.
  await page.keyboard.press('ControlOrMeta+K');
  await page.keyboard.type('lab: bench');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('movie-done')).toHaveCount(0);
});

test('a video plays for as long as its frames', async ({ stria, context }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('ball.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'ball.nii');
  await chooseSlices(page);
  await page.getByTestId('movie-video').click();
  await page.getByLabel('Frames per second').fill('8');
  await page.keyboard.press('Enter');
  await page.getByTestId('movie-make').click();
  await expect(page.getByTestId('movie-done')).toContainText(/4 frames in ‘ball slices\.(mp4|webm)’/);
  const name = /ball slices\.\w+/.exec(await page.getByTestId('movie-done').innerText())?.[0] ?? '';
  const bytes = readFileSync(await stria.savedFile(join(stria.folder, name)));
  const player = await context.newPage();
  const shown = await player.evaluate(async (data) => {
    const video = document.createElement('video');
    video.src = `data:video/mp4;base64,${data}`;
    await new Promise((resolve, reject) => {
      video.onloadeddata = resolve;
      video.onerror = () => reject(new Error(video.error?.message));
    });
    return [video.videoWidth, video.videoHeight, video.duration];
  }, bytes.toString('base64'));
  await player.close();
  // An odd width loses its last column.
  expect(shown).toEqual([64, 48, 0.5]);
});

test('a video without an encoder gives an error and leaves no file; the message goes with the screen', async ({ stria }) => {
  const { page } = stria;
  await page.evaluate(() => {
    VideoEncoder.isConfigSupported = async (config) => ({ supported: false, config });
  });
  await stria.dropFiles([stria.write('ball.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'ball.nii');
  await chooseSlices(page);
  await page.getByTestId('movie-video').click();
  await page.getByTestId('movie-make').click();
  const message = page.getByTestId('error-message');
  await expect(message).toContainText('This is not possible here · ball slices');
  await expect(message).toContainText('no encoder for a video of 64 × 48 pixels');
  await page.keyboard.press('ControlOrMeta+K');
  await page.keyboard.type('lab: bench');
  await page.keyboard.press('Enter');
  await expect(message).toHaveCount(0);
  expect(readdirSync(stria.folder)).toEqual(['ball.nii']);
});
