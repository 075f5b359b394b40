import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { checkBenchResult } from '../src/core/bench/check-result.ts';
import type { StriaTest } from '../src/renderer/app/test-hook.ts';
import { expectOpen, gpuMemory } from './support/app.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

/** The results that are bundled with the app. */
const committed = ['2026-11-26-h100-files-512', '2026-11-23-h200-files', '2026-11-23-epyc-files'].map(
  (name) => new URL(`../bench/results/${name}.json`, import.meta.url),
);

async function openLab(page: Page, suite: 'seeds' | 'codecs'): Promise<void> {
  await page.getByTestId('lab-button').click();
  await expect(page.getByTestId('lab')).toBeVisible();
  await page.getByTestId(`lab-suite-${suite}`).click();
  await page.getByTestId('lab-size').click();
  await page.getByRole('option', { name: '16³' }).click();
}

async function saved(stria: Stria, kind: 'json' | 'csv' | 'png'): Promise<Buffer> {
  const path = join(stria.folder, `lab.${kind}`);
  await stria.chooseSave(path);
  await stria.page.getByTestId(`lab-save-${kind}`).click();
  return readFileSync(await stria.savedFile(path));
}

/** GPU memory of the open volume. The views' memory changes with the window; spare buffers belong to the device and are reused. */
async function volumeMemory(page: Page): Promise<Record<string, number>> {
  const all = await page.evaluate(() => (window as unknown as { striaTest: StriaTest }).striaTest.gpuMemory());
  return Object.fromEntries(Object.entries(all).filter(([label]) => !/^(overlay|slices|spare|view)/.test(label)));
}

test('the Lab shows whole files through whole programs, measured by the command', async ({ stria }) => {
  const { page } = stria;
  await page.getByTestId('lab-button').click();
  await page.getByTestId('lab-suite-files').click();
  await expect(page.getByTestId('lab-run')).toBeHidden();
  await expect(page.getByTestId('lab-files-machine')).toContainText(['nvidia-h100', 'nvidia-h200', 'AMD EPYC']);
  const results = committed.map((path) => checkBenchResult(JSON.parse(readFileSync(path, 'utf8'))));
  const methods = results.flatMap(({ cases }) => [...new Set(cases.map(({ subject, method }) => `${subject} ${method}`))]);
  await expect(page.getByTestId('lab-files-row')).toHaveCount(methods.length);
});

test('the Lab runs a suite beside an open volume, shows and saves it, and frees the GPU', async ({ stria }) => {
  test.setTimeout(240_000);
  const { page } = stria;
  await stria.dropFiles([stria.write('scan.nii', nifti(shapes(32)))]);
  await expectOpen(page, 'scan.nii');
  // Wait until no values are being read back, since those buffers are freed soon.
  let before: Record<string, number> = {};
  const reads = async (): Promise<string[]> => {
    before = await volumeMemory(page);
    return Object.keys(before).filter((label) => label.startsWith('reads'));
  };
  await expect.poll(reads).toEqual([]);
  await openLab(page, 'codecs');
  // The smallest possible work, since the Lab is under test.
  await page.getByTestId('lab-codec').click();
  await page.getByRole('option', { name: 'raw' }).click();
  await page.getByTestId('lab-run').click();
  await expect(page.getByTestId('lab-row').first()).toBeVisible({ timeout: 60_000 });

  await test.step('the viewer is available while it runs', async () => {
    await page.keyboard.press('Escape');
    await expectOpen(page, 'scan.nii');
    await page.keyboard.press('b');
    await expect(page.getByTestId('lab')).toBeVisible();
  });

  const state = page.getByTestId('lab-state');
  await expect(state).toHaveAttribute('data-state', 'done', { timeout: 180_000 });
  await expect(state).toHaveAttribute('data-gpu-bytes', '0');
  await expect(page.getByTestId('lab-device')).toContainText('Software');
  await expect(page.getByTestId('lab-table-codecs').locator('canvas')).toBeVisible();

  const result = checkBenchResult(JSON.parse((await saved(stria, 'json')).toString()));
  expect(result).toMatchObject({ suite: 'codecs', request: { size: 16 }, machine: { software: true } });
  await expect(page.getByTestId('lab-row')).toHaveCount(result.cases.length);
  expect(new Set(result.cases.map(({ x }) => x)).size).toBe(6);
  const lines = (await saved(stria, 'csv')).toString().trimEnd().split('\r\n');
  expect(lines).toHaveLength(result.cases.length + 1);
  expect([...(await saved(stria, 'png')).subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);

  await page.getByTestId('lab-close').click();
  await expectOpen(page, 'scan.nii');
  await expect.poll(() => volumeMemory(page)).toEqual(before);
  // Only buffers for reading a few values remain, none of the Lab's.
  expect(await gpuMemory(page, 'spare')).toBeLessThan(2 ** 20);
});

test('a run is cancelled at once and keeps its results, and another one can start', async ({ stria }) => {
  test.setTimeout(120_000);
  const { page } = stria;
  await openLab(page, 'seeds');
  await page.getByTestId('lab-run').click();
  await expect(page.getByTestId('lab-row').nth(2)).toBeVisible({ timeout: 60_000 });
  await page.getByTestId('lab-cancel').click();
  const state = page.getByTestId('lab-state');
  await expect(state).toHaveAttribute('data-state', 'cancelled', { timeout: 2000 });
  await expect(state).toHaveAttribute('data-gpu-bytes', '0', { timeout: 20_000 });
  const kept = await page.getByTestId('lab-row').count();
  expect(kept).toBeGreaterThan(2);
  // Rutter's published time beside the one measured here.
  const first = page.getByTestId('lab-row').filter({ hasText: 'Rutter, rows' }).first();
  await expect(first).toContainText('328');
  await expect(first).toContainText('GeForce GTX 460M');

  await page.getByTestId('lab-run').click();
  await expect(state).toHaveAttribute('data-state', 'running');
  await expect(page.getByTestId('lab-row').first()).toBeVisible({ timeout: 60_000 });
  await page.getByTestId('lab-cancel').click();
  await expect(state).toHaveAttribute('data-gpu-bytes', '0', { timeout: 20_000 });
});

test('workgroup sizes kept for this GPU are used until reset; a software GPU is not tuned', async ({ stria }) => {
  const { page } = stria;
  await page.evaluate(async () => {
    const info = (await navigator.gpu.requestAdapter())?.info;
    const key = [info?.vendor, info?.architecture, info?.device, info?.description].join(' / ');
    // Valid entries beside one that no version has.
    const tunings = { [key]: { 'rice.decode': 64, 'view.rays': 7 }, other: 'fast' };
    localStorage.setItem('stria.settings', JSON.stringify({ tunings }));
  });
  await page.reload();
  await page.getByTestId('lab-button').click();
  await page.getByTestId('lab-suite-tune').click();
  const tuning = page.getByTestId('lab-tuning');
  const taken = (what: string) => tuning.getByRole('row', { name: what }).getByRole('cell').nth(2);
  await expect(tuning).toContainText('Kept in the settings');
  await expect(taken('rice, decoding')).toHaveText('64');
  await expect(taken('3D view')).toHaveText('32');
  await expect(page.getByTestId('lab-tune-skipped')).toBeVisible();
  await expect(page.getByTestId('lab-run')).toBeDisabled();

  await page.getByTestId('lab-tuning-reset').click();
  await expect(taken('rice, decoding')).toHaveText('128');
  expect(await page.evaluate(() => JSON.parse(localStorage.getItem('stria.settings') ?? '').tunings)).toEqual({});
});
