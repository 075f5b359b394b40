import type { Page } from 'playwright/test';
import { canvasOf, choose, expectOpen, gpuMemory, openTab, plain } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

const viewport = { width: 960, height: 640 };
test.use({ viewport });

const side = 16;
/** Where the second volume differs, and by how much. */
const [x, y, z, by] = [3, 4, 5, 9];

test('a volume and a copy with one changed voxel: linked side by side, the voxel is found; a compressed volume is identical', async ({
  stria,
}) => {
  const { page } = stria;
  const volume = shapes(side);
  const changed = volume.bytes.slice();
  const at = (z * side + y) * side + x;
  changed[at] = (volume.bytes[at] as number) + by;
  const [one, two] = [stria.write('one.nii', nifti(volume)), stria.write('two.nii', nifti({ ...volume, bytes: changed }))];
  await stria.dropFiles([one]);
  await expectOpen(page, 'one.nii');
  await page.keyboard.press('2');
  const rightThird = { x: 0.85 * viewport.width, y: viewport.height / 2 };

  await test.step('a drop on the right third compares', async () => {
    await stria.dragFiles([two], rightThird);
    await expect(page.getByTestId('drop-compare')).toBeVisible();
    await stria.dropFiles([two], rightThird);
    await expect(page.getByTestId('compare-bar')).toContainText('one.nii and two.nii');
    await expect(page.getByTestId('second-canvas-z')).toBeVisible();
    await expect(canvasOf(page, 'z')).toBeVisible();
  });

  await test.step('each follows the other until they are unlinked', async () => {
    await page.getByTestId('slider-z').fill('2');
    await expect(slice(page, 'second-')).toHaveValue('2');
    await page.getByTestId('second-slider-z').fill('11');
    await expect(slice(page)).toHaveValue('11');
    await page.getByText('Link views').click();
    await page.getByTestId('slider-z').fill('4');
    await expect(slice(page, 'second-')).toHaveValue('11');
    await page.getByText('Link views').click();
    await expect(slice(page, 'second-')).toHaveValue('4');
  });

  await test.step('the difference counts the voxel, says where it is, and goes there', async () => {
    await page.getByTestId('compare-difference').click();
    const words = page.getByTestId('difference');
    await expect(words).toBeVisible();
    expect(plain((await words.textContent()) ?? '')).toContain(
      `1 of ${side ** 3} voxels differ · largest ${by} at x ${x + 1}  y ${y + 1}  z ${z + 1} · mean`,
    );
    await page.getByTestId('go-to-largest').click();
    await expect(slice(page)).toHaveValue(String(z));
    await expect(slice(page, 'second-')).toHaveValue(String(z));
  });

  await test.step('stopping frees the memory', async () => {
    await page.getByTestId('compare-end').click();
    await expect(page.getByTestId('second-canvas-z')).toHaveCount(0);
    await expect.poll(() => gpuMemory(page, 'volume.box')).toBe(side ** 3);
  });

  await test.step('a compressed volume, restored, is identical bit for bit', async () => {
    await choose(page, 'codec-select', 'rle');
    await page.getByTestId('compress-button').click();
    await page.getByTestId('compare-compressed').click();
    await expect(page.getByTestId('difference')).toContainText('Identical, bit for bit');
  });
});

test('the difference also works for volumes kept compressed; if it is not possible, a message says why', async ({ stria }) => {
  const { page } = stria;
  const volume = shapes(side);
  const changed = volume.bytes.slice();
  changed[(z * side + y) * side + x] = volume.voxel(x, y, z) + by;
  const [one, two, other] = [
    stria.write('one.nii', nifti(volume)),
    stria.write('two.nii', nifti({ ...volume, bytes: changed })),
    stria.write('other.nii', nifti(shapes(side, 'i16'))),
  ];
  const rightThird = { x: 0.85 * viewport.width, y: viewport.height / 2 };
  await stria.dropFiles([one]);
  await expectOpen(page, 'one.nii');
  await page.keyboard.press('2');
  await choose(page, 'codec-select', 'rle');
  await openTab(page, 'gpu');
  await page.getByTestId('keep-compressed').click();
  await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed');

  await test.step('compared with its source, which is read again', async () => {
    await page.getByTestId('compress-button').click();
    await page.getByTestId('compare-compressed').click();
    await expect(page.getByTestId('compare-bar')).toContainText('one.nii, read again');
    await expect(page.getByTestId('difference')).toContainText('Identical, bit for bit');
    await page.getByTestId('compare-end').click();
  });

  await stria.dropFiles([two], rightThird);
  await page.getByTestId('compare-difference').click();
  await expect(page.getByTestId('difference')).toBeVisible();
  expect(plain((await page.getByTestId('difference').textContent()) ?? '')).toContain(
    `1 of ${side ** 3} voxels differ · largest ${by} at x ${x + 1}  y ${y + 1}  z ${z + 1} · mean`,
  );
  await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed');

  await stria.dropFiles([other], rightThird);
  await expect(page.getByTestId('compare-bar')).toContainText('other.nii');
  // The new comparison begins side by side.
  await expect(page.getByTestId('second-canvas-z')).toBeVisible();
  await page.getByTestId('compare-difference').click();
  await expect(page.getByTestId('difference-refused')).toHaveText(
    'The difference cannot be computed, because their voxel types differ: u8 and i16',
  );
});

function slice(page: Page, prefix = '') {
  return page.getByTestId(`${prefix}slider-z`);
}
