import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expectOpen } from '../support/app.ts';
import { expect, test } from '../support/test.ts';
import { nifti, shapes } from '../support/volumes.ts';

test('a session finds its volume from its own folder, also as an argument', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('shapes.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'shapes.nii');
  await page.getByTestId('slider-z').fill('5');
  mkdirSync(join(stria.folder, 'sessions'));
  const path = join(stria.folder, 'sessions', 'mine.stria-session');
  await stria.chooseSave(path);
  await stria.clickMenu('save-session');
  await stria.savedFile(path);
  await page.getByTestId('close-button').click();
  await expect(page.getByTestId('empty-state')).toBeVisible();
  await stria.openArgument(path);
  await expectOpen(page, 'shapes.nii');
  await expect(page.getByTestId('slider-z')).toHaveValue('5');
});
