import type { Page } from 'playwright/test';
import { expectOpen, testHook } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, series } from './support/volumes.ts';

test.use({ viewport: { width: 400, height: 300 }, sharp: true });

/** Commands that open a system dialog, or leave no volume in view. */
const withoutPicture = [
  'open',
  'open-folder',
  'save',
  'save-session',
  'compare',
  'export-measurements',
  'report',
  'clear-recent',
  'close',
];
/** Commands that cover the view, or play, until they are run again. */
const toggles = ['lab', 'palette', 'play'];
const sharpWithinMs = 10_000;

/** Waits until nothing is left to draw and the 3D view is at full quality. */
async function expectSharp(page: Page, after: string): Promise<void> {
  const hook = await testHook(page);
  const message = `the 3D view is sharp after '${after}'`;
  await expect
    .poll(() => hook.evaluate((striaTest) => striaTest.isSharp()), { message, timeout: sharpWithinMs, intervals: [50] })
    .toBe(true);
}

test('the 3D view becomes sharp after every command', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('series.nii', nifti(series(24, 3)))]);
  await expectOpen(page, 'series.nii');
  await page.keyboard.press('1');
  await expectSharp(page, 'opening');
  const hook = await testHook(page);
  /** Runs a command and waits until its change is being drawn. */
  const run = (id: string) =>
    hook.evaluate(async (striaTest, name) => {
      if (!striaTest.runCommand(name)) return false;
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return true;
    }, id);
  const drawnFrames = () => hook.evaluate((striaTest) => striaTest.drawnFrames());
  const table = (await hook.evaluate((striaTest) => striaTest.commandIds())).filter((id) => !withoutPicture.includes(id));
  const compressing = ['compress', 'chunks', 'compare-compressed', 'compare-end'];
  const last = 'lose-device';
  for (const id of [...new Set([...compressing, ...table.filter((name) => name !== last), last])]) {
    const drawn = await drawnFrames();
    if (!(await run(id))) continue;
    if (toggles.includes(id)) {
      await page.waitForTimeout(300);
      await run(id);
    }
    if (id === 'compress') await expect(page.getByTestId('result-card')).toBeVisible();
    // A new viewer has replaced the old one, and counts from zero.
    if (id === 'lose-device') await expect.poll(drawnFrames).toBeLessThan(drawn);
    if (id === 'compare-compressed') await expect(page.getByTestId('compare-bar')).toBeVisible();
    await page.keyboard.press('Escape');
    if (/^(layout|slice)-/.test(id) && id !== 'layout-1') {
      await expectSharp(page, id);
      await run('layout-1');
    }
    await expectSharp(page, id);
  }
  await page.setViewportSize({ width: 360, height: 280 });
  await expectSharp(page, 'a smaller window');
});
