import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choose, expectOpen, loseDevice } from '../support/app.ts';
import { cli } from '../support/cli.ts';
import { hookHost } from '../support/host.ts';
import { expect, test } from '../support/test.ts';
import { nifti, shapes } from '../support/volumes.ts';

// `npm run test:electron`: tests that need Electron itself, in a few minutes. `--double` runs them on the test double.

const argument = join(mkdtempSync(join(tmpdir(), 'stria-argument-')), 'given.nii');

test('the app starts with a GPU, opens a volume, compresses and saves it, and goes on after its device is lost', async ({
  stria,
}) => {
  const { page } = stria;
  await expect(page).toHaveTitle('Stria');
  expect(await page.evaluate(async () => (await navigator.gpu?.requestAdapter()) != null)).toBe(true);
  if (stria.kind === 'electron') {
    // The page has no Node, and preload runs in an isolated world.
    expect(await page.evaluate(() => ['require', 'process', 'module', 'ipcRenderer'].filter((name) => name in window))).toEqual(
      [],
    );
    expect(await page.evaluate(() => location.origin)).toBe('app://stria');
    expect(await page.evaluate(() => isSecureContext)).toBe(true);
    // Chromium calls the handlers that deny these.
    expect(await page.evaluate(() => window.open('about:blank'))).toBe(null);
    expect(await page.evaluate(async () => (await navigator.permissions.query({ name: 'geolocation' })).state)).toBe('denied');
  }

  await stria.chooseOpen([stria.write('scan.nii', nifti(shapes(32)))]);
  await stria.clickMenu('open');
  await expectOpen(page, 'scan.nii');
  await choose(page, 'codec-select', 'rle');
  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU');
  const target = join(stria.folder, 'saved.stria');
  await stria.chooseSave(target);
  await page.getByTestId('save-button').click();
  await cli('verify', await stria.savedFile(target), '--device', 'cpu', '--quiet');

  await loseDevice(page);
  await expect(page.getByTestId('gpu-banner')).toBeHidden();
  await expectOpen(page, 'scan.nii');
});

test.describe('with a file as its argument', () => {
  test.use({ launchArguments: [argument] });
  test.beforeAll(() => writeFileSync(argument, nifti(shapes(32))));

  test('it opens it; a second start gives its file to the first, and ends', async ({ stria }) => {
    await expectOpen(stria.page, 'given.nii');
    await stria.openArgument(stria.write('second.nii', nifti(shapes(16))));
    await expectOpen(stria.page, 'second.nii');
  });
});

test('quitting during a save asks first, and leaves nothing', async ({ stria }) => {
  const host = await hookHost(stria.page);
  await stria.chooseSave(join(stria.folder, 'out.stria'));
  await host.evaluate(async ({ host }) => (await host.saveAs('out.stria'))?.write(new Uint8Array(100_000)));
  expect(readdirSync(stria.folder)).toHaveLength(1);
  await stria.quit();
  await expect.poll(() => stria.messages()).toHaveLength(1);
  expect((await stria.messages())[0]?.detail).toContain('still being saved');
  await stria.chooseButton(0);
  await stria.quit();
  await expect.poll(() => readdirSync(stria.folder)).toEqual([]);
});

test('a page that crashes during a save leaves nothing, and is loaded again', async ({ stria }) => {
  const { crashPage } = stria;
  test.skip(crashPage === undefined, 'the double has no process of a page that could crash');
  const host = await hookHost(stria.page);
  await stria.chooseSave(join(stria.folder, 'out.stria'));
  await host.evaluate(async ({ host }) => (await host.saveAs('out.stria'))?.write(new Uint8Array(100_000)));
  await stria.chooseButton(0);
  const hasTestId = await crashPage?.();
  await expect.poll(() => hasTestId?.('empty-state')).toBe(true);
  expect((await stria.messages()).map(({ message }) => message)).toEqual(['The view has stopped working']);
  expect(readdirSync(stria.folder)).toEqual([]);
  expect(existsSync(join(stria.folder, 'out.stria'))).toBe(false);
});
