import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { boxOf, differingPart, expectOpen, settledPicture } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test('a session is saved, and restores the same views when it is dropped with its file', async ({ stria }) => {
  const { page } = stria;
  const volume = stria.write('shapes.nii', nifti(shapes(24)));
  await stria.dropFiles([volume]);
  await expectOpen(page, 'shapes.nii');
  await page.getByTestId('colormap-select').click();
  await page.getByRole('option', { name: 'Viridis', exact: true }).click();
  await page.getByTestId('slider-z').fill('9');
  const place = await boxOf(page, '3d');
  await page.mouse.move(place.x + 60, place.y + 120);
  await page.mouse.down();
  await page.mouse.move(place.x + 140, place.y + 90, { steps: 3 });
  await page.mouse.up();
  const slice = await settledPicture(page, 'z');
  const turned = await settledPicture(page, '3d');

  const path = join(stria.folder, 'shapes.stria-session');
  await stria.chooseSave(path);
  await page.keyboard.press('ControlOrMeta+Shift+s');
  await stria.savedFile(path);
  expect(existsSync(path)).toBe(true);
  await page.getByTestId('close-button').click();
  await expect(page.getByTestId('empty-state')).toBeVisible();

  await stria.dropFiles([path]);
  await expect(page.getByTestId('waiting')).toContainText('shapes.nii was not found');
  await stria.dropFiles([path, volume]);
  await expectOpen(page, 'shapes.nii');
  await expect(page.getByTestId('slider-z')).toHaveValue('9');
  await expect(page.getByTestId('colormap-select')).toHaveText('Viridis');
  expect(differingPart(slice, await settledPicture(page, 'z'))).toBe(0);
  expect(differingPart(turned, await settledPicture(page, '3d'))).toBe(0);
  // Restoring is not an undo step.
  await expect(page.getByTestId('undo-button')).toBeDisabled();
});
