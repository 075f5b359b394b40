import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { choose, expectOpen, factsOf, openDetails, openTab, plain, probeAt, volumeFacts, voxelsInGpu } from './support/app.ts';
import { cli, fileInfo } from './support/cli.ts';
import { expect, type Stria, test } from './support/test.ts';
import { gzip, nifti, shapes } from './support/volumes.ts';

test('a volume is compressed, saved, and opened again bit for bit', async ({ stria }) => {
  const { page } = stria;
  const volume = shapes(64);
  const source = nifti(volume);
  const target = join(stria.folder, 'saved.stria');
  await stria.dropFiles([stria.write('scan.nii.gz', gzip(source))]);
  await expectOpen(page, 'scan.nii.gz');
  // A software GPU compiles its kernels quickly. chunks.spec.ts covers the choices of `auto`.
  await choose(page, 'codec-select', 'rle');

  const shown = await test.step('the shortcut C compresses, and the card shows the result', async () => {
    const progress = page.getByTestId('progress').waitFor();
    await page.keyboard.press('c');
    await progress;
    await expect(page.getByTestId('result-exact')).toHaveText('Bit-exact: checked on the GPU');
    await openDetails(page);
    await expect(page.getByTestId('result-facts')).toContainText('Read back');
    expect(await factsOf(page.getByTestId('result-facts'))).toMatchObject({
      Result: expect.stringMatching(/^after [\d.]+(ms|s)$/),
      'Read back': expect.stringMatching(/^after [\d.]+(ms|s)$/),
      Encode: expect.stringMatching(/^[\d.]+(ms|s) · [\d.]+[MG]B\/s (GPU|wall)$/),
      Decode: expect.stringMatching(/^[\d.]+(ms|s) · [\d.]+[MG]B\/s (GPU|wall)$/),
      'GPU memory': expect.stringMatching(/^256KiB → [\d.]+KiB$/),
    });
    await expect(page.getByTestId('result-size')).toContainText('256\u202fKiB');
    return Number.parseFloat(plain((await page.getByTestId('result-ratio').textContent()) ?? ''));
  });

  await test.step('the ratio matches the saved file', async () => {
    await save(stria, target);
    const { size } = statSync(target);
    expect(size).toBeLessThan(source.byteLength / 3);
    // The app shows three digits.
    expect(shown / (source.byteLength / size)).toBeCloseTo(1, 2);
    expect(await fileInfo(target)).toMatchObject({ fileBytes: size, sourceBytes: source.byteLength });
  });

  await test.step('the timelines name every stage, from the drop to the first picture and to the saved file', async () => {
    await openTab(page, 'volume');
    expect(await stagesOf(page, 'open-timeline')).toEqual(['Read', 'Upload', 'Statistics', 'Prepare views', 'First picture']);
    const compressed = await stagesOf(page, 'result-timeline');
    expect(compressed.sort()).toEqual(['Analyse', 'Check', 'Encode', 'Measure', 'Read back', 'Save', 'Write']);
  });

  await test.step('the command restores the source, byte for byte', async () => {
    const restored = join(stria.folder, 'restored.nii');
    await cli('decompress', target, '-o', restored, '--device', 'cpu', '--quiet');
    expect(readFileSync(restored).equals(source)).toBe(true);
  });

  await test.step('the saved file opens, with the same voxels', async () => {
    await stria.dropFiles([target]);
    await expectOpen(page, 'saved.stria');
    expect(await volumeFacts(page)).toMatchObject({
      Format: 'Stria (NIfTI)',
      Dimensions: '64 × 64 × 64',
      Orientation: 'LAS',
    });
    expect((await voxelsInGpu(page)).equals(volume.bytes)).toBe(true);
    const { voxel, stored } = await probeAt(page, 'z', 0.6, 0.6);
    expect(stored).toBe(volume.voxel(...voxel));
  });

  await test.step('codec and axis reach the file', async () => {
    await choose(page, 'codec-select', 'raw');
    await page.getByTestId('compress-button').click();
    expect(await codecsSaved(stria, 'raw.stria')).toEqual(['raw']);
    await choose(page, 'codec-select', 'rle');
    for (const axis of ['x', 'y'] as const) {
      await choose(page, 'axis-select', axis);
      await page.getByTestId('compress-button').click();
      expect(await codecsSaved(stria, `${axis}.stria`)).toEqual([`rle along ${axis}`]);
    }
  });
});

/** The rows of a collapsed timeline, in order of their start. */
async function stagesOf(page: Page, testId: string): Promise<string[]> {
  const timeline = page.getByTestId(testId);
  await timeline.getByRole('button').click();
  const names = await timeline
    .getByRole('listitem')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
  return names.map((name) => name.split(':')[0] as string);
}

/** Waits for the running compression, saves it, and returns the encodings of its chunks. */
async function codecsSaved(stria: Stria, name: string): Promise<string[]> {
  await expect(stria.page.getByTestId('compress-button')).toHaveText('Compress again');
  const path = join(stria.folder, name);
  await save(stria, path);
  const { chunks } = await fileInfo(path);
  return chunks.map(({ codec, axis }) => (axis === undefined ? codec : `${codec} along ${axis}`));
}

async function save(stria: Stria, path: string): Promise<void> {
  await stria.chooseSave(path);
  await stria.page.getByTestId('save-button').click();
  await stria.savedFile(path);
  await expectSaved(stria.page);
}

async function expectSaved(page: Page): Promise<void> {
  await expect(page.getByTestId('saved')).toContainText('Saved as');
}
