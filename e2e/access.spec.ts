import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { expectAccessible, loadAxe } from './support/access.ts';
import { boxOf, choose, drawCoarsely, expectOpen, openDetails, openTab } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, testId: string): Promise<void> {
  const hasFocus = () => page.evaluate((id) => document.activeElement?.getAttribute('data-testid') === id, testId);
  for (let press = 0; press < 120; press++) {
    if (await hasFocus()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${testId}`);
}

test('every state is accessible and can be reached without a pointer', async ({ stria }) => {
  const { page } = stria;
  await loadAxe(page);

  await test.step('empty', async () => {
    await expect(page.getByTestId('empty-state')).toBeVisible();
    await expectAccessible(page, 'empty');
    await stria.chooseOpen([stria.write('scan.nii', nifti(shapes(24)))]);
    await tabTo(page, 'open-button');
    await page.keyboard.press('Enter');
    await expectOpen(page, 'scan.nii');
    await drawCoarsely(page);
    await choose(page, 'codec-select', 'rle');
  });

  await test.step('ready', async () => {
    await expectAccessible(page, 'ready');
    await tabTo(page, 'slider-z');
    await page.keyboard.press('ArrowRight');
    await expect(page.getByTestId('slider-z')).toHaveValue('13');
    await tabTo(page, 'compress-button');
    await page.keyboard.press('Enter');
  });

  await test.step('result', async () => {
    await expect(page.getByTestId('result-card')).toBeVisible();
    await tabTo(page, 'tab-display');
    // Within the tabs, arrow keys select instead of stepping.
    await page.keyboard.press('ArrowRight');
    await expect(page.getByTestId('tab-layers')).toBeFocused();
    await expect(page.getByTestId('slider-z')).toHaveValue('13');
    await page.keyboard.press('ArrowLeft');
    await openDetails(page);
    await expectAccessible(page, 'result');
    await tabTo(page, 'save-button');
  });

  await test.step('the player', async () => {
    await tabTo(page, 'play-z');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'true');
    await tabTo(page, 'play-button');
    await page.keyboard.press('Space');
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'false');
    await expectAccessible(page, 'player');
    await tabTo(page, 'scrubber');
    await page.keyboard.press('End');
    await expect(page.getByTestId('slider-z')).toHaveValue('23');
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByTestId('slider-z')).toHaveValue('22');
    await tabTo(page, 'end-loop');
    // Within a group, arrow keys select instead of stepping.
    await page.keyboard.press('ArrowRight');
    await expect(page.getByTestId('slider-z')).toHaveValue('22');
    await tabTo(page, 'transport-close');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('transport')).toBeHidden();
  });

  await test.step('keyboard shortcuts, the palette, and Escape', async () => {
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard and pointer' });
    await expect(sheet).toContainText('Compress');
    await expectAccessible(page, 'sheet of keys');
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
    await page.keyboard.press('ControlOrMeta+k');
    await expect(page.getByTestId('palette')).toBeVisible();
    await page.keyboard.type('3D only');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('palette')).toBeHidden();
    await expect(page.getByTestId('canvas-z')).toBeHidden();
    await expect(page.getByTestId('canvas-3d')).toBeVisible();
  });

  await test.step('an error', async () => {
    await stria.dropFiles([stria.write('empty.nii', '')]);
    await expect(page.getByTestId('error-message')).toBeVisible();
    await expectAccessible(page, 'error');
  });
});

test('every panel, dialog, menu and layout is accessible', async ({ stria }) => {
  const { page } = stria;
  await loadAxe(page);
  const volume = shapes(16);
  const scan = stria.write('scan.nii', nifti(volume));
  const other = stria.write('other.nii', nifti({ ...volume, bytes: volume.bytes.map((value) => value + 1) }));
  /** Opens a menu or a dialog, checks it, and closes it. */
  const look = async (
    state: string,
    open: () => Promise<unknown>,
    within: string,
    without: readonly string[] = [],
  ): Promise<void> => {
    await open();
    const shown = page.locator(within).first();
    await expect(shown).toBeVisible();
    // Other states cover both themes; the light theme has the lower contrast.
    await expectAccessible(page, state, { within, without, themes: ['light'] });
    await page.keyboard.press('Escape');
    await expect(shown).toBeHidden();
  };
  const command = async (words: string): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('searchbox').fill(words);
    await page.getByTestId('palette').getByRole('menuitem').first().click();
    await expect(page.getByTestId('palette')).toBeHidden();
  };

  await test.step('in the empty window', async () => {
    await look('samples', () => page.getByRole('button', { name: 'Try a sample' }).click(), '[role=menu]');
    await stria.dropFiles([stria.write('voxels.raw', new Uint8Array(16 ** 3))]);
    await expect(page.getByTestId('raw-form')).toBeVisible();
    await expectAccessible(page, 'raw form');
  });

  await test.step('with an open volume', async () => {
    await stria.dropFiles([scan]);
    await expectOpen(page, 'scan.nii');
    await drawCoarsely(page);
    await look('settings menu', () => page.getByRole('button', { name: 'Settings' }).click(), '[role=menu]');
    await look('settings', () => page.keyboard.press('ControlOrMeta+,'), '[role=dialog]');
    await look('picture', () => page.getByTestId('picture-button').click(), '[role=dialog]');
    await look('movie', () => command('movie'), '[role=dialog]');
    await look('about', () => command('about'), '[role=dialog]');
    // The search field keeps the focus, and arrow keys move through the list.
    await look('palette', () => page.keyboard.press('ControlOrMeta+k'), '[role=dialog]', ['scrollable-region-focusable']);
    await look('window presets', () => page.getByRole('button', { name: 'Window presets' }).click(), '[role=menu]');
    await look('colours', () => page.getByTestId('colormap-select').click(), '[role=listbox]');
    await command('oblique clip');
    await page.keyboard.press('5');
    await page.getByTestId('slab-select').click();
    await page.getByRole('option', { name: 'Mean' }).click();
    await page.getByTestId('slab-same').click();
    await expect(page.getByTestId('slab-select-x')).toBeVisible();
    await expectAccessible(page, 'oblique, slab, cut');
    await openTab(page, 'measure');
    await measure(page);
    await expectAccessible(page, 'measurements');
    await openTab(page, 'volume');
    await page.getByTestId('open-timeline').getByRole('button').click();
    await expectAccessible(page, 'facts and timeline', { within: 'aside' });
    await openTab(page, 'layers');
    await stria.chooseOpen([other]);
    await page.getByTestId('add-layer').click();
    await expect(page.getByTestId('layer-settings')).toBeVisible();
    await expectAccessible(page, 'layers', { within: 'aside' });
    await page.getByTestId('layer-remove').click();
    await openTab(page, 'gpu');
    await expectAccessible(page, 'GPU', { within: 'aside' });
    await page.keyboard.press('4');
  });

  await test.step('with two volumes', async () => {
    await stria.dropFiles([other], { x: 810, y: 300 });
    await expect(page.getByTestId('compare-bar')).toBeVisible();
    await page.getByTestId('compare-difference').click();
    await expect(page.getByTestId('difference')).toContainText('voxels differ');
    await expectAccessible(page, 'difference');
  });

  await test.step('in all other states', async () => {
    await page.keyboard.press('b');
    await expect(page.getByTestId('lab')).toBeVisible();
    await expectAccessible(page, 'lab');
    await page.getByTestId('lab-close').click();
    const session = join(stria.folder, 'scan.stria-session');
    await stria.chooseSave(session);
    await page.keyboard.press('ControlOrMeta+Shift+s');
    await stria.savedFile(session);
    await page.getByTestId('close-button').click();
    await stria.dropFiles([session]);
    await expect(page.getByTestId('waiting')).toBeVisible();
    await expectAccessible(page, 'waiting for a session’s file');
    await page.getByTestId('close-button').click();
    await stria.dropFiles([scan, stria.write('bad.nii', '')]);
    await expect(page.getByTestId('queue')).toContainText('1 of 2 files compressed');
    await expectAccessible(page, 'queue and recent files');
  });
});

/** Measures a distance on the slice across z. */
async function measure(page: Page): Promise<void> {
  await page.getByTestId('tool-distance').click();
  const place = await boxOf(page, 'z');
  const at = (part: number) => [place.x + part * place.width, place.y + 0.5 * place.height] as const;
  await page.mouse.move(...at(0.4));
  await page.mouse.down();
  await page.mouse.move(...at(0.6), { steps: 3 });
  await page.mouse.up();
  await expect(page.getByTestId('measurements')).toContainText('slice z');
}
