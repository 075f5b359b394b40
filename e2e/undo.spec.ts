import { differingPart, expectOpen, pictureOf, settledPicture } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test('window, colormap and layout are undone and redone, with the same pictures', async ({ stria }) => {
  const { page } = stria;
  const undo = page.getByTestId('undo-button');
  const redo = page.getByTestId('redo-button');
  await stria.dropFiles([stria.write('shapes.nii', nifti(shapes(24)))]);
  await expectOpen(page, 'shapes.nii');
  await expect(undo).toBeDisabled();
  await page.keyboard.press('2');
  const before = await settledPicture(page, 'z');

  await page.getByTestId('colormap-select').click();
  await page.getByRole('option', { name: 'Viridis', exact: true }).click();
  const window = page.getByRole('textbox', { name: 'Window' });
  const width = await window.inputValue();
  await window.fill('40');
  await window.press('Tab');
  await expect(undo).toHaveAccessibleName('Undo: window and level');
  await page.getByTestId('layout-3d').click();
  await expect(undo).toHaveAccessibleName('Undo: layout');

  await page.keyboard.press('ControlOrMeta+z');
  await expect(redo).toHaveAccessibleName('Redo: layout');
  const changed = await settledPicture(page, 'z');
  expect(differingPart(before, changed)).toBeGreaterThan(0.02);
  await undo.click();
  await expect(window).toHaveValue(width);
  await undo.click();
  await expect(page.getByTestId('colormap-select')).not.toHaveText('Viridis');
  await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBe(0);

  for (let step = 0; step < 2; step++) await page.keyboard.press('ControlOrMeta+Shift+z');
  await expect(window).toHaveValue('40');
  await expect.poll(async () => differingPart(changed, await pictureOf(page, 'z'))).toBe(0);
  await redo.click();
  await expect(redo).toBeDisabled();
  await expect(page.getByTestId('canvas-z')).toBeHidden();

  // In a text field, the shortcuts belong to the field.
  await window.fill('77');
  await window.press('ControlOrMeta+z');
  await expect(undo).toHaveAccessibleName('Undo: layout');
});
