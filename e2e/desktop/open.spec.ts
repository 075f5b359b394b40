import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectOpen, volumeFacts } from '../support/app.ts';
import { expect, test } from '../support/test.ts';
import { nifti, shapes } from '../support/volumes.ts';

const argument = join(mkdtempSync(join(tmpdir(), 'stria-argument-')), 'given.nii');

test.describe('when started with a file', () => {
  test.use({ launchArguments: [argument] });
  test.beforeAll(() => writeFileSync(argument, nifti(shapes(48))));

  test('the app shows it; a second start shows its own file; the menu closes it', async ({ stria }) => {
    await expectOpen(stria.page, 'given.nii');
    expect(await volumeFacts(stria.page)).toMatchObject({ Dimensions: '48 × 48 × 48' });
    await stria.openArgument(stria.write('second.nii', nifti(shapes(32))));
    await expectOpen(stria.page, 'second.nii');
    expect(await volumeFacts(stria.page)).toMatchObject({ Dimensions: '32 × 32 × 32' });
    await stria.clickMenu('layout-1');
    await expect(stria.page.getByTestId('canvas-z')).toBeHidden();
    await stria.clickMenu('close');
    await expect(stria.page.getByTestId('empty-state')).toBeVisible();
  });
});
