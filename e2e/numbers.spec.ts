import { canvasOf, factsOf, plain, probeAt } from './support/app.ts';
import { type OddName, oddNifti, oddVolume } from './support/odd-volumes.ts';
import { expect, type Stria, test } from './support/test.ts';

test.use({ viewport: { width: 1280, height: 800 } });

/** Opens one of the volumes whose values are hard to show, with the slices alone: no spec here looks at the 3D view. */
async function open(stria: Stria, name: OddName): Promise<void> {
  await stria.dropFiles([stria.write(`${name}.nii`, oddNifti(name))]);
  await expect(stria.page.getByRole('heading', { level: 1 })).toContainText(`${name}.nii`);
  await expect(stria.page.getByTestId('volume-facts')).toBeVisible();
  await stria.page.keyboard.press('2');
  await expect(canvasOf(stria.page, 'z')).toBeVisible();
}

test('values are shown exactly, and ranges by as many digits as tell their ends apart', async ({ stria }) => {
  const { page } = stria;
  const ranges: Partial<Record<OddName, string>> = {
    offset: '1000000.25 to 1000008',
    'near-2^32': '4294967095 to 4294967295',
    tiny: '0 to 6.2e-13',
    constant: '42 everywhere',
    nan: 'none is a number',
    'negative-slope': '922.5 to 1000',
  };
  for (const [name, range] of Object.entries(ranges) as [OddName, string][]) {
    await open(stria, name);
    expect((await factsOf(page.getByTestId('volume-facts'))).Values, name).toBe(range);
    if (name === 'nan') continue;
    const { voxel, stored } = await probeAt(page, 'z', 0.6, 0.45);
    expect(Math.fround(stored), name).toBe(Math.fround(oddVolume(name).voxel(...voxel)));
    if (name === 'offset') expect(plain((await page.getByTestId('probe').textContent()) ?? '')).toMatch(/1000\d{3}\.\d/);
  }
});

test('Window and Level take any number as people write it, refuse in words what is none, and are not changed by being passed', async ({
  stria,
}) => {
  const { page } = stria;
  const windowField = page.getByRole('textbox', { name: 'Window' });
  const levelField = page.getByRole('textbox', { name: 'Level' });
  const undo = page.getByTestId('undo-button');

  await test.step('passing through shows all of it and changes nothing', async () => {
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

  await test.step('what is no number stays there with the reason, and Escape takes it back', async () => {
    await windowField.fill('wide');
    await windowField.press('Tab');
    await expect(windowField).toHaveValue('wide');
    await expect(windowField).toHaveAttribute('aria-invalid', 'true');
    await expect(windowField).toHaveAccessibleDescription('‘wide’ is not a number');
    await windowField.press('Escape');
    await expect(windowField).toHaveValue('2510.5');
    await windowField.fill('0');
    await windowField.press('Enter');
    await expect(page.getByText('A window is wider than 0')).toBeVisible();
    await windowField.press('Escape');
    await expect(windowField).not.toHaveAttribute('aria-invalid');
  });
});
