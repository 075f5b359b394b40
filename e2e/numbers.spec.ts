import type { Locator } from 'playwright/test';
import { canvasOf, openTab, plain, probeAt, volumeFacts } from './support/app.ts';
import { type OddName, oddNifti, oddVolume } from './support/odd-volumes.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, series } from './support/volumes.ts';

test.use({ viewport: { width: 1280, height: 600 } });

/** Opens one of the volumes whose values are hard to show, with slices only, since these specs do not need the 3D view. */
async function open(stria: Stria, name: OddName): Promise<void> {
  await stria.dropFiles([stria.write(`${name}.nii`, oddNifti(name))]);
  await expect(stria.page.getByRole('heading', { level: 1 })).toContainText(`${name}.nii`);
  await expect(stria.page.getByTestId('compress-button')).toBeVisible();
  await stria.page.keyboard.press('2');
  await expect(canvasOf(stria.page, 'z')).toBeVisible();
}

test('values are shown exactly, and ranges with enough digits to tell their ends apart', async ({ stria }) => {
  const { page } = stria;
  const ranges: Partial<Record<OddName, string>> = {
    offset: '1000000.25 to 1000008',
    'near-2^32': '4294967095 to 4294967295',
    tiny: '0 to 6.2e-13',
    constant: '42 everywhere',
    nan: 'no finite values',
    'negative-slope': '922.5 to 1000',
  };
  for (const [name, range] of Object.entries(ranges) as [OddName, string][]) {
    await open(stria, name);
    expect((await volumeFacts(page)).Values, name).toBe(range);
    if (name === 'nan') continue;
    const { voxel, stored } = await probeAt(page, 'z', 0.6, 0.45);
    expect(Math.fround(stored), name).toBe(Math.fround(oddVolume(name).voxel(...voxel)));
    if (name === 'offset') expect(plain((await page.getByTestId('probe').textContent()) ?? '')).toMatch(/1000\d{3}\.\d/);
  }
});

test('Window and Level accept common number notations, reject others with a message, and do not change when tabbed through', async ({
  stria,
}) => {
  const { page } = stria;
  const windowField = page.getByRole('textbox', { name: 'Window' });
  const levelField = page.getByRole('textbox', { name: 'Level' });
  const undo = page.getByTestId('undo-button');

  await test.step('tabbing through shows all digits and changes nothing', async () => {
    for (const name of ['offset', 'extreme', 'tiny'] as const) {
      await open(stria, name);
      await windowField.focus();
      for (let field = 0; field < 3; field++) await page.keyboard.press('Tab');
      await expect(undo, name).not.toHaveAccessibleName('Undo: window and level');
      for (const field of [windowField, levelField]) {
        const isClipped = await field.evaluate((input: HTMLInputElement) => input.scrollWidth > input.clientWidth);
        expect(isClipped, `${name}: ${await field.inputValue()}`).toBe(false);
      }
    }
    await expect(windowField).toHaveValue(/^\d(\.\d+)?e-13$/);
  });

  await test.step('exponents, decimal commas and spaces', async () => {
    await levelField.fill('6e-13');
    await levelField.press('Enter');
    await expect(levelField).toHaveValue('6e-13');
    await expect(undo).toHaveAccessibleName('Undo: window and level');
    await windowField.fill('1e9');
    await windowField.press('Tab');
    await expect(windowField).toHaveValue('1000000000');
    await windowField.fill('2 500,5');
    await windowField.press('Tab');
    await expect(windowField).toHaveValue('2500.5');
    await windowField.press('ArrowUp');
    await expect(windowField).toHaveValue('2510.5');
  });

  await test.step('invalid text stays with the reason, and Escape restores the value', async () => {
    await windowField.fill('wide');
    await windowField.press('Tab');
    await expect(windowField).toHaveValue('wide');
    await expect(windowField).toHaveAttribute('aria-invalid', 'true');
    await expect(windowField).toHaveAccessibleDescription('‘wide’ is not a number');
    await windowField.press('Escape');
    await expect(windowField).toHaveValue('2510.5');
    await windowField.fill('0');
    await windowField.press('Enter');
    await expect(page.getByText('The window must be wider than 0')).toBeVisible();
    await windowField.press('Escape');
    await expect(windowField).not.toHaveAttribute('aria-invalid');
  });
});

test('the histogram’s axis fits the values, zooms by wheel and keys, and its handles take small and large steps', async ({
  stria,
}) => {
  const { page } = stria;
  const numbers = page.getByTestId('histogram-numbers');
  const shownNumbers = async () => (await numbers.locator('span').allTextContents()).map(plain);
  const low = page.getByTestId('window-low');
  const high = page.getByTestId('window-high');
  const whole = page.getByTestId('histogram-whole');
  const valueAt = async (handle: Locator) => Number(await handle.getAttribute('aria-valuenow'));

  await test.step('32 integers fill the axis, and physical values run upwards', async () => {
    await open(stria, 'negative-slope');
    await expect.poll(shownNumbers).toEqual(['940', '960', '980']);
    expect(await high.getAttribute('aria-valuemin')).toBe('920');
    expect(await high.getAttribute('aria-valuemax')).toBe('1000');
  });

  await test.step('keys move the edges by one, and by ten with Shift', async () => {
    await open(stria, 'near-2^32');
    await low.focus();
    const start = await valueAt(low);
    await page.keyboard.press('ArrowRight');
    expect(await valueAt(low)).toBe(start + 1);
    await page.keyboard.press('Shift+ArrowRight');
    expect(await valueAt(low)).toBe(start + 11);
    await page.keyboard.press('Home');
    expect(await valueAt(low)).toBe(2 ** 32 - 201);
  });

  await test.step('the wheel zooms around the pointer, and a button resets it', async () => {
    await open(stria, 'offset');
    const before = await shownNumbers();
    const plot = await page.getByTestId('histogram').boundingBox();
    if (!plot) throw new Error('the histogram is not on the screen');
    await page.mouse.move(plot.x + plot.width / 2, plot.y + 40);
    await expect(whole).toBeHidden();
    await page.mouse.wheel(0, -600);
    await expect(whole).toBeVisible();
    await expect.poll(shownNumbers).not.toEqual(before);
    expect((await shownNumbers()).join(' ')).toMatch(/^100000\d(\.\d+)?( 100000\d(\.\d+)?)+$/);
    await whole.click();
    await expect.poll(shownNumbers).toEqual(before);
    await expect(whole).toBeHidden();
  });

  await test.step('keys zoom around a handle, whose steps become smaller', async () => {
    await open(stria, 'some-nan');
    await page.getByTestId('window-presets').click();
    await page.getByRole('menuitem', { name: /^Minimum to maximum/ }).click();
    await high.focus();
    const start = await valueAt(high);
    await page.keyboard.press('ArrowLeft');
    expect(start - (await valueAt(high))).toBeCloseTo(1, 6);
    for (let step = 0; step < 6; step++) await page.keyboard.press('+');
    await page.keyboard.press('ArrowLeft');
    expect(start - (await valueAt(high))).toBeCloseTo(1.01, 6);
    await page.keyboard.press('0');
    await expect(whole).toBeHidden();
  });
});

test('a click on the opacity line adds a point, Delete removes it, and a hint says so', async ({ stria }) => {
  const { page } = stria;
  const points = page.getByRole('slider', { name: /^Opacity point/ });
  await open(stria, 'offset');
  await expect(page.getByText('Click the line to add a point. Delete removes it.')).toBeVisible();
  const count = await points.count();
  const [from, to] = [await points.nth(1).boundingBox(), await points.nth(2).boundingBox()];
  if (!from || !to) throw new Error('the points are not on the screen');
  const middle = (edge: 'x' | 'y') => (from[edge] + to[edge]) / 2 + from.width / 2;
  await page.mouse.click(middle('x'), middle('y'));
  await expect(points).toHaveCount(count + 1);
  await expect(points.nth(2)).toBeFocused();
  await page.keyboard.press('Delete');
  await expect(points).toHaveCount(count);
});

test('a window outside the values, or far too wide, gives a warning, and Auto fixes it', async ({ stria }) => {
  const { page } = stria;
  const levelField = page.getByRole('textbox', { name: 'Level' });
  const windowField = page.getByRole('textbox', { name: 'Window' });
  const trouble = page.getByTestId('window-trouble');
  await open(stria, 'some-nan');
  const level = await levelField.inputValue();
  await expect(trouble).toBeHidden();
  await levelField.fill('1e39');
  await levelField.press('Enter');
  await expect(page.getByText('Too large for a window')).toBeVisible();
  await levelField.press('Escape');
  await levelField.fill('99 999');
  await levelField.press('Enter');
  await expect(trouble).toContainText('All values lie below the window.');
  await page.getByTestId('window-trouble-auto').click();
  await expect(trouble).toBeHidden();
  await expect(levelField).toHaveValue(level);
  await open(stria, 'constant');
  await windowField.fill('1e9');
  await windowField.press('Enter');
  await expect(trouble).toBeHidden();
});

test('slices, voxels and time points are counted from 1 wherever they are shown', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('series.nii', nifti(series(12, 3)))]);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('series.nii');
  await page.keyboard.press('2');
  const slider = page.getByTestId('slider-z');
  const number = page.locator('[data-axis=z]').getByText(/^\d+\s\/\s12$/);
  await slider.fill('0');
  await expect(number).toHaveText(/^1\s\/\s12$/);
  await expect(slider).toHaveAttribute('aria-valuetext', 'slice 1 of 12');
  await slider.press('End');
  await expect(number).toHaveText(/^12\s\/\s12$/);
  await page.getByRole('application', { name: /^Slice across z/ }).focus();
  for (let step = 0; step < 12; step++) await page.keyboard.press('ArrowLeft');
  await expect(page.getByTestId('probe')).toContainText(/x (1|12) {2}y 7 {2}z 12/);
  await openTab(page, 'volume');
  await expect(page.getByTestId('time-slider')).toHaveAttribute('aria-valuetext', '1 of 3');
  await expect(page.getByTestId('frame-number')).toHaveText(/^1\s\/\s3$/);
  await openTab(page, 'display');
  await expect(page.getByTestId('clip-x-from')).toHaveAttribute('aria-valuetext', '1 of 12');
});
