import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, TestInfo } from 'playwright/test';
import { boxOf, expectOpen, loseDevice, openDetails, openTab, settledPicture } from './support/app.ts';
import { cli } from './support/cli.ts';
import { framePng } from './support/frames.ts';
import { writeStudy } from './support/study.ts';
import { expect, type Stria, test } from './support/test.ts';
import { gzip, nifti, noise, nrrd, placed, scan, scans, series, shapes, volumeOf } from './support/volumes.ts';

// Screenshots of the app's states for a person to look at. Nothing is compared. Run them with `npm run screenshots`.

test.use({ sharp: true });
test.describe.configure({ timeout: 240_000 });

const folder = 'test-results/screens';
const sizes = { small: { width: 1280, height: 800 }, large: { width: 1920, height: 1080 } } as const;

interface Album {
  /** Takes one screenshot of the window as it is. */
  keep(name: string): Promise<void>;
  /** Takes screenshots in both themes, in a small and in a large window. `settle` waits until a state is drawn. */
  keepAll(name: string, settle?: () => Promise<unknown>): Promise<void>;
}

function albumOf(page: Page, info: TestInfo): Album {
  const keep = async (name: string): Promise<void> => {
    const file = join(folder, `${name}.png`);
    await page.screenshot({ path: file });
    await info.attach(name, { path: file, contentType: 'image/png' });
  };
  return {
    keep: (name) => keep(`${name}-dark-1280`),
    async keepAll(name, settle = async () => {}) {
      for (const size of ['large', 'small'] as const) {
        for (const theme of ['light', 'dark'] as const) {
          await showIn(page, theme, size);
          await settle();
          await keep(`${name}-${theme}-${sizes[size].width}`);
        }
      }
    },
  };
}

async function showIn(page: Page, colorScheme: 'light' | 'dark', size: keyof typeof sizes): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(sizes[size]);
  await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
}

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByTestId('palette').getByRole('searchbox').fill(words);
  await page.getByTestId('palette').getByRole('menuitem').first().click();
  await expect(page.getByTestId('palette')).toBeHidden();
}

async function openScan(stria: Stria): Promise<void> {
  await showIn(stria.page, 'dark', 'small');
  await stria.dropFiles([stria.write('scan.nii.gz', gzip(nifti(shapes(64))))]);
  await expectOpen(stria.page, 'scan.nii.gz');
}

test('the first start', async ({ stria }, info) => {
  const { page } = stria;
  const { keepAll } = albumOf(page, info);
  // As users open it: without `?debug`, and with empty storage.
  await page.evaluate(() => localStorage.clear());
  await page.goto(new URL('./', page.url()).href);
  await expect(page.getByTestId('first-outcome')).toBeVisible();
  await keepAll('first-start', () => page.waitForTimeout(8000));
});

test('opening: empty, loading, dragging, raw voxels, a damaged file, the queue', async ({ stria }, info) => {
  const { page } = stria;
  const { keep, keepAll } = albumOf(page, info);
  await showIn(page, 'dark', 'small');
  await expect(page.getByTestId('empty-state')).toBeVisible();
  await keepAll('empty');
  await page.getByTestId('sample-button').click();
  await keep('samples');
  await page.keyboard.press('Escape');

  const large = { ...noise([1, 1, 1]), dims: [512, 512, 400], bytes: new Uint8Array(512 * 512 * 400) } as const;
  await stria.dropFiles([stria.write('large.nii.gz', gzip(nifti(large)))]);
  await expect(page.getByTestId('progress')).toBeVisible();
  await keep('loading');
  await page.getByTestId('cancel-button').click();

  await stria.dropFiles([stria.write('voxels.raw', new Uint8Array(64 ** 3))]);
  await expect(page.getByTestId('raw-form')).toBeVisible();
  await keepAll('raw');
  await page.getByTestId('close-button').click();

  const queued = [stria.write('first.nii', nifti(shapes(48))), stria.write('last.nrrd', nrrd(shapes(32)))];
  queued.push(stria.write('bad.nii.gz', gzip(nifti(shapes(32))).subarray(0, 1000)));
  await stria.dragFiles(queued);
  await keep('drag-files');
  await stria.dropFiles(queued);
  await expect(page.getByTestId('queue')).toContainText('2 of 3 files compressed');
  await keepAll('queue');
  await page.getByRole('button', { name: 'Done' }).click();

  await stria.dropFiles(queued.slice(2));
  await expect(page.getByTestId('error-message')).toBeVisible();
  await keepAll('error');
});

test('an open volume: each tab, compressing, the result, chunks, kept compressed, measuring', async ({ stria }, info) => {
  const { page } = stria;
  const { keep, keepAll } = albumOf(page, info);
  const settled = () => settledPicture(page, '3d');
  await openScan(stria);
  await keepAll('ready', settled);
  await page.getByTestId('lighting').scrollIntoViewIfNeeded();
  await page.getByTestId('slab-same').click();
  await page.getByTestId('cut').click();
  await keep('display-middle');
  await page.getByTestId('slab-select-z').scrollIntoViewIfNeeded();
  await keep('display-end');
  await page.getByTestId('cut').click();
  await page.getByTestId('slab-same').click();
  await openTab(page, 'volume');
  await keepAll('volume', settled);
  await openTab(page, 'gpu');
  await keepAll('gpu', settled);
  await openTab(page, 'measure');
  await keep('measure-empty');
  for (const [tool, from, to] of [
    ['distance', 0.3, 0.6],
    ['rectangle', 0.4, 0.7],
  ] as const) {
    await page.getByTestId(`tool-${tool}`).click();
    await dragInSlice(page, from, to);
  }
  await expect(page.getByTestId('measurements')).toContainText('mean');
  await keepAll('measure', settled);
  await page.getByTestId('tool-pointer').click();
  await openTab(page, 'display');

  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('progress')).toBeVisible();
  await keep('compressing');
  await expect(page.getByTestId('result-card')).toBeVisible();
  await keepAll('result', settled);
  await page.keyboard.press('k');
  await openDetails(page);
  await page.getByTestId('show-chunks').scrollIntoViewIfNeeded();
  await keepAll('chunks', settled);
  await page.keyboard.press('k');
  await openTab(page, 'gpu');
  await page.getByTestId('keep-compressed').click();
  await expect(page.getByTestId('residency')).toHaveAttribute('data-kept', 'compressed');
  await keepAll('kept-compressed', settled);
  await openTab(page, 'display');
  await page.keyboard.press('5');
  await keepAll('oblique', settled);
  await page.keyboard.press('4');

  const banner = page.waitForFunction(() => document.querySelector('[data-testid="gpu-banner"]')?.textContent);
  await loseDevice(page);
  await banner;
  await keep('device-lost');
});

test('dialogs: keys, commands, settings, about, picture, movie', async ({ stria }, info) => {
  const { page } = stria;
  const { keep, keepAll } = albumOf(page, info);
  await openScan(stria);
  await settledPicture(page, '3d');
  const dialog = async (name: string, open: () => Promise<unknown>): Promise<void> => {
    await open();
    await expect(page.getByRole('dialog')).toBeVisible();
    await keepAll(name);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  };
  await dialog('keys', () => page.keyboard.press('?'));
  await dialog('palette', () => page.keyboard.press('ControlOrMeta+k'));
  await dialog('settings', () => page.keyboard.press('ControlOrMeta+,'));
  await dialog('about', () => command(page, 'about'));
  await dialog('about-notices', async () => {
    await command(page, 'about');
    await page.getByRole('button', { name: 'Third-party notices' }).click();
    await expect(page.getByTestId('notices')).toContainText('react');
  });
  await dialog('picture', () => page.getByTestId('picture-button').click());
  await dialog('movie', () => command(page, 'movie'));
  await page.getByRole('button', { name: 'Settings' }).click();
  await keep('settings-menu');
  await page.keyboard.press('Escape');
  await page.getByTestId('window-presets').click();
  await keep('window-presets');
  await page.keyboard.press('Escape');
  await page.getByTestId('projection-select').click();
  await keep('projections');
});

test('comparing, playing and the Lab', async ({ stria }, info) => {
  const { page } = stria;
  const { keep, keepAll } = albumOf(page, info);
  await openScan(stria);
  const changed = shapes(64);
  changed.bytes[changed.bytes.length / 2] = 200;
  const second = stria.write('repeat.nii', nifti(changed));
  const right = { x: 1100, y: 400 };
  await stria.dragFiles([second], right);
  await keep('drag-compare');
  await stria.dropFiles([second], right);
  await expect(page.getByTestId('compare-bar')).toBeVisible();
  await keepAll('compare', () => settledPicture(page, '3d'));
  await page.getByTestId('compare-difference').click();
  await expect(page.getByTestId('difference')).toContainText('differ');
  await keepAll('difference');
  await page.getByTestId('compare-end').click();

  await page.getByTestId('lab-button').click();
  await page.getByTestId('lab-suite-codecs').click();
  for (const [list, option] of [
    ['lab-size', '16³'],
    ['lab-codec', 'raw'],
  ] as const) {
    await page.getByTestId(list).click();
    await page.getByRole('option', { name: option }).click();
  }
  await keep('lab-empty');
  await page.getByTestId('lab-run').click();
  await expect(page.getByTestId('lab-state')).toHaveAttribute('data-state', 'done');
  await keepAll('lab');
  await page.getByTestId('lab-suite-tune').click();
  await keep('lab-tune');
  await page.getByTestId('lab-suite-files').click();
  await keep('lab-files');
  await page.getByTestId('lab-close').click();

  const frames = Array.from({ length: 24 }, (_, index) => stria.write(`frame${index + 1}.png`, framePng(index)));
  await stria.dragFiles(frames);
  await keep('drag-frames');
  await stria.dropFiles(frames);
  await expectOpen(page, 'frame1-stack.png');
  await page.getByTestId('play-button').click();
  await keepAll('playing', () => expect(page.getByTestId('playback-facts')).toContainText(/\d\sfps/));
});

test('no GPU', async ({ stria }, info) => {
  const { page } = stria;
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'gpu'));
  await page.reload();
  await expect(page.getByTestId('no-gpu')).toBeVisible();
  await albumOf(page, info).keepAll('no-gpu');
});

/** Drags across the slice of z, between two fractions of its width. */
async function dragInSlice(page: Page, from: number, to: number): Promise<void> {
  const box = await boxOf(page, 'z');
  const at = (part: number) => [box.x + part * box.width, box.y + part * box.height] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 3 });
  await page.mouse.up();
}

/** CSS that hides a button which appears if the display's own pointer, which tests do not move, hovers over a view. */
const withoutHover = '[aria-label="Show only this view"] { visibility: hidden }';

/** Opens a sample of 128³ voxels. */
async function openSample(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await page
    .getByRole('group', { name: new RegExp(name) })
    .getByRole('menuitem', { name: /^128/ })
    .click();
  await expectOpen(page, `${name} 128`);
}

test('choosing: several volumes in a folder, their tags, leaving with measurements', async ({ stria }, info) => {
  const { page } = stria;
  const { keepAll } = albumOf(page, info);
  await showIn(page, 'dark', 'small');
  await stria.dropFiles([writeStudy(stria)]);
  await expect(page.getByTestId('volume-thumbnail').nth(1)).toBeVisible();
  await keepAll('choice');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expectOpen(page, 'study · Thin bone');
  await openTab(page, 'volume');
  await page.getByTestId('tags').getByRole('button', { name: /Tags/ }).click();
  await page.getByTestId('tag-search').fill('patient');
  await keepAll('tags');
  await command(page, 'Choose another volume');
  await expect(page.getByTestId('volumes-dialog')).toBeVisible();
  await keepAll('choose-another');
  await page.keyboard.press('Escape');
  await openTab(page, 'measure');
  await page.getByTestId('tool-distance').click();
  await dragInSlice(page, 0.3, 0.6);
  await page.getByTestId('close-button').click();
  await expect(page.getByTestId('leave-dialog')).toBeVisible();
  await keepAll('leave');
});

test('README: a compressed sample', async ({ stria }) => {
  const { page } = stria;
  await showIn(page, 'dark', 'small');
  await openSample(page, 'Cosmic web');
  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('result-card')).toBeVisible({ timeout: 90_000 });
  await settledPicture(page, '3d');
  await page.screenshot({ path: 'docs/images/app.png', style: withoutHover });
});

test('README: an oblique slice and measurements', async ({ stria }) => {
  const { page } = stria;
  await showIn(page, 'light', 'small');
  await openSample(page, 'Head phantom');
  await openTab(page, 'measure');
  await page.keyboard.press('5');
  await page.getByTestId('oblique-turn').fill('25');
  await page.getByTestId('oblique-tilt').fill('-30');
  for (const [tool, from, to] of [
    ['sphere', 0.55, 0.68],
    ['distance', 0.2, 0.45],
  ] as const) {
    await page.getByTestId(`tool-${tool}`).click();
    await dragInSlice(page, from, to);
  }
  await page.getByTestId('tool-pointer').click();
  await expect(page.getByTestId('measurements')).toContainText('mean');
  await settledPicture(page, '3d');
  await page.screenshot({ path: 'docs/images/oblique.png', style: withoutHover });
});

test('small files: the result, both codecs in the GPU section, a series played', async ({ stria }, info) => {
  const { page } = stria;
  const { keepAll } = albumOf(page, info);
  await showIn(page, 'dark', 'small');
  await stria.dropFiles([stria.write('scan.nii', nifti(scan(64)))]);
  await expectOpen(page, 'scan.nii');
  await page.getByTestId('prefer-select').click();
  await keepAll('small-prefer');
  await page.getByRole('option', { name: 'Smallest file' }).click();
  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('result-exact')).toBeVisible({ timeout: 60_000 });
  await openTab(page, 'gpu');
  await page.getByTestId('keep-compressed').click();
  await expect(page.getByTestId('transcoded')).toBeVisible({ timeout: 60_000 });
  await keepAll('small-result', () => settledPicture(page, 'z'));

  const packed = join(stria.folder, 'series.stria');
  await cli(
    'compress',
    stria.write('series.nii', nifti(scans(32, 8))),
    '-o',
    packed,
    '--prefer',
    'size',
    '--device',
    'cpu',
    '--quiet',
  );
  await stria.dropFiles([packed]);
  await expectOpen(page, 'series.stria');
  await page.keyboard.press('Space');
  await expect(page.getByTestId('playback-facts')).toContainText('fps');
  await keepAll('small-series');
});

test.describe('layers', () => {
  test.use({ asks: true });

  test('a second file, the layers, a profile, a curve over time', async ({ stria }, info) => {
    const { page } = stria;
    const { keep, keepAll } = albumOf(page, info);
    const settled = () => settledPicture(page, 'z');
    const side = 64;
    const parts = volumeOf([side / 2, side / 2, side / 2], 'u8', (x, y, z) =>
      Math.hypot(x - 16, y - 16, z - 16) < 10 ? 1 + (x >> 4) + 2 * (y >> 4) : 0,
    );
    const scanFile = placed(nifti(scan(side)), [1, 0, 0, -32, 0, 1, 0, -32, 0, 0, 1, -32]);
    const labelFile = placed(nifti(parts), [2, 0, 0, -31.5, 0, 2, 0, -31.5, 0, 0, 2, -31.5]);
    // The image is turned, so that its edges cross the scan's.
    const imageFile = placed(nifti(shapes(40, 'i16')), [1.2, -0.4, 0, -18, 0.4, 1.2, 0, -26, 0, 0, 1.2, -24]);
    await showIn(page, 'dark', 'small');
    await stria.dropFiles([stria.write('scan.nii', scanFile)]);
    await expectOpen(page, 'scan.nii');
    await openTab(page, 'layers');
    await keep('layers-empty');
    const add = async (name: string, file: Buffer) => {
      await stria.dropFiles([stria.write(name, file)]);
      await expect(page.getByTestId('second-dialog')).toContainText(name);
      if (name === 'segmentation.nii') await keepAll('second');
      await page.getByTestId('second-layer').click();
      await expect(page.getByTestId('layer-facts')).toContainText('Placed by world coordinates');
      await expect(page.getByTestId(`layer-${name}`)).toBeVisible();
    };
    await add('pet-with-a-rather-long-name-of-the-file.nii', imageFile);
    await keepAll('layers-image', settled);
    await add('segmentation.nii', labelFile);
    await keepAll('layers-labels', settled);
    const box = await boxOf(page, 'z');
    await page.mouse.move(box.x + 0.55 * box.width, box.y + 0.55 * box.height);
    await expect(page.getByTestId('probe')).toContainText('segmentation.nii');
    await keep('layers-readout');
    await stria.dropFiles([stria.write('broken.nii', labelFile.subarray(0, 900))]);
    await page.getByTestId('second-layer').click();
    await expect(page.getByTestId('adding-layer').getByTestId('error-message')).toBeVisible();
    await keepAll('layers-failed');
    await page.getByTestId('add-layer-cancel').click();

    await openTab(page, 'measure');
    await page.getByTestId('tool-distance').click();
    await dragInSlice(page, 0.3, 0.65);
    await page.getByTestId('tool-pointer').click();
    await page
      .getByTestId('measurements')
      .getByRole('button', { name: /^Go to/ })
      .click();
    await expect(page.getByTestId('profile')).toBeVisible();
    await keepAll('profile', () => page.getByTestId('profile').scrollIntoViewIfNeeded());

    await stria.dropFiles([stria.write('moving.nii', nifti(series(32, 24)))]);
    await page.getByTestId('second-replace').click();
    await page.getByTestId('leave-anyway').click();
    await expectOpen(page, 'moving.nii');
    await expect(page.getByTestId('time-curve')).toBeVisible();
    await keepAll('time-curve', () => page.getByTestId('time-curve').scrollIntoViewIfNeeded());
  });

  test('files of a session that were not found', async ({ stria }, info) => {
    const { page } = stria;
    const { keep, keepAll } = albumOf(page, info);
    const settled = () => settledPicture(page, 'z');
    const affine = [1, 0, 0, -32, 0, 1, 0, -32, 0, 0, 1, -32];
    const scanFile = stria.write('scan.nii', placed(nifti(scan(64)), affine));
    const other = stria.write('pet-with-a-rather-long-name-of-the-file.nii', placed(nifti(shapes(64)), affine));
    const surface = join(stria.folder, 'left-ventricle-of-the-second-visit.stl');
    await cli('mesh', other, '--level', '60.5', '-o', surface, '--device', 'cpu', '--quiet');
    await stria.dropFiles([scanFile]);
    await expectOpen(page, 'scan.nii');
    await stria.dropFiles([other]);
    await page.getByTestId('second-layer').click();
    await expect(page.getByTestId('layer-facts')).toBeVisible();
    await stria.dropFiles([surface]);
    await expect(page.getByTestId('mesh-facts')).toContainText('triangles');
    await settled();
    await keep('mesh-file');
    const session = join(stria.folder, 'scan.stria-session');
    await stria.chooseSave(session);
    await page.keyboard.press('ControlOrMeta+Shift+s');
    const saved = await stria.savedFile(session);
    await page.getByTestId('close-button').click();
    // The desktop app would find files that did not move.
    for (const path of [scanFile, other, surface]) renameSync(path, `${path}.moved`);

    await stria.dropFiles([saved]);
    await expect(page.getByTestId('waiting')).toBeVisible();
    await keepAll('session-waiting');
    renameSync(`${scanFile}.moved`, scanFile);
    await stria.dropFiles([scanFile]);
    await expectOpen(page, 'scan.nii');
    await openTab(page, 'layers');
    await page.getByTestId('layer-pet-with-a-rather-long-name-of-the-file.nii').click();
    await expect(page.getByTestId('layer-find')).toBeVisible();
    await keepAll('layer-not-found', settled);
    await page.getByTestId('layer-left-ventricle-of-the-second-visit').click();
    await expect(page.getByTestId('lost-files')).toContainText('left-ventricle');
    await keepAll('surface-not-found', settled);
    await stria.chooseOpen([scanFile]);
    await page.getByTestId('layer-find').click();
    await expect(page.getByTestId('wrong-file')).toBeVisible();
    await keepAll('surface-wrong-file');
  });
});
