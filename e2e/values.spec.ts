import { boxOf, differingPart, expectOpen, pictureOf, plain, settledPicture } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

/** Shapes in signed 16 bits that start at −1000, like a CT. */
function scan() {
  const volume = shapes(24, 'i16');
  const stored = new Int16Array(volume.bytes.slice().buffer).map((value) => value - 700);
  return { ...volume, bytes: new Uint8Array(stored.buffer) };
}

test('values become colours: opacity points, CT presets, colormaps and values outside the window', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('ct.nii', nifti(scan()))]);
  await expectOpen(page, 'ct.nii');
  const points = page.getByRole('slider', { name: /^Opacity point/ });
  const windowField = page.getByRole('textbox', { name: 'Window' });
  const levelField = page.getByRole('textbox', { name: 'Level' });

  await test.step('opacity points are added, moved and removed, and the 3D view follows', async () => {
    await page.keyboard.press('1');
    const before = await settledPicture(page, '3d');
    const count = await points.count();
    const plot = await page.getByTestId('histogram').boundingBox();
    if (!plot) throw new Error('the histogram is not on the screen');
    await page.mouse.dblclick(plot.x + 0.5 * plot.width, plot.y + 12);
    await expect(points).toHaveCount(count + 1);
    await page.getByTestId('opacity-reset').click();
    await expect(points).toHaveCount(count);
    await points.nth(1).focus();
    await page.keyboard.press('Delete');
    await expect(points).toHaveCount(count - 1);
    await page.keyboard.press('Insert');
    await expect(points).toHaveCount(count);
    await page.getByTestId('opacity-reset').click();
    for (const point of (await points.all()).slice(1)) {
      await point.focus();
      for (let step = 0; step < 10; step++) await page.keyboard.press('Shift+ArrowDown');
      await expect(point).toHaveAttribute('aria-valuenow', '0');
    }
    await expect.poll(async () => differingPart(before, await pictureOf(page, '3d'))).toBeGreaterThan(0.02);
    await page.getByTestId('opacity-reset').click();
    await expect.poll(async () => differingPart(before, await pictureOf(page, '3d'))).toBeLessThan(0.02);
  });

  await test.step('windows for tissues, and by dragging with W', async () => {
    await page.keyboard.press('2');
    await settledPicture(page, 'z');
    await page.getByTestId('window-presets').click();
    await page.getByRole('menuitem', { name: /^Lung/ }).click();
    await expect(windowField).toHaveValue('1500');
    expect(plain(await levelField.inputValue())).toBe('-600');
    const slice = await boxOf(page, 'z');
    const [x, y] = [slice.x + slice.width / 2, slice.y + slice.height / 2];
    await page.keyboard.press('w');
    await expect(page.getByTestId('tool-window')).toBeChecked();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y, { steps: 3 });
    await page.mouse.up();
    await expect.poll(async () => Number(await windowField.inputValue())).toBeGreaterThan(1600);
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('tool-pointer')).toBeChecked();
    await page.keyboard.press('Shift+W');
    await expect.poll(async () => Number(await windowField.inputValue())).toBeLessThan(1500);
  });

  await test.step('colormaps, inverted, with values outside the window marked', async () => {
    const gray = await settledPicture(page, 'z');
    await page.getByTestId('colormap-inverted').click();
    await expect.poll(async () => differingPart(gray, await pictureOf(page, 'z'))).toBeGreaterThan(0.1);
    await page.getByTestId('colormap-inverted').click();
    await expect.poll(async () => differingPart(gray, await pictureOf(page, 'z'))).toBe(0);
    await windowField.fill('20');
    await windowField.press('Tab');
    const isBlue = async () => (await pictureOf(page, 'z')).some(([red, , blue]) => blue > 200 && red < 100);
    expect(await isBlue()).toBe(false);
    await page.getByTestId('outside-below').click();
    await page.getByRole('option', { name: 'Marked' }).click();
    await expect.poll(isBlue).toBe(true);
    await page.getByTestId('counts-linear').click();
    await expect(page.getByTestId('counts-linear')).toBeChecked();
  });
});
