import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DecodedPng, decode } from 'fast-png';
import type { Page } from 'playwright/test';
import { expectOpen, screenOf, settledPicture } from './support/app.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('pictures: as on screen, at any size, without annotations, of the whole layout, and on the clipboard', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('ball.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'ball.nii');
  await settledPicture(page, '3d');

  await test.step('the layout, drawn on white', async () => {
    await page.getByTestId('picture-button').click();
    await choose(page, 'Whole layout');
    await page.getByRole('radio', { name: 'Custom' }).click();
    await lengths(page, 400, 300);
    await page.getByRole('radio', { name: 'White' }).click();
    const picture = await save(stria, 'all.png');
    expect([picture.width, picture.height, picture.channels]).toEqual([400, 300, 3]);
    // A corner of each of the four views.
    for (const [x, y] of [
      [2, 2],
      [397, 2],
      [2, 297],
      [397, 297],
    ] as const)
      expect(pixel(picture, x, y)).toEqual([255, 255, 255]);
    for (const [left, top] of [
      [0, 0],
      [200, 0],
      [0, 150],
      [200, 150],
    ] as const)
      expect(
        part(picture, left, top, 200, 150, (rgb) => Math.min(...rgb) < 160),
        `view at ${left}, ${top}`,
      ).toBeGreaterThan(0.03);
  });

  await test.step('a size that is too large is refused with a message', async () => {
    await page.keyboard.press('ControlOrMeta+Shift+P');
    await lengths(page, 40_000, 300);
    await expect(page.getByTestId('picture-size')).toHaveText(/draws at most \d+ pixels along an edge, not 40000 × 300/);
    await expect(page.getByTestId('picture-save')).toBeDisabled();
    await page.keyboard.press('Escape');
  });

  await test.step('a slice at screen size has the pixels of the screen', async () => {
    await page.keyboard.press('2');
    await page.mouse.move(5, 5);
    await settledPicture(page, 'z');
    const shown = await screenOf(page, 'z');
    await page.keyboard.press('ControlOrMeta+Shift+P');
    await page.getByRole('radio', { name: '1×' }).click();
    await page.getByRole('radio', { name: 'Dark' }).click();
    const picture = await save(stria, 'slice.png');
    expect([picture.width, picture.height]).toEqual([shown.width, shown.height]);
    // The picture has one more line: position and value, in its lower left corner.
    let others = 0;
    for (let y = 0; y < shown.height; y++)
      for (let x = 0; x < shown.width; x++) {
        const isCaption = x < 160 && y > shown.height - 26;
        if (!isCaption && pixel(picture, x, y).some((value, at) => Math.abs(value - (pixel(shown, x, y)[at] ?? 0)) > 2)) others++;
      }
    expect(others).toBe(0);
    expect(picture.resolution?.unit).toBe(1);
    expect(readFileSync(join(stria.folder, 'slice.png')).toString('latin1')).toContain('slice across z; crosshair 9 9 9');
  });

  await test.step('the 3D view without annotations, transparent, on the clipboard', async () => {
    await page.keyboard.press('1');
    await settledPicture(page, '3d');
    await page.keyboard.press('ControlOrMeta+Shift+P');
    await page.getByRole('radio', { name: 'Custom' }).click();
    await lengths(page, 200, 160);
    await page.getByRole('radio', { name: 'Transparent' }).click();
    await page.getByText('Labels, crosshair, frame and scale bar').click();
    await page.getByTestId('picture-copy').click();
    await expect(page.getByText('Picture copied')).toBeVisible();
    const picture = decode(await clipboardPng(page));
    expect([picture.width, picture.height]).toEqual([200, 160]);
    const isClear = (x: number, y: number) => picture.data[(y * 200 + x) * 4 + 3] === 0;
    expect(isClear(0, 0) && isClear(199, 159)).toBe(true);
    expect(part(picture, 0, 0, 200, 160, (rgb) => Math.max(...rgb) > 60)).toBeGreaterThan(0.02);
  });
});

async function choose(page: Page, view: string): Promise<void> {
  await page.getByTestId('picture-view').click();
  await page.getByRole('option', { name: view, exact: true }).click();
}

async function lengths(page: Page, width: number, height: number): Promise<void> {
  for (const [label, length] of [
    ['Width, pixels', width],
    ['Height, pixels', height],
  ] as const) {
    await page.getByLabel(label).fill(String(length));
    await page.keyboard.press('Enter');
  }
}

/** Saves with the dialog's settings. The dialog closes by itself. */
async function save(stria: Stria, name: string): Promise<DecodedPng> {
  const path = join(stria.folder, name);
  await stria.chooseSave(path);
  await stria.page.getByTestId('picture-save').click();
  const saved = await stria.savedFile(path);
  await expect(stria.page.getByTestId('picture-dialog')).toHaveCount(0);
  return decode(readFileSync(saved));
}

function pixel({ width, channels, data }: DecodedPng, x: number, y: number): readonly number[] {
  return [...data.subarray((y * width + x) * channels, (y * width + x) * channels + 3)];
}

/** The fraction of pixels in a part of a picture for which a condition holds. */
function part(
  picture: DecodedPng,
  left: number,
  top: number,
  width: number,
  height: number,
  isSo: (rgb: readonly number[]) => boolean,
): number {
  let count = 0;
  for (let y = top; y < top + height; y++) for (let x = left; x < left + width; x++) if (isSo(pixel(picture, x, y))) count++;
  return count / (width * height);
}

async function clipboardPng(page: Page): Promise<Buffer> {
  const bytes = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const blob = await item?.getType('image/png');
    return [...new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer())];
  });
  return Buffer.from(bytes);
}
