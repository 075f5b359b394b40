import type { Page } from 'playwright/test';
import { boxOf, drawnPart, expectOpen, isSettled, openTab, screenOf, settledPicture, squaresOf } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, noise, shapes } from './support/volumes.ts';

const viewport = { width: 960, height: 640 };
test.use({ viewport });

/** A point in the z slice, as fractions of its width and height. */
async function placeIn(page: Page, across: number, down: number): Promise<readonly [x: number, y: number]> {
  const box = await boxOf(page, 'z');
  return [box.x + across * box.width, box.y + down * box.height];
}

async function drag(page: Page, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  await page.mouse.move(...(await placeIn(page, ...from)));
  await page.mouse.down();
  await page.mouse.move(...(await placeIn(page, ...to)), { steps: 4 });
  await page.mouse.up();
}

/** The fraction of the z slice’s canvas that is not background. */
async function partInSight(page: Page): Promise<number> {
  await expect.poll(() => isSettled(page, 'z')).toBe(true);
  return drawnPart(squaresOf(await screenOf(page, 'z')));
}

test('measuring: the slice stays while an angle is drawn, and a region that extends beyond the volume says so', async ({
  stria,
}) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('scan.nii', nifti(shapes(24)))]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('2');
  await settledPicture(page, 'z');
  const before = await partInSight(page);
  await openTab(page, 'measure');
  const list = page.getByTestId('measurements');

  await test.step('the second leg follows the pointer over the slice', async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('Measure: angle');
    await page.keyboard.press('Enter');
    await drag(page, [0.4, 0.4], [0.6, 0.4]);
    await page.mouse.move(...(await placeIn(page, 0.6, 0.5)));
    expect(await partInSight(page)).toBeGreaterThan(0.9 * before);
    await page.mouse.click(...(await placeIn(page, 0.6, 0.6)));
    await expect(list).toContainText('90°');
  });

  await test.step('a rectangle that reaches out of the slice', async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('Measure: rectangle');
    await page.keyboard.press('Enter');
    await drag(page, [0.5, 0.5], [0.97, 0.7]);
    await expect(list).toContainText('partly outside the volume');
    await expect(list).toContainText(/n \d+/);
  });
});

test('a slice that is panned and zoomed away stays partly visible, and Fit brings it back', async ({ stria }) => {
  const { page } = stria;
  // No voxel is as dark as the background.
  const volume = noise([24, 24, 24]);
  await stria.dropFiles([stria.write('scan.nii', nifti({ ...volume, bytes: volume.bytes.map((value) => value | 128) }))]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('2');
  await settledPicture(page, 'z');
  const fitted = await partInSight(page);
  const fit = page.getByRole('button', { name: 'Fit the slice across z' });
  await expect(fit).toHaveCount(0);
  await page.keyboard.down('Shift');
  for (let turn = 0; turn < 3; turn++) await drag(page, [0.1, 0.5], [0.9, 0.5]);
  await page.keyboard.up('Shift');
  expect(await partInSight(page)).toBeGreaterThan(0.15);
  await fit.click();
  await expect(fit).toHaveCount(0);
  expect(await partInSight(page)).toBeCloseTo(fitted, 1);
});

test('layout 5 in a small window has sliders long enough to drag', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('scan.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('5');
  await page.setViewportSize({ width: 700, height: 500 });
  for (const slider of ['oblique-turn', 'oblique-tilt', 'slider-x', 'slider-y', 'slider-z']) {
    const width = async () => (await page.getByTestId(slider).boundingBox())?.width ?? 0;
    await expect.poll(width, { message: slider }).toBeGreaterThan(48);
    await expect(page.getByTestId(slider)).toBeInViewport({ ratio: 1 });
  }
});
