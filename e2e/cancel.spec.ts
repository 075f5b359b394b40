import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { expectOpen, openDetails } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { gzip, nifti, noise } from './support/volumes.ts';

/**
 * How long Cancel may take, in milliseconds. The promise is 100 ms on a GPU. On SwiftShader, the page shares two cores with the
 * GPU, and a step of its work occupies them for longer.
 */
const answerMs = 1000;

test('Cancel stops compressing at once, and it can start again; an earlier result is kept', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('noise.nii', nifti(noise([160, 160, 160])))]);
  await expectOpen(page, 'noise.nii');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByTestId('notice')).toHaveText('Nothing to save yet: compress the volume first (C)');
  await page.getByTestId('compress-button').click();
  await expectHalfWay(page);
  expect(await msUntil(page, 'cancel-button', 'compress-button')).toBeLessThan(answerMs);
  await expect(page.getByTestId('compress-button')).toHaveText('Compress');
  await expect(page.getByTestId('progress')).toBeHidden();
  await expect(page.getByTestId('error-message')).toBeHidden();
  expect(readdirSync(stria.folder)).toEqual(['noise.nii']);

  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU', { timeout: 60_000 });
  const size = await page.getByTestId('result-size').textContent();
  await page.getByTestId('compress-button').click();
  await expectHalfWay(page);
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByTestId('notice')).toHaveText('Nothing to save yet: compression is still running');
  expect(await msUntil(page, 'cancel-button', 'compress-button')).toBeLessThan(answerMs);
  await expect(page.getByTestId('compress-button')).toHaveText('Compress again');
  await expect(page.getByTestId('result-size')).toHaveText(size ?? '');
  await openDetails(page);
  await stria.chooseSave(join(stria.folder, 'noise.stria'));
  await page.keyboard.press('ControlOrMeta+s');
  await stria.savedFile(join(stria.folder, 'noise.stria'));
});

test('Cancel stops loading at once, and the next file opens', async ({ stria }) => {
  const { page } = stria;
  // Fast to create, slow to unpack.
  const large = { ...noise([1, 1, 1]), dims: [512, 512, 400], bytes: new Uint8Array(512 * 512 * 400) } as const;
  await stria.dropFiles([stria.write('large.nii.gz', gzip(nifti(large)))]);
  await expectHalfWay(page);
  expect(await msUntil(page, 'cancel-button', 'empty-state')).toBeLessThan(answerMs);
  await stria.dropFiles([stria.write('small.nii', nifti(noise([32, 32, 32])))]);
  await expectOpen(page, 'small.nii');
  expect(readdirSync(stria.folder).sort()).toEqual(['large.nii.gz', 'small.nii']);
});

/** Waits until a part of the work is done, but not all. */
async function expectHalfWay(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const bar = document.querySelector('[role="progressbar"][aria-valuenow]');
    const percent = Number(bar?.getAttribute('aria-valuenow') ?? 0);
    return percent > 0 && percent < 100;
  });
}

/** Clicks a button in the page and returns the milliseconds until an element appears. */
function msUntil(page: Page, button: string, element: string): Promise<number> {
  return page.evaluate(
    async ([pressed, awaited]) => {
      const find = (id: string) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
      const start = performance.now();
      find(pressed)?.click();
      while (!find(awaited)) await new Promise(requestAnimationFrame);
      return performance.now() - start;
    },
    [button, element] as const,
  );
}
