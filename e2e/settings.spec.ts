import { expectOpen, volumeFacts } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test('settings apply at once, are remembered, and can be reset', async ({ stria }) => {
  const { page } = stria;
  const path = stria.write('shapes.nii', nifti(shapes(16)));
  await stria.dropFiles([path]);
  await expectOpen(page, 'shapes.nii');
  const settings = page.getByTestId('settings');
  const choose = (name: string) => settings.getByRole('radio', { name, exact: true }).click();
  const facts = () => volumeFacts(page);
  expect((await facts()).Spacing).toBe('1.5 × 1.5 × 2mm');

  await page.keyboard.press('ControlOrMeta+,');
  await expect(settings).toBeVisible();
  await choose('Light');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await choose('Gray');
  await choose('µm');
  await choose('kB, MB, GB');
  await settings.getByTestId('prefer-select').click();
  await page.getByRole('option', { name: 'Speed' }).click();
  await choose('Limit');
  const budget = settings.getByRole('textbox', { name: 'GPU memory limit, MiB' });
  await budget.fill('100');
  await budget.press('Tab');
  await expect(budget).toHaveValue('100');
  await page.keyboard.press('Escape');
  await expect(settings).toBeHidden();
  await expect(page.getByTestId('prefer-select')).toHaveText('Speed');
  expect((await facts()).Spacing).toBe('1500 × 1500 × 2000µm');

  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect(page.locator('html')).toHaveAttribute('data-ground', 'gray');
  await page.keyboard.press('ControlOrMeta+,');
  await expect(budget).toHaveValue('100');
  await settings.getByTestId('settings-reset').click();
  await expect(budget).toBeHidden();
  await expect(page.locator('html')).toHaveAttribute('data-ground', 'near-black');
  await expect(settings.getByTestId('prefer-select')).toHaveText('Balanced');
});
