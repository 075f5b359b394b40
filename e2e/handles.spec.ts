import { differingPart, dragHandle, expectOpen, isSettled, numberIn, screenOf, settledPicture } from './support/app.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

/** A small volume in the 3D view, drawn as fast as possible. */
async function openSmall(stria: Stria): Promise<void> {
  const { page } = stria;
  await stria.dropFiles([stria.write('shapes.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'shapes.nii');
  await page.getByTestId('quality-draft').click();
  await page.getByTestId('lighting').click();
}

test('faces are clipped by their handles, and the oblique slice is turned by its axis', async ({ stria }) => {
  const { page } = stria;
  await openSmall(stria);
  await page.keyboard.press('1');
  await page.getByTestId('box-off').click();
  const whole = await settledPicture(page, '3d');
  const face = page.getByTestId('clip-handle-x-to');
  await expect(face).toHaveCount(0);
  await page.getByTestId('clip-handles').click();
  await dragHandle(page, 'clip-handle-x-to', -60, 0);
  await expect.poll(() => numberIn(page, 'clip-x-to')).toBeLessThan(13);
  const dragged = await numberIn(page, 'clip-x-to');
  await expect(face).toHaveAttribute('aria-valuetext', `to x ${dragged + 1} of 16`);
  await face.press('ArrowLeft');
  await expect.poll(() => numberIn(page, 'clip-x-to')).toBe(dragged - 1);
  await page.getByTestId('clip-handles').click();
  await expect(face).toHaveCount(0);
  expect(differingPart(whole, await settledPicture(page, '3d'))).toBeGreaterThan(0.03);
  // A drag is one undo step, however many moves it had. The key press is another step, or part of the same one if it followed at once.
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => numberIn(page, 'clip-x-to')).toBeGreaterThanOrEqual(dragged);
  if ((await numberIn(page, 'clip-x-to')) === dragged) await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => numberIn(page, 'clip-x-to')).toBe(15);
  expect(differingPart(whole, await settledPicture(page, '3d'))).toBeLessThan(0.005);

  await page.keyboard.press('5');
  await expect(page.getByTestId('oblique-tip')).toBeVisible();
  await expect.poll(() => isSettled(page)).toBe(true);
  const hidden = { hidden: '[role=group]' };
  const before = await screenOf(page, '3d', hidden);
  await dragHandle(page, 'oblique-tip', 30, 30);
  await expect.poll(() => numberIn(page, 'oblique-tilt')).not.toBe(0);
  await expect.poll(() => isSettled(page)).toBe(true);
  // The outline of the slice is part of the picture.
  expect((await screenOf(page, '3d', hidden)).data).not.toEqual(before.data);
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => Promise.all([numberIn(page, 'oblique-turn'), numberIn(page, 'oblique-tilt')])).toEqual([0, 0]);
  await page.getByTestId('oblique-tip').press('ArrowRight');
  await expect.poll(() => numberIn(page, 'oblique-turn')).toBe(1);
});
