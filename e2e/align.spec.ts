import { differingPart, dragHandle, expectOpen, pictureOf, settledPicture } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, placed, shapes } from './support/volumes.ts';

test.use({ asks: true });

const affine = [1, 0, 0, -16, 0, 1, 0, -16, 0, 0, 1, -16];
const scanFile = placed(nifti(shapes(32)), affine);
const layerFile = placed(nifti(shapes(32, 'i16')), affine);

test('a layer is moved and turned by hand and by a matrix, and each can be undone', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('scan.nii', scanFile)]);
  await expectOpen(page, 'scan.nii');
  await page.keyboard.press('3');
  await stria.dropFiles([stria.write('layer.nii', layerFile)]);
  await expect(page.getByTestId('second-dialog')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('layer-facts')).toBeVisible();
  const before = await settledPicture(page, 'z');
  const field = (group: 'move' | 'turn', label: string) => page.getByTestId(`layer-${group}`).getByLabel(label, { exact: true });

  await page.getByTestId('canvas-z').hover();
  await page.keyboard.press('a');
  await expect(page.getByTestId('align-move-z')).toBeVisible();
  await dragHandle(page, 'align-move-z', 40, 0);
  // The patient's right is on the left of the screen.
  await expect(field('move', 'Right')).toHaveValue(/^-\d/);
  await expect(field('move', 'Superior')).toHaveValue('0');
  await expect.poll(async () => differingPart(before, await pictureOf(page, 'z'))).toBeGreaterThan(0.05);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(field('move', 'Right')).toHaveValue('0');
  await expect(page.getByTestId('layer-reset')).toBeDisabled();

  await page.getByTestId('align-turn-z').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await expect(field('turn', 'Superior')).toHaveValue(/^-?10$/);
  await page.getByTestId('layer-reset').click();
  await expect(field('turn', 'Superior')).toHaveValue('0');

  await page.keyboard.press('1');
  await expect(page.getByTestId('align-tip-z')).toBeVisible();
  await settledPicture(page, '3d');
  await dragHandle(page, 'align-tip-z', 0, -30);
  await expect(field('move', 'Superior')).toHaveValue(/^\d/);
  await expect(field('move', 'Right')).toHaveValue('0');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('align-tip-z')).toHaveCount(0);

  const text = [
    '#Insight Transform File V1.0',
    '#Transform 0',
    'Transform: TranslationTransform_double_3_3',
    'Parameters: 5 -6 7',
    'FixedParameters: ',
    '',
  ];
  await stria.dropFiles([stria.write('a.tfm', text.join('\n'))]);
  await expect(page.getByTestId('matrix-meaning')).toContainText(
    'fixed image, scan.nii, to points of the moving image, layer.nii',
  );
  await page.getByTestId('matrix-apply').click();
  await expect(field('move', 'Right')).toHaveValue('5');
  await expect(field('move', 'Anterior')).toHaveValue('-6');
  await expect(field('move', 'Superior')).toHaveValue('-7');
});
