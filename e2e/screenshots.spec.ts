import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expectOpen, openDetails, settledPicture } from './support/app.ts';
import { framePng } from './support/frames.ts';
import { expect, test } from './support/test.ts';
import { gzip, nifti, noise, nrrd, shapes } from './support/volumes.ts';

test.use({ sharp: true });

const folder = 'test-results/screens';
const sizes = { small: { width: 1280, height: 800 }, large: { width: 1920, height: 1080 } } as const;

// Pictures of the main states, to be looked at: nothing is compared. `npm run screenshots`.
test('screenshots', async ({ stria }, info) => {
  test.setTimeout(180_000);
  const { page } = stria;

  const keep = async (name: string): Promise<void> => {
    const file = join(folder, `${name}.png`);
    await page.screenshot({ path: file });
    await info.attach(name, { path: file, contentType: 'image/png' });
  };
  /** Both themes on a small window, and one on a large. */
  const keepAll = async (name: string, settle: () => Promise<unknown> = async () => {}): Promise<void> => {
    for (const theme of ['light', 'dark'] as const) {
      await showIn(page, theme, 'small');
      await settle();
      await keep(`${name}-${theme}-1280`);
    }
    await showIn(page, 'dark', 'large');
    await settle();
    await keep(`${name}-dark-1920`);
    await showIn(page, 'dark', 'small');
  };

  await showIn(page, 'dark', 'small');
  await expect(page.getByTestId('empty-state')).toBeVisible();
  await keepAll('empty');

  const large = { ...noise([1, 1, 1]), dims: [512, 512, 200], bytes: new Uint8Array(512 * 512 * 200) } as const;
  await stria.dropFiles([stria.write('large.nii.gz', gzip(nifti(large)))]);
  await expect(page.getByTestId('progress')).toBeVisible();
  await keep('loading-dark-1280');
  await page.getByTestId('cancel-button').click();

  await stria.dropFiles([stria.write('scan.nii.gz', gzip(nifti(shapes(64))))]);
  await expectOpen(page, 'scan.nii.gz');
  await keepAll('ready', () => settledPicture(page, '3d'));

  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('result-card')).toBeVisible();
  await keepAll('result', () => settledPicture(page, '3d'));
  await page.keyboard.press('k');
  await openDetails(page);
  await page.getByTestId('show-chunks').scrollIntoViewIfNeeded();
  await keepAll('chunks', () => settledPicture(page, '3d'));
  await page.keyboard.press('k');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await keep('keys-dark-1280');
  await page.keyboard.press('Escape');

  await page.getByTestId('lab-button').click();
  await page.getByTestId('lab-suite-codecs').click();
  for (const [list, option] of [
    ['lab-size', '16³'],
    ['lab-codec', 'raw'],
  ] as const) {
    await page.getByTestId(list).click();
    await page.getByRole('option', { name: option }).click();
  }
  await page.getByTestId('lab-run').click();
  await expect(page.getByTestId('lab-state')).toHaveAttribute('data-state', 'done');
  await keepAll('lab');
  await page.getByTestId('lab-close').click();

  const frames = Array.from({ length: 24 }, (_, index) => stria.write(`frame${index + 1}.png`, framePng(index)));
  await stria.dropFiles(frames);
  await expectOpen(page, 'frame1-stack.png');
  await page.getByTestId('play-button').click();
  await keepAll('playing', () => expect(page.getByTestId('playback-facts')).toContainText(/\d\sfps/));
  await stria.dragFiles(frames);
  await keep('drag-frames-dark-1280');
  await page.getByTestId('close-button').click();

  const queued = [stria.write('first.nii', nifti(shapes(48))), stria.write('last.nrrd', nrrd(shapes(32)))];
  queued.push(stria.write('bad.nii.gz', gzip(nifti(shapes(32))).subarray(0, 1000)));
  await stria.dragFiles(queued);
  await keep('drag-dark-1280');
  await stria.dropFiles(queued);
  await expect(page.getByTestId('queue')).toContainText('2 of 3 files compressed');
  await keepAll('queue');
  await page.getByRole('button', { name: 'Done' }).click();

  await stria.dropFiles(queued.slice(2));
  await expect(page.getByTestId('error-message')).toBeVisible();
  await keepAll('error');
  await stria.dropFiles([stria.write('voxels.raw', new Uint8Array(64 ** 3))]);
  await expect(page.getByTestId('raw-form')).toBeVisible();
  await keep('raw-dark-1280');
});

async function showIn(page: Page, colorScheme: 'light' | 'dark', size: keyof typeof sizes): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(sizes[size]);
  await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
}

test('the picture in README', async ({ stria }) => {
  test.setTimeout(180_000);
  const { page } = stria;
  await showIn(page, 'dark', 'small');
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await page
    .getByRole('group', { name: /Cosmic web/ })
    .getByRole('menuitem', { name: /^128/ })
    .click();
  await expectOpen(page, 'Cosmic web 128');
  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('result-card')).toBeVisible({ timeout: 90_000 });
  await settledPicture(page, '3d');
  await page.screenshot({ path: 'docs/images/app.png' });
});
