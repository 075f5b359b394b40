import type { Page } from 'playwright/test';
import {
  canvasOf,
  differingPart,
  dragHandle,
  drawnPart,
  expectOpen,
  isSettled,
  numberIn,
  pictureOf,
  settledPicture,
  testHook,
} from './support/app.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

/** Opens a small volume with only the 3D view, drawn as fast as possible. */
async function openSmall(stria: Stria): Promise<void> {
  const { page } = stria;
  await stria.dropFiles([stria.write('shapes.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'shapes.nii');
  await page.keyboard.press('1');
  await page.getByTestId('quality-draft').click();
  await page.getByTestId('lighting').click();
}

/** The visible faces of the cube, and the rounded offsets on the page of a step to the right and of one down on each. */
async function cubeStands(page: Page): Promise<Readonly<Record<string, string>>> {
  const faces = await page.getByTestId('look-front').evaluate((face) => {
    const { style } = face.parentElement as HTMLElement;
    const keys = ['front', 'back', 'right', 'left', 'above', 'below'];
    const seen = keys.filter((key) => style.getPropertyValue(`--${key}-seen`) !== 'hidden');
    return seen.map((key) => [key, style.getPropertyValue(`--${key}`).replace(/.*\(|\)/g, '')] as const);
  });
  const whole = (matrix: string) =>
    matrix
      .split(',')
      .slice(0, 4)
      .map((part) => Math.round(Number(part)) || 0);
  return Object.fromEntries(faces.map(([key, matrix]) => [key, whole(matrix).join(' ')]));
}

test('the cube has the volume’s orientation and turns it, by pointer, keys and commands', async ({ stria }) => {
  const { page } = stria;
  await openSmall(stria);
  const first = await settledPicture(page, '3d');
  await page.getByRole('button', { name: 'View from the front', exact: true }).click();
  await expect.poll(() => cubeStands(page)).toEqual({ front: '1 0 0 1' });

  await page.getByTestId('look-front').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'View from the back', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => cubeStands(page)).toEqual({ back: '1 0 0 1' });

  // Edges and corners work, too: here the top left corner.
  const cube = await page.getByTestId('orientation-cube').boundingBox();
  if (!cube) throw new Error('the cube is not on the screen');
  await page.mouse.move(cube.x + 3, cube.y + 3);
  await expect(page.getByTestId('look-back-left-above')).toHaveAttribute('data-hovered', 'true');
  await page.mouse.down();
  await page.mouse.up();
  await expect.poll(async () => Object.keys(await cubeStands(page))).toEqual(['back', 'left', 'above']);

  await page.keyboard.press('ControlOrMeta+k');
  await page.getByPlaceholder('Search commands').fill('View from above');
  await page.keyboard.press('Enter');
  await expect.poll(() => cubeStands(page)).toEqual({ above: '1 0 0 1' });
  await page.getByTestId('box-off').click();
  await page.getByTestId('camera-orthographic').click();
  const bare = await settledPicture(page, '3d');
  expect(differingPart(first, bare)).toBeGreaterThan(0.02);
  await expect(page.getByTestId('scale-3d')).toHaveText(/^\d+\u202fmm$/);
  await page.getByTestId('box-ticks').click();
  expect(differingPart(bare, await settledPicture(page, '3d'))).toBeGreaterThan(0.002);
});

test('the oblique clip plane cuts the 3D view, by its handles and by sliders', async ({ stria }) => {
  const { page } = stria;
  await openSmall(stria);
  await page.getByTestId('box-off').click();
  const whole = await settledPicture(page, '3d');
  await page.getByTestId('cut').click();
  await expect(page.getByTestId('cut-disc')).toBeVisible();
  // The arrow points at the camera and hides the disc, so move it away first.
  const turn = await numberIn(page, 'cut-turn');
  await dragHandle(page, 'cut-tip', 40, 0);
  await expect.poll(() => numberIn(page, 'cut-turn')).toBeGreaterThan(turn + 20);
  await dragHandle(page, 'cut-disc', 30, 0);
  await expect.poll(() => numberIn(page, 'cut-distance')).toBeGreaterThan(5);

  // First everything is cut away, then nothing.
  await page.getByTestId('cut-distance').fill('-99');
  // Only the plane's outline and handles are left, perhaps too little for `settledPicture`.
  await expect.poll(() => isSettled(page, '3d')).toBe(true);
  expect(drawnPart(await pictureOf(page, '3d'))).toBeLessThan(0.5 * drawnPart(whole));
  await page.getByTestId('cut-flip').click();
  expect(drawnPart(await settledPicture(page, '3d'))).toBeGreaterThan(0.8 * drawnPart(whole));
  await page.getByTestId('cut').click();
  await expect(page.getByTestId('cut-disc')).toBeHidden();
});

test('nothing is drawn while nothing changes, in any layout', async ({ stria }) => {
  const { page } = stria;
  await openSmall(stria);
  await page.mouse.move(5, 5);
  const hook = await testHook(page);
  const drawn = () => hook.evaluate((striaTest) => striaTest.drawnFrames());
  for (const key of ['1', '2', '3', '4']) {
    await page.keyboard.press(key);
    await expect.poll(() => isSettled(page)).toBe(true);
    const before = await drawn();
    expect(before).toBeGreaterThan(0);
    // Two seconds must pass without a frame.
    await page.waitForTimeout(2000);
    expect(await drawn(), `layout ${key}`).toBe(before);
  }
  const before = await drawn();
  await canvasOf(page, '3d').hover();
  await page.mouse.wheel(0, 100);
  await expect.poll(drawn).toBeGreaterThan(before);
});
