import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { canvasOf, differingPart, expectOpen, openTab, settledPicture } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, noise, placed, shapes } from './support/volumes.ts';

test.use({ asks: true });

const affine = [1, 0, 0, -16, 0, 1, 0, -16, 0, 0, 1, -16];
const scanFile = placed(nifti(shapes(32)), affine);
const otherFile = placed(nifti(shapes(32, 'i16')), affine);

test('a second file is added as a layer, compared, or opened instead, by mouse and by keyboard', async ({ stria }) => {
  const { page } = stria;
  const [scan, other] = [stria.write('scan.nii', scanFile), stria.write('other.nii', otherFile)];
  const dialog = page.getByTestId('second-dialog');
  await stria.dropFiles([scan]);
  await expectOpen(page, 'scan.nii');
  const alone = await settledPicture(page, 'z');
  const dropOther = async () => {
    await stria.dropFiles([other]);
    await expect(dialog).toContainText('other.nii');
  };

  await test.step('Escape, and a click beside the question, do nothing', async () => {
    await dropOther();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await dropOther();
    await page.mouse.click(5, 400);
    await expect(dialog).toBeHidden();
    await expect(page.getByTestId('undo-button')).toBeDisabled();
    expect(differingPart(alone, await settledPicture(page, 'z'))).toBe(0);
  });

  await test.step('as a layer, which has the keyboard first', async () => {
    await dropOther();
    await expect(page.getByTestId('second-layer')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('layer-other.nii')).toBeVisible();
    await expect(page.getByTestId('layer-facts')).toContainText('32×32×32');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(page.getByTestId('layer-other.nii')).toHaveCount(0);
  });

  await test.step('compared', async () => {
    await dropOther();
    await page.keyboard.press('Shift+Tab');
    await expect(page.getByTestId('second-compare')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('second-canvas-z')).toBeVisible();
    await expect(canvasOf(page, 'z')).toBeVisible();
  });

  await test.step('opened instead', async () => {
    await dropOther();
    await page.getByTestId('second-replace').click();
    await expectOpen(page, 'other.nii');
    await expect(page.getByTestId('second-canvas-z')).toHaveCount(0);
    await expect(page.getByTestId('undo-button')).toBeDisabled();
  });
});

test('Find… loads the layer of a session whose file moved', async ({ stria }) => {
  const { page } = stria;
  const [scan, other] = [stria.write('scan.nii', scanFile), stria.write('other.nii', otherFile)];
  await stria.dropFiles([scan]);
  await expectOpen(page, 'scan.nii');
  await stria.dropFiles([other]);
  await page.getByTestId('second-layer').click();
  await expect(page.getByTestId('layer-facts')).toBeVisible();
  const covered = await settledPicture(page, 'z');
  const session = join(stria.folder, 'scan.stria-session');
  await stria.chooseSave(session);
  await page.keyboard.press('ControlOrMeta+Shift+s');
  const saved = await stria.savedFile(session);
  await page.getByTestId('close-button').click();
  await expect(page.getByTestId('empty-state')).toBeVisible();

  // The desktop app would find it beside the session.
  rmSync(other);
  await stria.dropFiles([saved, scan]);
  await expectOpen(page, 'scan.nii');
  await expect(page.getByText('Not found: other.nii. Choose the layer in the list to find its file')).toBeVisible();
  await openTab(page, 'layers');
  const row = page.getByTestId('layer-other.nii');
  await expect(row).toContainText('Not found');
  await row.click();
  await expect(page.getByTestId('lost-files')).toHaveText('Not found: other.nii');
  await stria.chooseOpen([stria.write('wrong.nii', nifti(noise([8, 8, 8])))]);
  await page.getByTestId('layer-find').click();
  await expect(page.getByTestId('wrong-file')).toContainText(/wrong\.nii has .* bytes, not /);
  await expect(row).toContainText('Not found');
  await stria.chooseOpen([stria.write('moved.nii', otherFile)]);
  await page.getByTestId('layer-find').click();
  await expect(page.getByTestId('layer-facts')).toContainText('32×32×32');
  await expect(row).toContainText('%');
  await expect.poll(async () => differingPart(covered, await settledPicture(page, 'z'))).toBe(0);
});
