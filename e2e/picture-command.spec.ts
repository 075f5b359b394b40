import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DecodedPng, decode } from 'fast-png';
import { boxOf, drawCoarsely, expectOpen, settledPicture } from './support/app.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

// The window is so wide that the initial camera does not depend on the layout in which the volume was opened.

test.use({ viewport: { width: 960, height: 640 } });

test('`stria picture` draws the pixels of the app’s pictures', async ({ stria }) => {
  const { page } = stria;
  await drawCoarsely(page);
  const volume = stria.write('shapes.nii', nifti(shapes(24, 'i16')));
  await stria.dropFiles([volume]);
  await expectOpen(page, 'shapes.nii');
  for (const [key, view] of [
    ['1', '3d'],
    ['2', 'z'],
  ] as const) {
    await page.keyboard.press(key);
    await settledPicture(page, view);
    const shown = await save(stria, `${view}.png`, view === '3d');
    const drawn = command(stria, volume, ['--view', view, '--size', `${shown.width}x${shown.height}`]);
    expect(differences(shown, drawn), view).toBe(0);
    expect(new Set(shown.data).size).toBeGreaterThan(50);
  }

  await test.step('and of a session: its colors, its camera, its slice', async () => {
    await page.keyboard.press('1');
    await page.getByTestId('colormap-select').click();
    await page.getByRole('option', { name: 'Viridis', exact: true }).click();
    const place = await boxOf(page, '3d');
    await page.mouse.move(place.x + 60, place.y + 120);
    await page.mouse.down();
    await page.mouse.move(place.x + 160, place.y + 60, { steps: 3 });
    await page.mouse.up();
    await settledPicture(page, '3d');
    const turned = await save(stria, 'turned.png', false);
    const session = join(stria.folder, 'shapes.stria-session');
    await stria.chooseSave(session);
    await page.keyboard.press('ControlOrMeta+Shift+s');
    await stria.savedFile(session);
    const drawn = command(stria, session, ['--size', `${turned.width}x${turned.height}`]);
    expect(differences(turned, drawn)).toBe(0);
  });
});

/** Saves a picture of the view, at its size on the screen and without annotations. */
async function save(stria: Stria, name: string, isFirst: boolean): Promise<DecodedPng> {
  const { page } = stria;
  const path = join(stria.folder, name);
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.getByRole('radio', { name: '1×' }).click();
  if (isFirst) await page.getByText('Labels, crosshair, frame and scale bar').click();
  await stria.chooseSave(path);
  await page.getByTestId('picture-save').click();
  const saved = await stria.savedFile(path);
  await expect(page.getByTestId('picture-dialog')).toHaveCount(0);
  return decode(readFileSync(saved));
}

function command(stria: Stria, volume: string, options: readonly string[]): DecodedPng {
  const path = join(stria.folder, 'command.png');
  execFileSync(process.execPath, [
    'scripts/with-gpu.mjs',
    process.execPath,
    'out/main/cli.js',
    'picture',
    volume,
    '-o',
    path,
    ...options,
  ]);
  return decode(readFileSync(path));
}

function differences(a: DecodedPng, b: DecodedPng): number {
  expect([b.width, b.height, b.channels]).toEqual([a.width, a.height, a.channels]);
  let count = 0;
  for (let at = 0; at < a.data.length; at++) if (a.data[at] !== b.data[at]) count++;
  return count;
}
