import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { canvasOf, settledPicture } from '../support/app.ts';
import { expect, test } from '../support/test.ts';
import { nifti, shapes } from '../support/volumes.ts';

test('slices become numbered pictures in a new folder; a cancelled movie leaves nothing', async ({ stria }) => {
  const { page } = stria;
  const target = join(stria.folder, 'movies');
  mkdirSync(join(target, 'ball slices'), { recursive: true });
  await stria.dropFiles([stria.write('ball.nii', nifti(shapes(16)))]);
  await expect(canvasOf(page, 'z')).toBeVisible();
  await page.keyboard.press('2');
  await settledPicture(page, 'z');
  const openDialog = async () => {
    await page.keyboard.press('ControlOrMeta+K');
    await page.keyboard.type('movie');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('movie-dialog')).toBeVisible();
  };

  await openDialog();
  await page.getByRole('radio', { name: 'Custom' }).click();
  for (const [label, length] of [
    ['Width, pixels', '64'],
    ['Height, pixels', '48'],
    ['First', '10'],
    ['Last', '7'],
  ] as const) {
    await page.getByLabel(label, { exact: true }).fill(length);
    await page.keyboard.press('Enter');
  }
  await expect(page.getByTestId('movie-dialog')).toContainText('4 PNGs, 64 × 48 pixels');
  await stria.chooseOpen([target]);
  await page.getByTestId('movie-make').click();
  await expect(page.getByTestId('movie-done')).toContainText('4 pictures in ‘ball slices (2)’');
  expect(readdirSync(target).sort()).toEqual(['ball slices', 'ball slices (2)']);
  const files = readdirSync(join(target, 'ball slices (2)')).sort();
  expect(files).toEqual([1, 2, 3, 4].map((number) => `frame-000${number}.png`));
  const frames = files.map((name) => decode(readFileSync(join(target, 'ball slices (2)', name))));
  for (const { width, height } of frames) expect([width, height]).toEqual([64, 48]);
  expect(new Set(frames.map(({ data }) => data.join())).size).toBe(4);

  await openDialog();
  await page.getByLabel('First', { exact: true }).fill('1');
  await page.keyboard.press('Enter');
  // Large frames, so that the movie takes a while.
  await page.getByRole('radio', { name: '2×' }).click();
  await stria.chooseOpen([target]);
  await page.getByTestId('movie-make').click();
  await page.getByTestId('movie-cancel').click();
  await expect(page.getByTestId('movie-running')).toHaveCount(0);
  await expect.poll(() => readdirSync(target).length).toBe(2);
});
