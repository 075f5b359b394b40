import { canvasOf, differingPart, type Picture, plain, settledPicture } from './support/app.ts';
import { type OddName, oddNifti, oddVolume } from './support/odd-volumes.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, volumeOf } from './support/volumes.ts';

// Fewer pixels to draw for a software GPU.
test.use({ viewport: { width: 780, height: 570 } });

async function open(stria: Stria, name: string, bytes: Buffer): Promise<void> {
  await stria.dropFiles([stria.write(`${name}.nii`, bytes)]);
  await expect(stria.page.getByRole('heading', { level: 1 })).toContainText(`${name}.nii`);
  await expect(stria.page.getByTestId('compress-button')).toBeVisible();
}

/** The number of squares of a picture with about this grey value. */
const squaresOf = (picture: Picture, gray: number): number =>
  picture.filter((square) => square.every((channel) => Math.abs(channel - gray) < 4)).length;

test('volumes whose values are hard to show look like ordinary ones', async ({ stria }) => {
  const { page } = stria;
  const common = oddVolume('tiny');
  await open(stria, 'common', nifti(volumeOf(common.dims, 'f32', (x, y, z) => (100 * common.voxel(x, y, z)) / 6.2e-13)));
  await page.keyboard.press('2');
  const slice = await settledPicture(page, 'z');
  await page.keyboard.press('1');
  const space = await settledPicture(page, '3d');
  for (const name of ['extreme', 'tiny', 'sentinel'] as const satisfies readonly OddName[]) {
    await open(stria, name, oddNifti(name));
    await page.keyboard.press('1');
    expect(differingPart(await settledPicture(page, '3d'), space), `${name} in 3D`).toBeLessThan(0.02);
    await page.keyboard.press('2');
    // The corner of the sentinel shows the background, which is almost the black of the lowest value.
    expect(differingPart(await settledPicture(page, 'z'), slice), `${name} in the slice`).toBeLessThan(0.02);
  }

  await test.step('voxels without a value get a colour, in volumes that have any', async () => {
    const hidden = await settledPicture(page, 'z');
    await page.getByTestId('missing-select').click();
    await page.getByRole('option', { name: 'Marked' }).click();
    await expect.poll(async () => differingPart(hidden, await settledPicture(page, 'z'))).toBeGreaterThan(0.02);
    await open(stria, 'some-nan', oddNifti('some-nan'));
    await expect(page.getByTestId('missing-select')).toBeVisible();
    await open(stria, 'constant', oddNifti('constant'));
    await expect(page.getByTestId('missing-select')).toBeHidden();
  });

  await test.step('with a negative slope the lowest physical value is black, and the axis runs upwards', async () => {
    await open(stria, 'negative-slope', oddNifti('negative-slope'));
    await page.keyboard.press('2');
    // Stored 0 is physical 1000, so black and white are exchanged.
    const falling = await settledPicture(page, 'z');
    expect(squaresOf(falling, 255)).toBeGreaterThan(0.2 * falling.length);
    const [low = 0, high = 0] = await Promise.all(
      ['window-low', 'window-high'].map(async (handle) =>
        Number(plain((await page.getByTestId(handle).getAttribute('aria-valuetext')) ?? '')),
      ),
    );
    expect(low).toBeLessThan(high);
    expect(low).toBeGreaterThanOrEqual(920);
    const box = async (handle: string) => (await page.getByTestId(handle).boundingBox())?.x ?? Number.NaN;
    expect(await box('window-low')).toBeLessThan(await box('window-high'));
    await page.getByTestId('window-presets').click();
    await page.getByRole('menuitem', { name: /^Minimum to maximum/ }).click();
    await expect(page.getByRole('textbox', { name: 'Window' })).toHaveValue(/^77.5/);
    await expect(canvasOf(page, 'z')).toBeVisible();
  });
});
