import type { Page } from 'playwright/test';
import {
  boxOf,
  canvasOf,
  differingPart,
  drawCoarsely,
  expectOpen,
  pictureOf,
  probeAt,
  settledPicture,
  type View,
  volumeFacts,
} from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test.use({ sharp: true });

const views: readonly View[] = ['3d', 'x', 'y', 'z'];

test('a dropped volume is shown in 3D and in slices, with exact values', async ({ stria }) => {
  const { page } = stria;
  const volume = shapes(64, 'i16');
  await stria.dropFiles([stria.write('scan.nii', nifti(volume, { slope: 0.5, intercept: -1000 }))]);
  await expectOpen(page, 'scan.nii');

  await test.step('the facts are those of the file', async () => {
    expect(await volumeFacts(page)).toMatchObject({
      Format: 'NIfTI',
      Dimensions: '64 × 64 × 64',
      Type: 'i16 · signed 16-bit',
      Spacing: '1.5 × 1.5 × 2mm',
      Orientation: 'LAS',
      // Stored values are −300 to 7 × 200 + 6 − 300.
      Values: '-1150 to -447',
      Scaling: '× 0.5 - 1000',
      Size: '512KiB, file 512KiB',
    });
  });

  await test.step('every view shows a picture, and a drag rotates the 3D view', async () => {
    for (const view of ['x', 'y', 'z'] as const) await settledPicture(page, view);
    // The first picture has full quality; from then on they are deterministic.
    await settledPicture(page, '3d');
    await drawCoarsely(page);
    const before = await settledPicture(page, '3d');
    const box = await boxOf(page, '3d');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 160, box.y + box.height / 2 + 40, { steps: 4 });
    await page.mouse.up();
    const changedPart = async () => differingPart(before, await pictureOf(page, '3d'));
    await expect.poll(changedPart).toBeGreaterThan(0.12);
    await page.keyboard.press('r');
    await expect.poll(changedPart).toBe(0);
  });

  await test.step('the value under the pointer is the voxel of the file', async () => {
    for (const [view, across, down] of [
      ['z', 0.6, 0.6],
      ['z', 0.4, 0.3],
      ['y', 0.55, 0.45],
      ['x', 0.5, 0.6],
      ['x', 0.44, 0.5],
    ] as const) {
      const { voxel, stored, value } = await probeAt(page, view, across, down);
      expect(stored, `stored value at ${voxel}`).toBe(volume.voxel(...voxel));
      expect(value).toBeCloseTo(0.5 * stored - 1000, 3);
    }
    // The centre of a view is the centre of the volume, where two voxels meet.
    const [x, y, z] = (await probeAt(page, 'z', 0.5, 0.5)).voxel;
    expect([31, 32]).toContain(x);
    expect([31, 32]).toContain(y);
    expect(z).toBe(32);
  });

  await test.step('sliders and clicks move the crosshair', async () => {
    const before = await settledPicture(page, 'z');
    await page.getByTestId('slider-z').fill('12');
    await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBeGreaterThan(0.03);
    const { voxel } = await probeAt(page, 'z', 0.6, 0.45);
    expect(voxel[2]).toBe(12);
    await page.mouse.down();
    await page.mouse.up();
    await expect(page.getByTestId('slider-x')).toHaveValue(String(voxel[0]));
    await expect(page.getByTestId('slider-y')).toHaveValue(String(voxel[1]));
    await page.keyboard.press(']');
    await expect(page.getByTestId('slider-z')).toHaveValue('13');
  });

  await test.step('window and level change the picture, and can be restored', async () => {
    await page.getByTestId('slider-z').fill('32');
    const before = await settledPicture(page, 'z');
    const low = page.getByTestId('window-low');
    const shown = await low.getAttribute('aria-valuetext');
    for (let press = 0; press < 8; press++) await low.press('PageUp');
    expect(await low.getAttribute('aria-valuetext')).not.toBe(shown);
    await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBeGreaterThan(0.03);
    await page.keyboard.press('Shift+W');
    await expect(low).toHaveAttribute('aria-valuetext', shown ?? '');
    await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBe(0);
  });

  await test.step('keys choose the layout', async () => {
    const layouts: readonly (readonly [key: string, shown: readonly View[]])[] = [
      ['1', ['3d']],
      ['3', ['x', 'y', 'z']],
      ['2', ['z']],
      ['4', views],
    ];
    for (const [key, shown] of layouts) {
      // The one-slice layout shows the slice that the pointer was on last.
      if (key === '2') await canvasOf(page, 'z').hover();
      await page.keyboard.press(key);
      await expectShown(page, shown);
    }
  });
});

async function expectShown(page: Page, shown: readonly View[]): Promise<void> {
  for (const view of views) await expect(canvasOf(page, view)).toBeVisible({ visible: shown.includes(view) });
}
