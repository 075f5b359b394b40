import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { expectOpen } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Checks the page by axe's rules in both themes. */
async function expectAccessible(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    const { violations } = await page.evaluate(async (): Promise<AxeResults> => {
      const { axe } = window as unknown as { axe: { run(): Promise<AxeResults> } };
      return axe.run();
    });
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = grave.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })));
    expect.soft(found, `${state}, ${colorScheme}`).toEqual([]);
  }
}

/** Tab, until an element has the focus. */
async function tabTo(page: Page, testId: string): Promise<void> {
  const hasFocus = () => page.evaluate((id) => document.activeElement?.getAttribute('data-testid') === id, testId);
  for (let press = 0; press < 120; press++) {
    if (await hasFocus()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${testId}`);
}

test('every state can be read and reached without a pointer', async ({ stria }) => {
  const { page } = stria;
  // The debugger may run what the page's content security policy would not.
  await page.evaluate(axeSource);

  await test.step('empty', async () => {
    await expect(page.getByTestId('empty-state')).toBeVisible();
    await expectAccessible(page, 'empty');
    await stria.chooseOpen([stria.write('scan.nii', nifti(shapes(32)))]);
    await tabTo(page, 'open-button');
    await page.keyboard.press('Enter');
    await expectOpen(page, 'scan.nii');
  });

  await test.step('ready', async () => {
    await expectAccessible(page, 'ready');
    await tabTo(page, 'slider-z');
    await page.keyboard.press('ArrowRight');
    await expect(page.getByTestId('slider-z')).toHaveValue('17');
    await tabTo(page, 'compress-button');
    await page.keyboard.press('Enter');
  });

  await test.step('result', async () => {
    await expect(page.getByTestId('result-card')).toBeVisible();
    await expectAccessible(page, 'result');
    await tabTo(page, 'save-button');
  });

  await test.step('the player', async () => {
    await tabTo(page, 'play-z');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'true');
    await tabTo(page, 'play-button');
    await page.keyboard.press('Space');
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'false');
    await expectAccessible(page, 'player');
    await tabTo(page, 'scrubber');
    await page.keyboard.press('End');
    await expect(page.getByTestId('slider-z')).toHaveValue('31');
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByTestId('slider-z')).toHaveValue('30');
    await tabTo(page, 'end-loop');
    // Within a group arrows choose, and do not step.
    await page.keyboard.press('ArrowRight');
    await expect(page.getByTestId('slider-z')).toHaveValue('30');
    await tabTo(page, 'transport-close');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('transport')).toBeHidden();
  });

  await test.step('the sheet of keys, the palette, and Escape', async () => {
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard and pointer' });
    await expect(sheet).toContainText('Compress');
    await expectAccessible(page, 'sheet of keys');
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
    await page.keyboard.press('ControlOrMeta+k');
    await expect(page.getByTestId('palette')).toBeVisible();
    await page.keyboard.type('3D alone');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('palette')).toBeHidden();
    await expect(page.getByTestId('canvas-z')).toBeHidden();
    await expect(page.getByTestId('canvas-3d')).toBeVisible();
  });

  await test.step('an error', async () => {
    await stria.dropFiles([stria.write('empty.nii', '')]);
    await expect(page.getByTestId('error-message')).toBeVisible();
    await expectAccessible(page, 'error');
  });
});
