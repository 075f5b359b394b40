import { choose, drawCoarsely, expectOpen, openDetails, openTab } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test.use({ viewport: { width: 960, height: 800 } });

const choices = ['codec-select', 'prefer-select', 'axis-select', 'effort-select', 'compress-button'] as const;
const result = ['result-ratio', 'result-size', 'result-exact', 'save-button'] as const;

test('compressing and its result are visible beside any tab, and at the top in a low window; tab and folds are remembered', async ({
  stria,
}) => {
  const { page } = stria;
  const path = stria.write('scan.nii', nifti(shapes(24)));
  const expectInSight = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await expect(page.getByTestId(id), id).toBeInViewport({ ratio: 1 });
  };
  await stria.dropFiles([path]);
  await expectOpen(page, 'scan.nii');
  await drawCoarsely(page);
  await expectInSight(choices);
  await choose(page, 'codec-select', 'rle');
  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('result-card')).toBeVisible();
  await choose(page, 'codec-select', 'Automatic');
  for (const tab of ['measure', 'volume', 'gpu', 'display'] as const) {
    await openTab(page, tab);
    await expectInSight([...choices, ...result]);
  }
  await openDetails(page);
  await openTab(page, 'volume');

  await page.setViewportSize({ width: 640, height: 400 });
  await expectInSight(choices);
  await page.getByTestId('tab-gpu').scrollIntoViewIfNeeded();
  await expectInSight(['tab-gpu']);

  await page.reload();
  await stria.dropFiles([path]);
  await expectOpen(page, 'scan.nii');
  await expect(page.getByTestId('tab-volume')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('c');
  await expect(page.getByTestId('chunk-table')).toBeVisible();
});
