import { canvasOf, differingPart, drawnPart, expectOpen, pictureOf, settledPicture } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test('the 3D view has several projections, and an isosurface at any level', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('shapes.nii', nifti(shapes(32)))]);
  await expectOpen(page, 'shapes.nii');
  await page.keyboard.press('1');
  const pictures = new Map<string, Awaited<ReturnType<typeof settledPicture>>>();
  for (const name of ['Compositing', 'Maximum', 'Mean', 'Isosurface', 'Attenuated maximum']) {
    await test.step(name, async () => {
      await page.getByTestId('projection-select').click();
      await page.getByRole('option', { name, exact: true }).click();
      await expect(page.getByTestId('projection-select')).toHaveText(name);
      await expect(page.getByRole('region', { name: '3D view' })).toContainText(name.toLowerCase());
      const picture = await settledPicture(page, '3d');
      expect(drawnPart(picture)).toBeGreaterThan(0.02);
      for (const [other, known] of pictures) expect(differingPart(known, picture), `${name} and ${other}`).toBeGreaterThan(0.01);
      pictures.set(name, picture);
    });
  }

  await test.step('the level is a line on the histogram, a slider, and a surface', async () => {
    await page.getByTestId('projection-select').click();
    await page.getByRole('option', { name: 'Isosurface', exact: true }).click();
    const line = page.getByTestId('level-line');
    await page.getByTestId('histogram').scrollIntoViewIfNeeded();
    const histogram = await page.getByTestId('histogram').boundingBox();
    const held = await line.boundingBox();
    if (!histogram || !held) throw new Error('the histogram is not on the screen');
    await page.mouse.move(held.x + held.width / 2, held.y + 10);
    await page.mouse.down();
    // Above the ball's values, whose maximum is 190, only the box is left. The axis ends above 200.
    await page.mouse.move(histogram.x + (195 / 201) * histogram.width, held.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect(line).toHaveAttribute('aria-valuetext', '195');
    await expect(page.getByTestId('level-slider')).toHaveValue('195');
    const box = drawnPart(await settledPicture(page, '3d'));
    await page.getByTestId('level-slider').fill('40');
    await expect(line).toHaveAttribute('aria-valuetext', '40');
    await expect.poll(async () => drawnPart(await pictureOf(page, '3d'))).toBeGreaterThan(1.3 * box);
    await line.press('ArrowRight');
    await expect(line).not.toHaveAttribute('aria-valuetext', '40');
  });
});

test('six planes clip the 3D view, from either side', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('shapes.nii', nifti(shapes(32)))]);
  await expectOpen(page, 'shapes.nii');
  await page.keyboard.press('1');
  await page.getByTestId('projection-select').click();
  await page.getByRole('option', { name: 'Maximum', exact: true }).click();
  const whole = await settledPicture(page, '3d');
  const part = drawnPart(whole);
  // The shapes are within these bounds: the box on the left in x, the ball on the right.
  for (const [plane, inside, outside] of [
    ['clip-x-from', 2, 29],
    ['clip-x-to', 28, 1],
    ['clip-y-from', 4, 30],
    ['clip-y-to', 30, 3],
    ['clip-z-from', 3, 30],
    ['clip-z-to', 29, 2],
  ] as const) {
    await test.step(plane, async () => {
      const slider = page.getByTestId(plane);
      await slider.fill(String(inside));
      await expect.poll(async () => drawnPart(await pictureOf(page, '3d'))).toBeGreaterThan(0.8 * part);
      await slider.fill(String(outside));
      await expect.poll(async () => drawnPart(await pictureOf(page, '3d'))).toBeLessThan(0.25 * part);
      await page.getByTestId('clip-reset').click();
      await expect(page.getByTestId('clip-reset')).toBeHidden();
    });
  }
  await expect.poll(async () => differingPart(whole, await settledPicture(page, '3d'))).toBeLessThan(0.015);
});

test('the 3D view is perspective or orthographic, and rotates and zooms in both', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('shapes.nii', nifti(shapes(32)))]);
  await expectOpen(page, 'shapes.nii');
  await page.keyboard.press('1');
  const perspective = await settledPicture(page, '3d');
  const changed = async () => differingPart(perspective, await settledPicture(page, '3d'));
  await page.getByTestId('camera-orthographic').click();
  await expect.poll(changed).toBeGreaterThan(0.03);
  const orthographic = await settledPicture(page, '3d');
  expect(drawnPart(orthographic) / drawnPart(perspective)).toBeGreaterThan(0.7);
  expect(drawnPart(orthographic) / drawnPart(perspective)).toBeLessThan(1.4);
  await page.getByTestId('camera-perspective').click();
  await expect.poll(changed).toBeLessThan(0.015);

  await page.getByTestId('camera-orthographic').click();
  await canvasOf(page, '3d').hover();
  await page.mouse.wheel(0, 600);
  await expect.poll(async () => drawnPart(await pictureOf(page, '3d'))).toBeLessThan(0.8 * drawnPart(orthographic));
  await page.keyboard.press('r');
  await expect.poll(async () => differingPart(orthographic, await settledPicture(page, '3d'))).toBeLessThan(0.015);
});
