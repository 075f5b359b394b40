import type { Page } from 'playwright/test';
import { drawCoarsely, expectOpen } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, series } from './support/volumes.ts';

/** The size in CSS pixels of a window of 1280 × 800 pixels at a zoom of 125 and 200 %. */
const sizes = { '125 %': { width: 1024, height: 640 }, '200 %': { width: 640, height: 400 } } as const;
const bars = 'header, [data-testid=transport], [data-testid=compare-bar]';

test.use({ viewport: sizes['125 %'] });

test('at a zoom of 125 and 200 % no bar or dialog is cut off', async ({ stria }) => {
  const { page } = stria;
  const path = stria.write('series.nii', nifti(series(16, 3)));
  await stria.dropFiles([path]);
  await expectOpen(page, 'series.nii');
  await drawCoarsely(page);
  await expect(page.getByTestId('transport')).toBeVisible();
  const right = { x: 0.9 * sizes['125 %'].width, y: 300 };
  await stria.dropFiles([path], right);
  await expect(page.getByTestId('compare-bar')).toBeVisible();
  for (const [zoom, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    await expect.poll(() => cut(page, bars), { message: zoom }).toEqual([]);
  }
  for (const [keys, dialog] of [
    ['ControlOrMeta+,', 'settings'],
    ['ControlOrMeta+Shift+P', 'picture-dialog'],
    ['ControlOrMeta+k', 'palette'],
  ] as const) {
    await page.keyboard.press(keys);
    await expect(page.getByTestId(dialog)).toBeVisible();
    await expect.poll(() => cut(page, `[data-testid=${dialog}]`), { message: dialog }).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(page.getByTestId(dialog)).toBeHidden();
  }
});

/**
 * The controls in these parts of the page whose centre cannot be clicked, even after scrolling to them, and the page itself if
 * it scrolls sideways.
 */
function cut(page: Page, parts: string): Promise<readonly string[]> {
  return page.evaluate((selector) => {
    const controls = [...document.querySelectorAll(selector)].flatMap((part) => [
      ...part.querySelectorAll<HTMLElement>('button, input:not([type=checkbox]), [role=menuitem]'),
    ]);
    const bad = controls.filter((control) => {
      control.scrollIntoView({ block: 'nearest' });
      const { left, top, width, height } = control.getBoundingClientRect();
      const isDrawn =
        width > 0 && getComputedStyle(control).visibility === 'visible' && control.closest('[aria-hidden=true]') === null;
      const found = document.elementFromPoint(left + width / 2, top + height / 2);
      return isDrawn && !control.contains(found);
    });
    const names = bad.map((control) => control.getAttribute('aria-label') ?? control.textContent ?? control.tagName);
    return document.documentElement.scrollWidth > window.innerWidth ? ['the page', ...names] : names;
  }, parts);
}
