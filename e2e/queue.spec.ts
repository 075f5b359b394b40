import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright/test';
import { plain } from './support/app.ts';
import { cli } from './support/cli.ts';
import { voxelsOf, writeStudy } from './support/study.ts';
import { expect, type Stria, test } from './support/test.ts';
import { gzip, nifti, noise, nrrd, shapes } from './support/volumes.ts';

function rowOf(page: Page, name: string): Locator {
  return page.getByTestId('queue-row').filter({ hasText: name });
}

/** Expects a shown number to be the value rounded to the last shown digit. */
function expectRounded(shown: string | undefined, value: number): void {
  const decimals = shown?.split('.')[1]?.length ?? 0;
  expect(Math.abs(Number(shown) - value), `${shown} shows ${value}`).toBeLessThanOrEqual(0.5 * 10 ** -decimals + 1e-9);
}

async function expectRestored(stria: Stria, packed: string, source: Uint8Array): Promise<void> {
  const restored = join(stria.folder, `restored-${packed}`);
  await cli('decompress', await stria.savedFile(join(stria.folder, packed)), '-o', restored, '--device', 'cpu', '--quiet');
  expect(readFileSync(restored).equals(source), `${packed} gives its source back`).toBe(true);
}

test('several files are compressed one after the other; a bad one does not stop the others', async ({ stria }) => {
  const { page } = stria;
  const first = nifti(shapes(48));
  const last = nrrd(shapes(32));
  await stria.dropFiles([
    stria.write('first.nii.gz', gzip(first)),
    stria.write('bad.nii.gz', gzip(first).subarray(0, 3000)),
    stria.write('last.nrrd', last),
  ]);
  await expect(page.getByTestId('queue-row')).toHaveCount(3);

  const done = rowOf(page, 'first.nii.gz');
  await expect(done).toHaveAttribute('data-state', 'done');
  await expect(rowOf(page, 'bad.nii.gz')).toHaveAttribute('data-state', 'failed');
  await expect(rowOf(page, 'bad.nii.gz').getByRole('alert')).toContainText(/The file is damaged.*: .*gzip data/);
  await expect(rowOf(page, 'last.nrrd')).toHaveAttribute('data-state', 'done');
  await expect(page.getByTestId('queue')).toContainText('2 of 3 files compressed');
  await expect(page.getByTestId('queue')).toContainText('1 failed');

  // The row shows both ratios with their names, the time, and the target.
  const packed = readFileSync(await stria.savedFile(join(stria.folder, 'first.nii.stria')));
  const text = plain((await done.textContent()) ?? '');
  const [, ratio, ofFile] = /([\d.]+)× unpacked([\d.]+)× file[\d.]+(ms|s)/.exec(text) ?? [];
  expectRounded(ratio, first.byteLength / packed.byteLength);
  expectRounded(ofFile, gzip(first).byteLength / packed.byteLength);
  expect(text).toContain(stria.kind === 'browser' ? 'first.nii.stria' : `first.nii.stria in ${stria.folder}`);

  await expectRestored(stria, 'first.nii.stria', first);
  await expectRestored(stria, 'last.nrrd.stria', last);
  expect(existsSync(join(stria.folder, 'bad.nii.stria'))).toBe(false);

  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByTestId('queue')).toBeHidden();
});

test('a row is cancelled while it runs or waits, and leaves nothing', async ({ stria }) => {
  const { page } = stria;
  const last = nifti(shapes(32));
  await stria.dropFiles([
    stria.write('long.nii', nifti(noise([512, 512, 256]))),
    stria.write('waiting.nii', nifti(shapes(32))),
    stria.write('last.nii', last),
  ]);
  await expect(rowOf(page, 'long.nii')).toHaveAttribute('data-state', 'running');
  await expect(rowOf(page, 'long.nii').getByRole('progressbar')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel waiting.nii' }).click();
  await expect(rowOf(page, 'waiting.nii')).toHaveAttribute('data-state', 'cancelled');
  await page.getByRole('button', { name: 'Cancel long.nii' }).click();
  await expect(rowOf(page, 'long.nii')).toHaveAttribute('data-state', 'cancelled');
  await expect(rowOf(page, 'last.nii')).toHaveAttribute('data-state', 'done');
  await expectRestored(stria, 'last.nii.stria', last);
  expect(readdirSync(stria.folder).filter((name) => /^(long|waiting)\.nii\.stria/.test(name))).toEqual([]);
});

test('a row with several volumes asks which to compress, while the others continue', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([writeStudy(stria), stria.write('last.nii', nifti(shapes(32)))]);
  const study = rowOf(page, 'study');
  await expect(study).toHaveAttribute('data-state', 'several');
  await expect(rowOf(page, 'last.nii')).toHaveAttribute('data-state', 'done');
  await expect(page.getByTestId('queue')).toContainText('1 to choose from');
  await study.getByTestId('queue-choose').click();
  const dialog = page.getByTestId('queue-volumes-dialog');
  await expect(page.getByTestId('volume-choice')).toHaveCount(2);
  await expect(page.getByTestId('compress-picked')).toBeDisabled();
  await expect(page.getByTestId('volume-thumbnail').nth(1)).toBeVisible();
  await page.getByTestId('volume-choice').nth(0).click();
  await page.getByTestId('volume-choice').nth(1).click();
  await expect(page.getByTestId('compress-picked')).toHaveText('Compress 2 volumes');
  await page.getByTestId('compress-picked').click();
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId('queue')).toContainText('3 of 3 files compressed');
  await expect(rowOf(page, 'study · Localizer')).toHaveAttribute('data-state', 'done');
  const restored = join(stria.folder, 'restored.raw');
  const saved = await stria.savedFile(join(stria.folder, 'study-2.stria'));
  await cli('decompress', saved, '--to', 'raw', '-o', restored, '--device', 'cpu', '--quiet');
  expect(readFileSync(restored).equals(voxelsOf(2))).toBe(true);
});
