import { boxOf, expectOpen, openTab } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test('opening or closing asks before measurements are lost', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('first.nii', nifti(shapes(24)))]);
  await expectOpen(page, 'first.nii');
  await openTab(page, 'measure');
  await page.getByTestId('tool-distance').click();
  const place = await boxOf(page, 'z');
  await page.mouse.move(place.x + 0.4 * place.width, place.y + 0.5 * place.height);
  await page.mouse.down();
  await page.mouse.move(place.x + 0.6 * place.width, place.y + 0.5 * place.height, { steps: 3 });
  await page.mouse.up();
  const list = page.getByTestId('measurements');
  await expect(list).toContainText('slice z');

  const second = stria.write('second.nii', nifti(shapes(16)));
  await stria.dropFiles([second]);
  await expect(page.getByTestId('leave-dialog')).toContainText('Measurements have not been saved');
  await page.getByTestId('leave-stay').click();
  await expect(page.getByTestId('leave-dialog')).toBeHidden();
  await expectOpen(page, 'first.nii');
  await expect(list).toContainText('slice z');

  await page.getByTestId('close-button').click();
  await page.keyboard.press('Escape');
  await expectOpen(page, 'first.nii');
  await stria.dropFiles([second]);
  await page.getByTestId('leave-anyway').click();
  await expectOpen(page, 'second.nii');
  // Without measurements nobody is asked.
  await page.getByTestId('close-button').click();
  await expect(page.getByTestId('empty-state')).toBeVisible();
});
