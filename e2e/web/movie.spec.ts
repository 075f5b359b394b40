import { decode } from 'fast-png';
import { differingPart, drawnPart, expectOpen, screenOf, settledPicture, squaresOf } from '../support/app.ts';
import { expect, test } from '../support/test.ts';
import { nifti, shapes } from '../support/volumes.ts';

test.use({ viewport: { width: 720, height: 480 } });

test('a turntable becomes numbered pictures in a new folder: the first is the view as it stands, the others go round', async ({
  stria,
}) => {
  const { page } = stria;
  // The browser's own dialog cannot be driven: a folder that only the page has stands in for the one that is chosen.
  await page.evaluate(() => {
    Object.assign(window, { showDirectoryPicker: () => navigator.storage.getDirectory() });
  });
  await stria.dropFiles([stria.write('ball.nii', nifti(shapes(16)))]);
  await expectOpen(page, 'ball.nii');
  await page.keyboard.press('1');
  await page.getByTestId('quality-draft').click();
  await settledPicture(page, '3d');
  const screen = await screenOf(page, '3d', { hidden: '[data-view="3d"] > :not([role=application])' });

  await page.keyboard.press('ControlOrMeta+K');
  await page.keyboard.type('movie');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('movie-dialog')).toContainText('Make a turntable movie');
  await page.getByRole('radio', { name: '1×' }).click();
  await page.getByLabel('Frames', { exact: true }).fill('4');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('movie-dialog')).toContainText(`4 PNGs, ${screen.width} × ${screen.height} pixels`);
  await page.getByTestId('movie-make').click();
  await expect(page.getByTestId('movie-done')).toContainText('4 pictures in ‘ball turntable’');

  const files = await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('ball turntable');
    const found: [string, number[]][] = [];
    for await (const [name, handle] of folder.entries())
      if (handle instanceof FileSystemFileHandle)
        found.push([name, [...new Uint8Array(await (await handle.getFile()).arrayBuffer())]]);
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  });
  expect(files.map(([name]) => name)).toEqual([1, 2, 3, 4].map((number) => `frame-000${number}.png`));
  const frames = files.map(([, bytes]) => squaresOf(decode(Uint8Array.from(bytes))));
  const [first = [], ...others] = frames;
  // The screen's is drawn at a fourth of its resolution.
  expect(differingPart(first, squaresOf(screen))).toBeLessThan(0.02);
  for (const other of others) {
    expect(drawnPart(other)).toBeGreaterThan(0.02);
    expect(differingPart(first, other)).toBeGreaterThan(0.05);
  }
});
