import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encode } from 'fast-png';
import { choose, expectOpen, openTab, probeAt, volumeFacts, voxelsInGpu } from './support/app.ts';
import { cli } from './support/cli.ts';
import { columns, rows, slices, voxelsOf, writeStudy } from './support/study.ts';
import { expect, type Stria, test } from './support/test.ts';

const choices = (stria: Stria) => stria.page.getByTestId('volume-choice');

test('a folder of two series is dropped, one chosen, its tags searched, compressed, saved and restored', async ({ stria }) => {
  const { page } = stria;
  const study = writeStudy(stria);
  await stria.dropFiles([study]);
  await expect(page.getByTestId('choice')).toBeVisible();
  await expect(choices(stria)).toHaveCount(2);
  await expect(choices(stria).nth(1)).toContainText('Thin bone');
  await expect(choices(stria).nth(1)).toContainText('CT');
  await expect(page.getByTestId('volume-thumbnail').nth(1)).toBeVisible();

  // By keyboard, go down to the second one and open it.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expectOpen(page, 'study · Thin bone');
  expect((await voxelsInGpu(page)).equals(voxelsOf(2))).toBe(true);
  expect(await volumeFacts(page)).toMatchObject({ Format: 'DICOM', Dimensions: `${columns} × ${rows} × ${slices}` });

  await openTab(page, 'volume');
  await page.getByTestId('tags').getByRole('button', { name: /Tags/ }).click();
  await page.getByTestId('tag-search').fill('series descr');
  await expect(page.getByTestId('tag-list')).toContainText('Thin bone');
  await expect(page.getByTestId('tag-list')).not.toContainText('Doe');
  await page.getByTestId('tag-search').fill('doe');
  await expect(page.getByTestId('tag-list')).toContainText('personal');

  // Choose another one from the open document.
  await stria.page.keyboard.press('Escape');
  await runCommand(stria, 'Choose another volume in this file');
  await expect(page.getByTestId('volumes-dialog')).toBeVisible();
  await expect(choices(stria)).toHaveCount(2);
  await expect(choices(stria).nth(1)).toContainText('open');
  await choices(stria).nth(0).click();
  await expectOpen(page, 'study · Localizer');
  expect((await voxelsInGpu(page)).equals(voxelsOf(1))).toBe(true);

  await choose(page, 'codec-select', 'rle');
  await page.getByTestId('compress-button').click();
  await expect(page.getByTestId('save-button')).toBeVisible();
  const saved = join(dirname(study), 'chosen.stria');
  await stria.chooseSave(saved);
  await page.getByTestId('save-button').click();
  await stria.savedFile(saved);
  const restored = join(dirname(study), 'restored.raw');
  await cli('decompress', saved, '--to', 'raw', '-o', restored, '--device', 'cpu');
  expect(readFileSync(restored).equals(voxelsOf(1))).toBe(true);

  // Both are among the recent files.
  await page.getByTestId('close-button').click();
  await expect(page.getByRole('button', { name: 'study · Localizer' })).toBeVisible();
  await page.getByRole('button', { name: 'study · Thin bone' }).click();
  await expectOpen(page, 'study · Thin bone');
  expect((await voxelsInGpu(page)).equals(voxelsOf(2))).toBe(true);
});

test('personal data is shown, but is saved neither in sessions nor in pictures', async ({ stria }) => {
  const { page } = stria;
  const study = writeStudy(stria);
  await stria.dropFiles([join(study, 'S1')]);
  await expectOpen(page, 'S1');
  await openTab(page, 'volume');
  await page.getByTestId('tags').getByRole('button', { name: /Tags/ }).click();
  await page.getByTestId('tag-search').fill('doe');
  await expect(page.getByTestId('tag-list')).toContainText('Doe');

  const session = join(stria.folder, 'S1.stria-session');
  await stria.chooseSave(session);
  await runCommand(stria, 'Save session');
  await stria.savedFile(session);
  const picture = join(stria.folder, 'picture.png');
  await stria.chooseSave(picture);
  await runCommand(stria, 'Save or copy picture');
  await page.getByTestId('picture-save').click();
  await stria.savedFile(picture);
  for (const text of [readFileSync(session, 'latin1'), readFileSync(picture, 'latin1')]) {
    expect(text.length).toBeGreaterThan(100);
    expect(text).not.toMatch(/Doe|P-17/);
  }
});

test('channels are chosen by name, and the readout says which one is shown', async ({ stria }) => {
  const { page } = stria;
  const [width, height] = [8, 6];
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => 10 + 100 * (at % 3));
  await stria.dropFiles([stria.write('rgb.png', Buffer.from(encode({ width, height, channels: 3, depth: 8, data })))]);
  await expectOpen(page, 'rgb.png');
  expect(await volumeFacts(page)).toMatchObject({ Channels: 'Red, Green, Blue' });
  const select = page.getByTestId('channel-select');
  await expect(select).toHaveText('All together');
  await select.click();
  await page.getByRole('option', { name: 'Green' }).click();
  await expect(select).toHaveText('Green');
  const shown = await probeAt(page, 'z', 0.5, 0.5);
  expect(shown.value).toBe(110);
  await expect(page.getByTestId('probe')).toContainText('Green');
  await expect(page.getByTestId('transport')).toBeHidden();
});

async function runCommand({ page }: Stria, words: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByTestId('palette').getByRole('searchbox').fill(words);
  await page.keyboard.press('Enter');
}
