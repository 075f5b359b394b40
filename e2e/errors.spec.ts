import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectOpen } from './support/app.ts';
import { cli } from './support/cli.ts';
import { expect, type Stria, test } from './support/test.ts';
import { gzip, nifti, noise, shapes } from './support/volumes.ts';

test('a bad file gives an error, and the app continues to work', async ({ stria }) => {
  const good = stria.write('good.nii', nifti(shapes(32)));
  const packed = join(stria.folder, 'good.stria');
  await cli('compress', good, '-o', packed, '--device', 'cpu', '--quiet');
  const flipped = readFileSync(packed);
  const middle = flipped.length >> 1;
  flipped[middle] = (flipped[middle] ?? 0) ^ 16;
  const whole = gzip(nifti(noise([64, 64, 64])));

  await expectFault(stria, 'garbage.nii', noise([64, 1, 1]).bytes, /Stria cannot read this kind|damaged/, /garbage\.nii/);
  await expectFault(stria, 'short.nii.gz', whole.subarray(0, whole.length >> 1), /The file is damaged/, /ends|short|truncated/i);
  await expectFault(stria, 'short.nii', nifti(shapes(32)).subarray(0, 20_000), /The file is damaged/, /ends|short|bytes/i);
  await expectFault(stria, 'flipped.stria', flipped, /The file is damaged/, /chunk|checksum/i);
  await expectFault(stria, 'cut.stria', flipped.subarray(0, middle), /The file is damaged/, /end|index|recover/i);
  await expectFault(stria, 'empty.nii', new Uint8Array(0), /The file is damaged/, /the file is empty/i);
  await expectFault(stria, 'scan.dcm', noise([64, 64, 1]).bytes, /cannot read this kind of file/, /named like a DICOM file/);
  await expectFault(stria, 'notes.txt', 'not a volume at all', /cannot read this kind of file/, /notes\.txt/);

  await stria.dropFiles([good]);
  await expectOpen(stria.page, 'good.nii');
  await expect(stria.page.getByTestId('error-message')).toBeHidden();
});

test('names and texts from files are shown with invisible characters escaped', async ({ stria }) => {
  const { page } = stria;
  const nrrd = 'NRRD0004\ntype: \u001b[31m\u202etniu\ndimension: 3\nsizes: 1 1 1\nencoding: raw\n\nx';
  await stria.dropFiles([stria.write('bad\u202egnp.nrrd', nrrd)]);
  const message = page.getByTestId('error-message');
  await expect(message).toContainText('bad\\u202egnp.nrrd');
  await expect(message).toContainText('\\u001b[31m\\u202etniu');
  await stria.dropFiles([stria.write('good\u202eiin.nii', nifti(shapes(32)))]);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('good\\u202eiin.nii');
  // The open volume keeps its own name, which the page never shows unescaped.
  expect(await page.locator('body').innerText()).not.toMatch(/\p{Cf}/u);
});

/** Drops a bad file, checks the error, and closes it. */
async function expectFault(
  { page, ...stria }: Stria,
  name: string,
  bytes: Uint8Array | string,
  title: RegExp,
  words: RegExp,
): Promise<void> {
  await test.step(name, async () => {
    await stria.dropFiles([stria.write(name, bytes)]);
    const message = page.getByTestId('error-message');
    await expect(message).toContainText(name);
    await expect(message).toContainText(title);
    await expect(message).toContainText(words);
    await expect(message).not.toContainText(/undefined|NaN|RangeError|\[object/);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expect(page.getByTestId('empty-state')).toBeVisible();
  });
}
